"""The log in a page is read like a log file; a page without one is refused with a code."""

from __future__ import annotations

import pickle
from base64 import b64encode
from pathlib import Path

import pytest

from ginpeer.record import Record
from ginpeer.store import LogSource, PageOfSeveral, UnreadableLog, page_log
from ginpeer.store.log import log_bytes
from ginpeer.store.page_log import MAX_LOGS, log_element, logs_in_page
from tests.refusals import code_of

LOG = log_bytes([bytes([n]) * (n * 7 + 1) for n in range(200)])  # not judged by these tests
OPENS, CLOSES = '<script type="text/plain" id="ginpeer-log">', "</script>"


def page(log: bytes = LOG, before: str = "<!doctype html>\n<p>x\n", behind: str = "</p>") -> bytes:
    return f"{before}{log_element(log)}{behind}".encode()


def entries(source: LogSource) -> list[bytes]:
    with source.opened() as log:
        found = list(log)
        assert log.fault is None
        return found


def refused(data: bytes) -> str:
    with pytest.raises(UnreadableLog) as why:
        entries(LogSource.of(data))
    assert why.value.sentence.startswith(("<bytes>", "The log in <bytes>"))
    return why.value.code


@pytest.mark.parametrize("size", [0, 1, 2, 3, 1000])
def test_the_log_of_a_page_is_read_back_byte_for_byte(tmp_path: Path, size: int) -> None:
    log = LOG[: len(LOG) - size]
    path = tmp_path / "page.html"
    path.write_bytes(page(log))
    for given in (path, page(log)):
        source = LogSource.of(given)
        assert source.snapshot().data == log
        assert entries(source) == entries(LogSource.of(log))


def test_a_rewritten_page_is_still_read() -> None:
    lined = page().replace(b"\n", b"\r\n")
    assert entries(LogSource.of(b"\xef\xbb\xbf\r\n " + lined)) == entries(LogSource.of(LOG))
    one_line = f"<html>{OPENS} {b64encode(LOG).decode()} {CLOSES}".encode()
    assert entries(LogSource.of(one_line)) == entries(LogSource.of(LOG))


def test_a_page_has_exactly_one_log() -> None:
    assert refused(b"<!doctype html><p>nothing here") == "page-without-log"
    assert refused(b"<") == "page-without-log"
    assert refused(page() + page()) == "page-with-two-logs"
    assert refused(page(before="<!-- " + OPENS + " -->")) == "page-with-two-logs"


SPELT = "<script type='text/plain' id='ginpeer-log'>"


@pytest.mark.parametrize(
    "opens",
    [
        SPELT,
        SPELT.upper().replace("TEXT/PLAIN", "text/plain").replace("GINPEER-LOG", "ginpeer-log"),
        "<script id=ginpeer-log type=text/plain>",
        '<script type="text/plain"\n id = "ginpeer&#45;lo&#x067;">',
        '<script type="text/plain" id="ginpeer-log" id="ginpeer-log" type="x">',
    ],
)
def test_a_log_is_read_however_its_tag_is_written(opens: str) -> None:
    other = page().replace(OPENS.encode(), opens.encode())
    assert LogSource.of(other).snapshot().data == LOG
    # Two logs are refused even if one is in a comment or its tag is written differently.
    assert refused(page() + other) == refused(other + page()) == "page-with-two-logs"
    assert refused(b"<!-- " + page() + b" -->" + other) == "page-with-two-logs"


@pytest.mark.parametrize(
    "opens",
    [
        '<div type="text/plain" id="ginpeer-log">',
        '<script type="text/plain" id="ginpeer-log" class="x">',
        '<script type="text/html" id="ginpeer-log">',
        '<script id="ginpeer-log">',
        '<script id="x" type="text/plain" id="ginpeer-log">',
        f"<!-- {OPENS}",
        f"<p title='{OPENS}",
        '<script type="text/plain" id="ginpeer-log"' + " " * 1000 + ">",
    ],
)
def test_a_log_in_another_element_is_not_found(opens: str) -> None:
    assert refused(page().replace(OPENS.encode(), opens.encode())) == "page-without-log"


@pytest.mark.parametrize(
    "inside",
    [
        "Z2lu bG9nMQ",  # no padding
        "Z2lubG9nMR==",  # the unused bits aren't 0
        "Z2l=ubG9nMQo=",
        "Z2lubG9nMQo=Z2lubG9nMQo=",
        "Z2lub-9nMQo=",
        "Z2lubG9nMQo=\0",
        "&#90;2lubG9nMQo=",
        "Z2lubG9nMQo=<!-- -->",
    ],
)
def test_text_that_is_not_canonical_base64_is_refused(inside: str) -> None:
    assert refused(f"<html>{OPENS}{inside}{CLOSES}".encode()) == "page-log-damaged"


