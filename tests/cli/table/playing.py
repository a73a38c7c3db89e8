"""A hand of any variant that goes on with what is typed."""

from ginpeer.rules import parse_move, parse_ruleset
from tests.cli.seated import Seated
from tests.rules.drawing import deal, played

NON_DEALER = "3c 4c 5c  7c 7h 7s  Ks 4d 2d Ah"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


class Playing:
    """A person, or a program, as the non-dealer of a drawn hand, which goes on with what is typed.

    The table decides nothing: each line becomes a move of the session, and that of the hand.
    """

    def __init__(self, hand, interactive=True):
        self.seated = Seated(interactive).sit()
        self.hand = hand
        self.turn()

    def turn(self):
        before, made = len(self.seated.output.getvalue()), len(self.seated.session.played)
        if self.hand.result is None and self.hand.to_move == 0:
            self.seated.choose(self.hand)
        for text in self.seated.session.played[made:]:  # where there was nothing to choose
            if text != "draw":  # the test says which card it brings
                self.hand = self.hand.apply(parse_move(text))
        return self.seated.output.getvalue()[before:]

    def type(self, line):
        """What is answered to a line; a move that it makes is made."""
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
        """What is shown when these moves have been made, the other player's among them."""
        self.hand = played(self.hand, *texts)
        return self.turn()


def drew_in(rules, upcard, card):
    """The non-dealer, who has drawn this card after two passes."""
    hand = deal(1, NON_DEALER, DEALER, upcard, parse_ruleset(rules))
    return Playing(played(hand, "pass", "pass", f"draw {card}"))
