"""Sittings at the table: what is typed, what happens, what is shown, and which calls the session
gets. sittings.txt has them in the format of tests/cli/transcripts.py.

A step is a typed line (">") or a method of Sitting (":"). Its output follows: a prompt ends with
"\\", and "~" is an empty line. Lines with "=" are requests of the table: moves, answers, chat. To
write the file again: python -m tests.cli.table.test_sittings
"""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.table.table_state import OpenQuestion
from cli.terminal.line_input import EndOfInput, LineEditor, OverlongLine
from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.session import PauseRefused, SessionOver, TooFast
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import Match, parse_card, parse_move, parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store.small_files import Settings
from protocol import messages as m
from protocol.frames import Consent, Pause
from tests.cheating.cheat import tiny
from tests.cli.seated import CARELESS, Recorder, Seated
from tests.cli.transcripts import replayed, transcripts, write_again
from tests.rules.drawing import deal, played, second_deck_deal

FILE = Path(__file__).with_name("sittings.txt")

LOST = CloseReason("connection-lost", "The connection was lost.", "A")
ENDS = {
    "lost": LOST,
    "left": CloseReason("left", "You left the table. The log is kept."),
    "finished": CloseReason("finished", "It is."),
    "paused": CloseReason("paused", "The match is paused; the log is kept."),
    "peer-left": CloseReason("peer-left", "Your opponent left the table; the log is kept."),
    "declined": CloseReason(
        "declined", 'Your opponent declined the match. Their message: "you cheat"'
    ),
}
ERRORS = {
    "fast": TooFast("You're sending faster than the other side can read."),
    "over": SessionOver("The session is over."),
    "pause": PauseRefused(
        "pause-too-soon", "You asked a moment ago; you can ask again in a minute."
    ),
}


HANDS = {
    "N": "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah",
    "D": "6c 8s 9s Qd Qh Jc Js Td Tc Kd",
    "SQUARE": "3c 4c 5c 3d 4d 5d 3h 4h 5h As",  # three runs, or three sets
    "GIN": "3c 4c 5c 7c 7h 7s Ah 2h 3h Ks",
    "RUNS": "3c 4c 5c 7d 8d 9d Ks Qs 4s 2h",
    "LONG": "2h 3h 4h 5h Ks Qs 9c 8c Jd 7s",
    "EITHER": "7d 8d 9d 9c 9h Ks Qs 4s 2h Jd",  # a run or a set, not both
    "MELDED": "3c 4c 5c 7c 7h 7s Ah 2h 3h 4h",
    "K": "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah",
    "DEFENDER": "6c 2c 7d Qd Qh Qs Js Td 9c Kd",  # 6c and then 2c fit the run, 7d fits the set
    "SPREADER": "6c 7d Qd Qh Qs Js Td 9c 9d Kd",
    "TAKER": "9s Ts 2c 2d 2h 5c 6h Jh Kd Ks",
    "OTHER": "3c 4c 5d 7c 7h 7d 9d 4h Ac Ah",
    "M": "6c 8d 8h 8s Td Jd Qd Th Kh 4s",
}


class OtherTable:
    """The other table of a partnership."""

    def __init__(self, sitting):
        self.sitting = sitting

    def standing(self):
        return ("The other table is after hand 2.",)

    def share(self, on):
        if self.sitting.seated.session.error:
            raise self.sitting.seated.session.error
        return (f"Said {on}.",)

    def on_consent(self, word):
        return ("Ben would let it.",) if word is Consent.GIVE else ()