def test_a_page_that_ends_inside_its_log_is_refused() -> None:
    whole = page()
    start = whole.index(OPENS.encode()) + len(OPENS)
    for end in range(start, start + 60):
        assert refused(whole[:end]) == "page-log-damaged"
    # A closing tag before the log doesn't end it.
    assert refused(f"</script >{OPENS}{b64encode(LOG).decode()}\n".encode()) == "page-log-damaged"


def test_an_element_without_a_log_in_it_is_refused() -> None:
    with pytest.raises(UnreadableLog, match=r"^The log in <bytes> is empty") as why:
        LogSource.of(f"<html>{OPENS}{CLOSES}".encode()).snapshot()
    assert why.value.code == "empty-log"
    assert refused(f"<html>{OPENS}{b64encode(b'no log of ours').decode()}{CLOSES}".encode()) == (
        "not-a-log"
    )


def test_the_sizes_of_page_and_log_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_log, "MAX_LOG_BYTES", len(LOG) - 1)
    assert refused(page()) == "log-too-large"
    monkeypatch.setattr(page_log, "MAX_PAGE_BYTES", 1000)
    assert refused(page()) == "page-too-large"


def evening(*logs: bytes) -> bytes:
    return f"<!doctype html>\n{log_element(*logs)}".encode()


def test_the_logs_of_an_evening_are_read_back_in_order() -> None:
    logs = tuple(LOG[: len(LOG) - size] for size in (0, 1, 2, 3, 1000))
    assert logs_in_page(evening(*logs), "page") == logs


def test_a_page_of_several_matches_is_not_taken_for_a_log() -> None:
    page = evening(LOG, LOG)
    assert refused(page) == "page-with-two-logs"
    with pytest.raises(PageOfSeveral, match="is a page of 2 matches") as why:
        LogSource.of(page).snapshot()
    for error in (why.value, pickle.loads(pickle.dumps(why.value))):
        assert (error.page, error.logs) == (page, (LOG, LOG))
    assert refused(page + evening(LOG)) == "page-with-two-logs"


BLOCK = b64encode(LOG).decode()


@pytest.mark.parametrize(
    "inside",
    [
        ",",
        f"{BLOCK},",
        f"{BLOCK},,{BLOCK}",
        f"{BLOCK};{BLOCK}",
        f"{BLOCK}{BLOCK}",
        f"{BLOCK},{BLOCK[:-2]}",
        f"{BLOCK},{b64encode(b'no log of ours').decode()}",
        f"{b64encode(b'[Gin]').decode()},{BLOCK}",
        f"{b64encode(b'<!doctype html>').decode()},{BLOCK}",
    ],
)
def test_odd_commas_and_blocks_that_are_not_logs_are_refused(inside: str) -> None:
    page = f"<html>{OPENS}{inside}{CLOSES}".encode()
    assert refused(page) == "page-log-damaged"
    assert code_of(UnreadableLog, LogSource.of(page).snapshot) == "page-log-damaged"


def test_the_number_of_logs_is_bounded() -> None:
    few = b"ginlog1\n"
    assert len(logs_in_page(evening(*[few] * MAX_LOGS), "page")) == MAX_LOGS
    for count in (MAX_LOGS + 1, 10_000):
        assert refused(evening(*[few] * count)) == "page-too-large"
    commas = f"<html>{OPENS}{',' * 1_000_000}{CLOSES}".encode()
    assert refused(commas) == "page-too-large"


def test_a_page_inside_a_page_is_not_read() -> None:
    """The extracted bytes are read as a log, never again as a page."""
    nested = page(page())
    assert refused(nested) == "not-a-log"
    with pytest.raises(UnreadableLog, match="is another page"):
        LogSource.of(nested).snapshot()


def test_a_record_is_read_from_a_page_as_from_its_log(tmp_path: Path) -> None:
    log = (Path(__file__).parents[1] / "vectors/logs/v1/offer-alone.ginlog").read_bytes()
    path = tmp_path / "page.html"
    path.write_bytes(page(log))
    found, again = Record.read(log), Record.read(path)
    assert again.document() == found.document()
    assert again.log() == found.log() == log
    assert (found.page, again.page) == (None, path.read_bytes())
