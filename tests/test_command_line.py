"""Whatever streams a command is started with, and whatever it is given: one sentence, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import parlour_says, the_rest_long

PARLOUR = [sys.executable, "-c", "from parlour.cli.app import main; main()"]


def run(words: str, **more: object) -> subprocess.CompletedProcess[str]:
    given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run([*PARLOUR, *words.split()], text=True, check=False, **given)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("words", the_rest_long(["rules kuhn", "play kuhn --plain --seed 1"], ["rules kuhn"]))
def test_a_disk_that_is_full_is_one_sentence(words: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = run(words, stdout=full)
    assert (done.returncode, done.stderr) == (2, "parlour: The output can't be written: No space left on device.\n")


def test_a_command_without_streams_does_what_it_can() -> None:
    shell = f"{sys.executable} -c 'from parlour.cli.app import main; main()'"
    done = subprocess.run(["bash", "-c", f"{shell} play kuhn --plain <&-"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    done = subprocess.run(["bash", "-c", f"{shell} games >&- 2>&-"], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "encoding"),
    [("rules dividha", "ascii"), pytest.param("rules diamonds", "cp1252", marks=pytest.mark.long)],
)
def test_characters_that_the_output_does_not_know_are_replaced(words: str, encoding: str) -> None:
    done = run(words, env={**os.environ, "PYTHONIOENCODING": encoding}, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("audit ./adir", "There is no game in './adir': no module ./adir.rules can be imported."),
        ("rules ..kuhn", "There is no game in '..kuhn': no module ..kuhn.rules can be imported."),
        ("simulate kuhn --threads 100000", "--threads must be at most 256, not 100000."),
        ("load --seconds inf", "--seconds must be at most 86400, not inf."),
        ("load --seconds 0", "--seconds must be at least 1, not 0."),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, error = parlour_says(words, monkeypatch, capsys)
    assert (code, error) == (2, f"parlour: {sentence}\n")


@pytest.mark.parametrize(
    "words",
    the_rest_long(
        ["rules parlour.shelf.kuhn KU-1", "play parlour.shelf.kuhn --plain"], ["play parlour.shelf.kuhn --plain"]
    ),
)
def test_a_dotted_name_works_in_every_command(words: str) -> None:
    done = run(words)
    assert (done.returncode, done.stderr) == (0, "")
