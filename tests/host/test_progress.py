"""The progress line: silent for short work, a few updates a second, gone at the end."""

import io
import time

import pytest

from stellar_sdk.progress import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield time.sleep(0.001)


@pytest.mark.parametrize("file", [io.StringIO(), Terminal()])
def test_short_work_is_silent(file):
    assert list(progress([3, 1, 2], label="parse", file=file)) == [3, 1, 2]
    with progress(label="simulate", total=5, file=file) as line:
        line.update(5)
    assert file.getvalue() == ""


def test_long_work_updates_a_few_times_a_second_on_a_terminal():
    begin, file = time.monotonic(), Terminal()
    count = sum(1 for _ in progress(work(0.8), label="parse", delay=0.1, file=file))
    shown = [text for text in file.getvalue().split("\r") if "parse" in text]
    assert 1 <= len(shown) <= (time.monotonic() - begin) / 0.25
    assert all("frames" in text for text in shown) and count > 50
    assert file.getvalue().endswith("\r") and not file.getvalue().split("\r")[-2].strip()


def test_log_gets_little():
    file = io.StringIO()
    for _ in progress(work(0.8), label="parse", delay=0.1, file=file):
        pass
    assert file.getvalue().count("parse") <= 1


def test_counted_work_shows_its_share():
    file = Terminal()
    with progress(label="simulate", unit="beats", total=4, delay=0.01, file=file) as line:
        for _ in range(2):
            time.sleep(0.3)
            line.update()
    assert "simulate:  25%" in file.getvalue() and "1/4" in file.getvalue()
    assert "50%" in file.getvalue()


def test_an_error_passes_and_clears_the_line():
    def broken():
        yield from work(0.4)
        raise ValueError("cut")

    file = Terminal()
    with pytest.raises(ValueError, match="cut"):
        for _ in progress(broken(), label="parse", delay=0.05, file=file):
            pass
    assert "parse" in file.getvalue() and not file.getvalue().split("\r")[-2].strip()
