"""`ginpeer export`: what it writes, to which file, and its exit status."""

import json
import os
from functools import partial

import pytest

from tests.matches.golden_logs import FOLDER
from tests.notation.test_reading import TYPED

STANDARD = FOLDER / "standard.ginlog"


@pytest.fixture
def export(run):
    return partial(run, "export")


@pytest.mark.parametrize("name", ["match.gin", "match.txt", "MATCH.TXT"])
def test_the_file_extension_selects_the_format(export, tmp_path, name):
    _, printed, _ = export(STANDARD)
    status, out, _ = export(STANDARD, tmp_path / name)
    assert (status, out) == (0, f"Written: {tmp_path / name}\n")
    assert (tmp_path / name).read_text("utf-8") == printed


def test_an_unknown_extension_needs_an_explicit_format(export, tmp_path):
    status, out, err = export(STANDARD, tmp_path / "match.pdf")
    assert (status, out) == (2, "")
    assert "--as text. (usage)" in err
    assert export(STANDARD, tmp_path / "match.pdf", "--as", "text")[0] == 0


def test_an_existing_file_is_overwritten_only_on_request(export, tmp_path):
    file = tmp_path / "match.gin"
    file.write_text("mine")
    file.chmod(0o640)
    mode = file.stat().st_mode
    status, _, err = export(STANDARD, file)
    assert status == 2
    assert "(file-exists)" in err
    assert file.read_text() == "mine"
    assert export(STANDARD, file, "--replace")[0] == 0
    assert file.read_text().startswith("[Gin ")
    assert file.stat().st_mode == mode
    assert os.listdir(tmp_path) == ["match.gin"]


def test_a_folder_is_never_replaced(export, tmp_path):
    (tmp_path / "folder.gin").mkdir()
    status, _, err = export(STANDARD, tmp_path / "folder.gin", "--replace")
    assert status == 2
    assert "(not-a-file)" in err


def test_a_single_hand_can_be_exported(export):
    log = FOLDER / "hollywood.ginlog"
    status, out, _ = export(log, "--hand", 2)
    assert status == 0
    assert out.count("\nhand ") == 1
    assert "\nhand 2\ndealer host\n" in out
    assert "\nresult knock host 20, 10 against 30\n" in out
    assert "score" not in out
    for form in ("text", "json"):
        status, _, err = export(log, "--hand", 9, "--as", form)
        assert (status, "(no-such-hand)" in err) == (2, True)


def test_a_step_is_exported_as_text_or_as_a_picture(export, tmp_path, transcript):
    status, out, _ = export(STANDARD, "--step", "h1s9")
    assert status == 0
    transcript(out)
    assert export(STANDARD, "--step", "h1s9", tmp_path / "step.txt")[0] == 0
    assert (tmp_path / "step.txt").read_text("utf-8") == out
    assert export(STANDARD, tmp_path / "step.svg", "--step", "h1s9")[0] == 0
    picture = (tmp_path / "step.svg").read_bytes()
    assert picture.startswith(b"<svg ")
    assert export(STANDARD, "--step", "h1s9", "--as", "svg")[1].encode() == picture


@pytest.mark.parametrize("step", ["h9s1", "h1s999", "ends9", "h1", "h1s0", "H1S1", "\x1b["])
def test_an_unknown_step_is_reported(export, step):
    status, out, err = export(STANDARD, "--step", step)
    assert (status, out) == (2, "")
    assert err.endswith("(no-such-step)\n")
    assert err[:-1].isprintable()


@pytest.mark.parametrize(
    "words",
    [
        "--step h1s9 --as html",
        "--step h1s9 --as json",
        "--as svg",
        "--as svg --hand 1",
        "--as svg --hand 1 --step h1s1",
    ],
)
def test_a_page_or_json_shows_a_match_and_a_picture_a_step(export, words):
    status, _, err = export(STANDARD, *words.split())
    assert (status, err.endswith("(usage)\n")) == (2, True)


def test_a_position_says_if_its_log_is_not_valid(export):
    for form in ("text", "svg"):
        log = FOLDER / "forged-flipped-bit.ginlog"
        status, out, _ = export(log, "--step", "h1s1", "--as", form)
        assert (status, "FORGED OR DAMAGED: " in out) == (1, True)


def test_a_forged_log_is_marked_in_every_heading_and_in_the_status(export, tmp_path):
    status, out, _ = export(FOLDER / "forged-flipped-bit.ginlog")
    assert status == 1
    assert '[Proof "forged"]\n[Verdict "FORGED: ' in out
    assert "\nhand 1 FORGED\n" in out
    status, out, _ = export(FOLDER / "forged-flipped-bit.ginlog", tmp_path / "match.gin")
    assert status == 1
    assert out.startswith("FORGED OR DAMAGED: ")


# --- command-line arguments -----------------------------------------------------------------


@pytest.fixture
def typed(tmp_path):
    file = tmp_path / "typed.gin"
    file.write_text('[Host "Ada"]\n' + TYPED, "utf-8")
    return file


def test_a_typed_match_cannot_be_verified(run, typed):
    status, out, err = run("verify", typed)
    assert (status, out, err.endswith("(unproven)\n")) == (2, "", True)
    status, out, _ = run("verify", typed, "--json")
    found = json.loads(out)
    assert status == 2
    assert (found["verdict"], found["code"]) == ("unreadable", "unproven")


def test_the_replay_of_a_typed_match_says_that_nobody_signed_it(run, typed, transcript):
    status, out, _ = run("replay", typed)
    assert status == 2
    transcript(out)


def test_the_analysis_of_a_typed_match_says_that_nobody_signed_it(run, typed):
    status, out, _ = run("analyse", typed, "--seat", "host")
    assert status == 2
    assert "(unproven)" in out.splitlines()[0]
    status, out, _ = run("analyse", typed, "--json")
    found = json.loads(out)
    assert (status, found["code"], found["analysis"]) == (2, "unproven", "analysed")


def test_an_error_in_a_typed_match_is_reported_with_its_line(run, typed):
    typed.write_text(TYPED.replace("t -qh", "t -2s"), "utf-8")
    for command in ("verify", "replay", "analyse", "export"):
        status, out, err = run(command, typed)
        assert (status, out) == (2, "")
        assert err.startswith(f"ginpeer: {typed}: Line 5: ")
        assert err.endswith(" (card-not-held)\n")


def test_a_typed_match_cannot_be_tallied(run, typed):
    status, out, _ = run("tally", typed, STANDARD)
    assert status == 2
    assert "unproven" in out
