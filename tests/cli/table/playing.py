"""A hand of any variant, played by typing."""

from ginpeer.rules import parse_move, parse_ruleset
from tests.cli.seated import Seated
from tests.cli.table.hands import DEALER, NON_DEALER
from tests.rules.drawing import deal, played


class Playing:
    """A person or a program that plays the non-dealer's hand by typing.

    The table decides nothing: each line becomes a move of the session, which is applied to the
    hand.
    """

    def __init__(self, hand, interactive=True):
        self.seated = Seated(interactive).sit()
        self.hand = hand
        self.turn()

    def turn(self):
        before, made = len(self.seated.output.getvalue()), len(self.seated.session.played)
        if self.hand.result is None and self.hand.to_move == 0:
            self.seated.choose(self.hand)
        for text in self.seated.session.played[made:]:  # moves made without a question
            if text != "draw":  # the test says which card is drawn
                self.hand = self.hand.apply(parse_move(text))
        return self.seated.output.getvalue()[before:]

    def type(self, line):
        """Type a line, make its moves, and return what is shown."""
        made = len(self.seated.session.played)
        shown = self.seated.type(line)
        for text in self.seated.session.played[made:]:
            self.hand = self.hand.apply(parse_move(text))
            shown += self.turn()
        return shown

    @property
    def last(self):
        return self.seated.session.played[-1]

    def goes_on(self, *texts):
        """Make these moves, of either player, and return what is shown."""
        self.hand = played(self.hand, *texts)
        return self.turn()


def drew_in(rules, upcard, card):
    """Return the non-dealer's side of a hand after two passes and a draw of this card."""
    hand = deal(1, NON_DEALER, DEALER, upcard, parse_ruleset(rules))
    return Playing(played(hand, "pass", "pass", f"draw {card}"))