class Sitting:
    """A sitting; its public methods are the steps of sittings.txt."""

    # --- the player at the table: the first step, and after a change of players -------------

    def person(self, *words):
        self._seat(True, 0, words)

    def program(self, *words):
        self._seat(False, 0, words)

    def guest(self, *words):
        self._seat(True, 1, words)

    def guest_program(self, *words):
        self._seat(False, 1, words)

    def _seat(self, interactive, seat, words):
        wanted = " ".join(words[words.index("wants") + 1 :]) if "wants" in words else None
        settings = Settings() if "careful" in words else CARELESS
        more = {"partnership": OtherTable(self)} if "partner" in words else {}
        if "expects" in words:
            more["expected"] = parse_ruleset(" ".join(words[words.index("expects") + 1 :]))
        self.seated = Seated(
            interactive,
            seat,
            wanted=None if wanted is None else Options(parse_ruleset(wanted)),
            settings=replace(settings, bell="bell" in words),
            practice="practice" in words,
            **more,
        )
        self.seated.over = lambda closed: closed.code in ("connection-lost", "finished")
        self.table = self.seated.table
        self.sessions = [self.seated.session]
        self.heard = self.made = 0
        self.hand, self.did, self.noted, self._before = None, [], [], ()
        if "alone" not in words:
            self.seated.sit()
        if "xterm" in words:
            self.seated.console.kind = "xterm"

    # --- the cards ---------------------------------------------------------------------

    def deal(self, *words):
        """Arguments: RULES; CARDS; DEALER'S CARDS; UPCARD; MOVE, MOVE; STOCK LEFT. The last two are
        optional."""
        parts = (part.strip() for part in " ".join(words).split(";"))
        rules, cards, dealer, upcard, *more = (HANDS.get(part, part) for part in parts)
        if "second-deck" in rules:
            hand = second_deck_deal(1, cards, dealer, upcard, 0, parse_ruleset(rules))
        else:
            hand = deal(1, cards, dealer, upcard, parse_ruleset(rules))
        hand = played(hand, *_moves(more[0] if more else ""))
        self.hand = hand._replace(stock_left=int(more[1])) if len(more) > 1 else hand
        self._choose()

    def then(self, *words):
        """Make these moves, whichever player's they are."""
        self.hand = played(self.hand, *_moves(" ".join(words)))
        self._choose()

    def tiny(self, whose, after="Discard"):
        """Sit down in the middle of a recorded match, after the first message of the type *after*.
        *whose*: "ours" or "theirs", for the turn."""
        match = tiny()
        count = match.find(getattr(m, after)) + 1
        table = match.table_at(count)
        seat = table.owed_by if whose == "ours" else 1 - table.owed_by
        interactive, seated = self.seated.console.interactive, self.seated
        self._seat(interactive, seat, ("alone",))
        self.seated.over = seated.over
        self.table.take_seat(match.seat_at(seat, count))
        self.table.resume_match(table)
        self.seated.sit()

    def choose(self):
        """Ask for the same move again or, in a recorded match, for the next move."""
        if self.hand is None:
            self.table.choose(self.table._state.own.view())
        else:
            self._choose()

    def _choose(self):
        hand, seat = self.hand, self.table._state.seat
        if hand is not None and hand.result is None and hand.to_move == seat:
            self.seated.choose(hand)

    # --- what the other side does ------------------------------------------------------

    def offer(self, *words):
        """Receive an offer. Arguments: RULES, and "never" or "after-hand" for when seeds are
        disclosed, unless that is after the match."""
        ways = {each.word: each for each in m.Disclosure}
        how = ways.get(words[-1], m.Disclosure.AFTER_MATCH)
        rules = " ".join(words[:-1] if words[-1] in ways else words)
        offer = m.Offer(1, bytes(32), "Ann", rules, how, bytes(32), 0)
        state = Table(offer=offer, awaiting=Awaiting.ACCEPT, owed_by=1)
        self.table.show(Admitted(0, 0, offer, Table(), state))
        self.table.consider(offer)

    def offered_again(self, *words):
        """Ask about an offer that was stored on an earlier connection, so no event shows it."""
        shown = self.table.show
        self.table.show = lambda event: setattr(self.table._state, "table", event.after)
        self.offer(*words)
        self.table.show = shown

    def lags(self):
        """Let the other side claim to have more of the match."""
        state = self.table._state
        state.own, state.view = SimpleNamespace(sync_pending=lambda: 2), None

    def our_offer(self, rules):
        """Make an offer of ours. It is now the guest's turn to answer it."""
        offer = m.Offer(1, bytes(32), "Ann", rules, m.Disclosure.AFTER_MATCH, bytes(32), 0)
        self.table._state.table = Table(offer=offer, awaiting=Awaiting.ACCEPT, owed_by=1)

    def accepted(self):
        """Begin the offered match."""
        before = self.table._state.table
        accept = m.Accept(bytes(32), "Ben", "standard", bytes(32))
        state = replace(before, accept=accept, awaiting=Awaiting.CUT_COMMIT, owed_by=0)
        self.table.show(Admitted(1, 1, accept, before, state))

    def continued(self):
        """Continue a stored match."""
        self.table.resume_match(Table(accept=m.Accept(bytes(32), "Ben", "standard", bytes(32))))

    def says(self, *words):
        self.table.chat(" ".join(words))

    def floods(self, count):
        for at in range(int(count)):
            self.table.chat(f"flood {at}")

    def pause(self, word):
        self.seated.session.pause_offered = word == "ask"
        self.table.pause(Pause[word.upper()])

    def consents(self, word):
        self.table.consent(Consent[word.upper().replace("-", "_")])

    def proposes(self, *words):
        self.table.proposed(" ".join(words))

    def came(self, name, *words):
        """Connect a player whose key is *name*. With "known", our player knows this key by that
        name."""
        peer = PeerInfo(
            name.encode(),
            name,
            "192.0.2.1:7777",
            known_as=name.capitalize() if "known" in words else None,
            bot="bot" in words,
        )
        self.table.connected(peer)

    def seats(self):
        self.table.seated()

    def back(self, name):
        """Reconnect this player in a new session."""
        self.seated.session = Recorder()
        self.sessions.append(self.seated.session)
        self.seated.sit()
        self.came(name)
        self.seats()

    # --- what the program does ---------------------------------------------------------

    def sit(self):
        self.seated.sit()

    def clear(self):
        self.table.clear()
        self.hand = None

    def ends(self, how):
        self.noted.append(f"told: {self.seated.end(ENDS[how]).sentence}")

    def is_ending(self):
        self.seated.session.ending = LOST

    def aside(self, *words):
        """Ask the host's player this question before a match. The answer may also name rules."""
        note = self.did.append
        sentence = " ".join(words)
        yes, no, other = lambda: note("yes"), lambda: note("no"), lambda rules: note(f"by {rules}")
        self.table.ask_aside(
            OpenQuestion(
                sentence, yes, no, offer_rules=other, what="offer another match", otherwise="leave"
            )
        )

    def suggests(self, *words):
        """Ask the host's player about rules that the guest suggests."""
        note, rules = self.did.append, parse_ruleset(" ".join(words))
        yes, no = lambda: note("yes"), lambda: note("no")
        what, sentence = "play by Ben's rules", f"Ben suggests {rules}."
        self.table.ask_aside(
            OpenQuestion(sentence, yes, no, rules=rules, what=what, otherwise="wait")
        )
        self.table.ask_again()

    def asked_again(self, *words):
        self.table.ask_again(whole="whole" in words)

    def say_aside(self, *words):
        self.table.ask_aside(OpenQuestion(" ".join(words), because="It goes on."))

    def ask(self, *words):
        self.table.ask(" ".join(words), "do it", lambda yes: self.did.append(f"answered {yes}"))

    def withdraw(self):
        self.table.withdraw()

    def may_propose(self):
        self.seated.session.may_propose = True

    def fails(self, why):
        """Make the session refuse every request that it can refuse."""
        self.seated.session.error = ERRORS.get(why)

    def refuses_moves(self):
        def refuse(move):
            raise ERRORS["over"]

        self.seated.session.play = refuse

    def moves_at_once(self):
        """Show our next move, a pass, before the typed line has been processed completely."""
        self.seated.session.play = lambda move: self.waits()

    def in_a_match(self):
        accept = m.Accept(bytes(32), "Ben", "standard", bytes(32))
        self.table._state.table = Table(accept=accept)

    def drawn(self, card):
        """Show the table in the middle of a hand, just after this card was drawn."""
        state = self.table._state
        state.table = replace(
            Table(),
            match=Match.begin(self.hand.rules, 1),
            hand_number=1,
            hand=self.hand,
            owed_by=0,
            awaiting=Awaiting.DISCARD,
        )
        state.view = None
        self.table.take_seat(SimpleNamespace(drawn=lambda: parse_card(card), view=lambda: None))

    def goes_on(self):
        self.table.continue_match()

    def waits(self, what="upcard"):
        """Show an entry after which it is the other player's turn."""
        state = replace(
            Table(), match=Match.begin(self.hand.rules, 1), hand=played(self.hand, "pass"),
            owed_by=1, awaiting=Awaiting[what.upper()],
        )  # fmt: skip
        self.table.show(Admitted(7, 0, m.Pass(), replace(state, hand=self.hand), state))

    def begin_wait(self):
        self.table._wait()

    def seconds(self, count):
        self.seated.clock.advance(float(count))

    def takes_back(self):
        """Take back our last choice, as `undo` does in practice."""
        self.table.note_taken_back(None)
        self.table._taken_back, self.hand, self.made = None, None, len(self.seated.session.played)

    def typing(self, *words):
        """Type these words without pressing Enter; without words, erase the line."""
        if not self.seated.console.takes_keys:
            self.seated.console._input = LineEditor(seconds=self.seated.clock.seconds)
        assert not list(self.seated.console._input.feed(" ".join(words).encode() or b"\x15"))

    def interrupt(self):
        self.table.interrupt()

    def ctrl_d(self):
        self.table.take(EndOfInput(final=False))

    def end_of_input(self):
        self.table.take(EndOfInput())

    def too_long(self):
        self.table.take(OverlongLine())

    def leave(self):
        self.table.leave()

    def give_up(self):
        self.table.give_up()

    def close(self):
        self.table.close()

    # --- the result of a step ----------------------------------------------------------

    def step(self, line):
        """Take a step. Return the lines that should follow it in the file."""
        kind, _, text = line.partition(" ")
        waits = False
        if kind == ">":
            waits = self.seated.type(text.rstrip()) is None
            self._make_moves()
        else:
            name, *words = text.split()
            getattr(self, name.replace("-", "_"))(*words)
            self._make_moves()
        return [*(["(waits)"] if waits else []), *self._shown(), *self._asked()]

    def _make_moves(self):
        """Make the moves that the table has just requested. Ask for the next one after each."""
        while self.hand is not None and self.made < len(self.seated.session.played):
            text = self.seated.session.played[self.made]
            self.made += 1
            if text not in ("draw", "resign"):  # the sitting says which card is drawn
                self.hand = self.hand.apply(parse_move(text))
                self._choose()

    def _shown(self):
        text = self.seated.output.getvalue()[self.heard :]
        self.heard += len(text)
        for sign, shown in (("\a", "<bell>"), ("\x1b", "<esc>")):
            text = text.replace(sign, shown)
        lines = text.split("\n")
        return [*(line or "~" for line in lines[:-1]), *([f"{lines[-1]}\\"] if lines[-1] else [])]

    def _asked(self):
        """Return the requests that the session and the match got in this step."""
        calls = list(self.noted)
        for session in self.sessions:
            calls += [f"play {move}" for move in session.played]
            calls += [f"answer {answer}" for answer in session.answers]
            calls += [f"say {text if len(text) < 80 else len(text)}" for text in session.said]
            calls += [f"propose {rules}" for rules in session.proposed]
            calls += ["pause"] * session.paused
            calls += [f"end {session.ending.code}"] if session.ending else []
        calls += [f"keep {what} {on}" for what, on in self.seated.kept]
        calls += [f"guest proposes {rules}" for rules in self.seated.proposed]
        calls += ["stop waiting"] * len(self.seated.stopped)
        calls += self.did
        now = self.seated.session
        if now.pause_wanted or now.pause_offered:
            calls.append("a pause is open")
        new = list(calls)
        for call in self._before:
            if call in new:
                new.remove(call)
        self._before = calls
        return [f"= {call}" for call in new]


def _moves(text):
    return [move.strip() for move in text.split(",") if move.strip()]


# --- the file ---------------------------------------------------------------------------

SITTINGS = dict(transcripts(FILE))


@pytest.mark.parametrize("title", SITTINGS)
def test_a_sitting_goes_as_recorded(title, wide_screen):
    assert replayed(SITTINGS[title], Sitting().step) == SITTINGS[title]


if __name__ == "__main__":
    os.environ["COLUMNS"] = "400"
    write_again(FILE, lambda: Sitting().step)
