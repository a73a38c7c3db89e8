"""Each match counts once, and logs that can't be counted are reported before anything is scored."""

from dataclasses import replace

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.tally.tables import JudgedLog, NotScored, counted, each_match_once
from tests.tally.made_up import table
from tests.tally.played import identity, play

pytestmark = pytest.mark.usefixtures("in_the_toy_group")


def sound(log):
    return JudgedLog(log.name, "valid", "valid", "It holds.", Finding.VALID, log)


def unsound(name, finding):
    return JudgedLog(name, finding.name.lower(), "odd", "It does not.", finding, None)


LOG = table("Ann", "Ben")


def test_a_valid_log_keeps_what_the_tally_needs():
    match = play("Ann", "Ben")
    verdict = judge(match.entries)
    log = JudgedLog.of("a\x1b.log", verdict).log
    assert log is not None
    assert log.name.isprintable()
    assert log.keys == (identity("Ann").public, identity("Ben").public)
    assert (log.names, log.started, log.match) == (("Ann", "Ben"), 1_700_000_000, match.match)
    assert (log.table_id, log.head) == (verdict.table.table_id, verdict.table.head)


def test_a_log_that_is_cut_off_or_invalid_cannot_count():
    entries = play("Ann", "Ben").entries
    verdict = judge(entries[:-1])
    judged = JudgedLog.of("short.log", verdict)
    assert (judged.log, judged.finding) == (None, Finding.INCOMPLETE)
    changed = (*entries[:9], entries[9][:-1] + bytes([entries[9][-1] ^ 1]), *entries[10:])
    judged = JudgedLog.of("bad.log", judge(changed))
    assert (judged.log, judged.finding) == (None, Finding.FORGED)
    assert judged.sentence.startswith("At entry 9: ")


def test_a_copy_of_a_log_is_reported_and_not_counted_again():
    copy = replace(LOG, name="copy.log")
    first, again = each_match_once([sound(LOG), sound(copy)])
    assert first.log is LOG
    assert (again.verdict, again.code, again.copy) == ("duplicate", "tally-duplicate", True)
    assert again.sentence == "It's the same match as Ann-Ben.log, so it counts once."
    assert counted([first, again]) == [LOG]


def test_another_ending_of_a_match_is_not_a_copy():
    _, other = each_match_once([sound(LOG), sound(replace(LOG, name="2.log", head=b"other"))])
    assert (other.verdict, other.code, other.log, other.copy) == ("fork", "tally-fork", None, False)
    assert other.finding is Finding.UNREADABLE


def test_a_match_of_other_players_with_the_same_id_is_a_different_match():
    """The host chooses the id, so two matches may have the same one."""
    other = replace(table("Cem", "Dora"), table_id=LOG.table_id)
    assert counted(each_match_once([sound(LOG), sound(other)])) == [LOG, other]


@pytest.mark.parametrize(
    ("findings", "worst"),
    [
        ([Finding.INCOMPLETE], Finding.INCOMPLETE),
        ([Finding.INCOMPLETE, Finding.UNREADABLE], Finding.UNREADABLE),
        ([Finding.INCOMPLETE, Finding.FORGED, Finding.UNREADABLE], Finding.FORGED),
    ],
)
def test_the_worst_of_several_reasons_is_reported(findings, worst):
    bad = [unsound(f"{at}.log", finding) for at, finding in enumerate(findings)]
    with pytest.raises(NotScored) as caught:
        counted([sound(LOG), *bad])
    assert caught.value.finding is worst
    count = f"{len(bad)} of {len(bad) + 1} logs"
    assert caught.value.sentence == f"Not scored: {count} can't be counted."


def test_the_sentence_about_one_log_is_in_the_singular():
    with pytest.raises(NotScored) as caught:
        counted([unsound("1.log", Finding.FORGED)])
    assert caught.value.sentence == "Not scored: 1 of 1 log can't be counted."
