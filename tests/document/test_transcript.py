from tests.document.transcript import README, readme


def test_the_transcript_in_the_readme_is_what_the_program_prints() -> None:
    assert README.read_text() == readme()
