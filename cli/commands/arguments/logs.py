"""The arguments of the commands that read logs, from one table or from several."""

from __future__ import annotations

from cli.commands.arguments.options import JSON, REPLACE, AddCommand

_VERDICTS = """\
A log is at most 64 MiB. Verifying one of that size takes a few minutes and up to
300 MB of memory; replaying it, or comparing its page, usually takes half as much
again. At a terminal, you see the progress.

exit status: 0 valid and finished; 1 forged, or a player broke the rules;
2 can't be read, or was typed and not signed; 3 valid so far, but incomplete."""

_LOG = """\
LOG
    a log file, or a short name from "ginpeer logs"
"""

_TEAMS = """\
--team NAME,NAME
    the players of one team, by name or fingerprint (default: the hosts)
--target POINTS
    the points needed to win (default: 125 for teams, 100 for three players; with Tedesco's columns,
    100 for each player of a team, but at least 200)
    In brief: the points needed to win (default: 125 for teams)
--tedesco rare
    teams keep three columns as in Tedesco gin (default: only if Tedesco's rules were played)
"""

_REPLAY = f"""\
{_LOG}\
--hand N
    only this hand; at a terminal, start there
--seat PLAYER
    one player's view: a name, host or guest
--walk
    walk through the match even without a terminal, reading commands from a pipe, one per line
--words
    write cards as words, as the command "words on" does
--full
    show both hands and the open cards after each move, not only what changed
--values either
    say what each choice was worth, and what would have been better
--events either
    print lines for programs instead of sentences
"""

_EXPORT = f"""\
{_LOG}\
FILE*
    the file to write; several logs share one page
--evening DATE
    instead of LOG: from 6:00 that day to the next; needs FILE
--as FORMAT
    text, html, json or svg (default: by the ending of FILE; without FILE, text)
--hand N either
    only this hand
--step STEP either
    only the table at this step, as text or as an SVG picture; h3s20 is step 20 of hand 3, as in the
    address of the page
--no-analysis rare
    leave the analysis out of the page
{REPLACE}"""

_ANALYSE = f"""\
{_LOG}\
--seat PLAYER
    this player: a name, host or guest (default: you)
--hand N
    only this hand
--full
    show everything: the reason for each lesson, your choices by kind, your luck with the draw and
    your ten costliest mistakes
--all either
    like --full, but list every mistake and every hand
--json either
    print JSON instead of text
"""

_TALLY = f"""\
{_LOG.replace("LOG", "LOG+")}{_TEAMS}\
--as-given rare
    use the logs in the order given, not in the order in which the matches began
{JSON}"""

_LINK = f"""\
INVITE*
    what your friend's window shows after "invite: " (default: print one, and wait)
--listen HOST:PORT rare
    where to wait; :PORT waits on every network of this machine (default: :4466, or another port if
    that is taken)
--advertise HOST:PORT+ repeatable rare
    more addresses for the invite, listed before this machine's own
--friends N
    print N invites, one for each friend, and wait on N consecutive ports (default: 1)
    In brief: print N invites, one for each friend (default: 1)
{_TEAMS}"""


def declare(command: AddCommand) -> None:
    command(
        "verify",
        "Check a match from its log alone: every signature, shuffle, card, move and "
        "point. Needs no secrets and no connection. For a page made by export, also say "
        "whether the page is exactly what this program makes from its log; the exit status "
        "depends only on the log. In a page of several matches, every log is checked.",
        _VERDICTS,
        arguments=_LOG + JSON,
    )
    command(
        "replay",
        "Watch a match again, move by move. You see both hands if the players disclosed them, "
        "otherwise your own, otherwise what both players saw.",
        details="At a terminal you walk through it: Enter shows the next step and b the previous "
        "one; a number goes to that hand, and q quits. Type ? for the rest: a turn, the next "
        "knock, the highest deadwood, the other player's view. Otherwise the whole match is "
        "printed.\n\n" + _VERDICTS,
        arguments=_REPLAY,
    )
    command(
        "export",
        "Write a match for others, after checking it as verify does: as text with one line per "
        "turn, which you can read, write and correct; as a web page, which shows the table step by "
        "step and contains the log, so that verify can check it; or as JSON.",
        details="Without FILE, or with -, the match is printed. The ending of FILE chooses the "
        "format: .gin and .txt are text, .html and .htm a page, .json is JSON, .svg is a picture "
        "of one step. The export shows "
        "only what the log shows, and first says how much of it is proven. Cards that the log "
        "doesn't disclose stay unknown.\n\n"
        "A page can contain up to 20 matches: name several logs before FILE, or use --evening. It "
        "shows the matches in the order in which they began, and above them how many matches and "
        "points each player won. Players are told apart by their keys. Only a finished match with "
        "a valid log is counted. --evening uses each match's starting time, as its host's clock "
        "gave it, in this machine's time zone. It leaves out practice matches, and matches that "
        "nobody joined. Unfinished matches are included.\n\n"
        "You can also type a match as text yourself, for example from notes of a game with real "
        "cards. ginpeer replay, analyse and export read it like a log if its name ends with .gin "
        "or it begins with [Gin. Nobody signed it, so it proves nothing.\n\n" + _VERDICTS,
        arguments=_EXPORT,
    )
    command(
        "analyse",
        "Show what you could have done better in a match: what your play and your luck were worth, "
        "up to three lessons, and your costliest choice. Each choice is judged by what you could "
        "see at the time.",
        details="In a match between two other players, both are analysed, as far as their cards "
        "are disclosed. What your opponent really held is shown separately, because you couldn't "
        "know it. Points are what a choice is expected to bring by the end of the hand; a mistake "
        "is a choice that cost half a point or more. Mahjong gin can't be analysed.\n\n"
        + _VERDICTS,
        arguments=_ANALYSE,
    )
    command(
        "tally",
        "Add up the scores of several tables, after checking each log as verify does.\n\n"
        "Four or more players: two teams, with one player from each at every table; all "
        "tables play the same number of hands (ginpeer host --hands 6).\n\n"
        "Three players: a different player sits out each match (ginpeer host --hands 1).",
        details="You need every table's log, so send each other the files. A log is in the folder "
        '"matches" of its player\'s home, and its name begins with the short name from "ginpeer '
        "logs\". The tally lists the players' keys, and warns you about players you have never "
        "met.\n\n"
        "exit status: 0 scored; 1 a log is forged; 2 a log can't be read, or the logs don't belong "
        "together; 3 a log is incomplete. The score is shown only if the exit status is 0.",
        arguments=_TALLY,
    )
    command(
        "link",
        "Share the scores of two tables of a partnership while they play. Run it in a second "
        "window, with the same --home, if any, as in the window where you play. It prints an "
        "invite, or takes one from a player at the other table.",
        details="At each table, both players type tally on; after that, tally shows the scores of "
        "both tables. A table is shown only if both of its players have agreed; tally off "
        "withdraws your consent. The link shares the table's log up to the last finished hand, and "
        "nothing of the hand being played. Each side verifies the log it gets, and counts the "
        "hands that both tables have finished, as ginpeer tally does. Only matches with the same "
        "rules count: the first rules that two tables have both played.\n\n"
        "Four players need two links, because each link connects only two of them, one from each "
        "table. With three players, one types ginpeer link --friends 2 and sends an invite to each "
        "of the others.\n\n"
        "exit status: 0 somebody left; 1 the other table's log isn't valid; 2 wrong usage; 4 the "
        "other side couldn't be reached.",
        arguments=_LINK,
    )
