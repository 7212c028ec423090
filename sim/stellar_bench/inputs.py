"""What a run is given from outside, its seed and its corpus: read alike by the command and pytest.

Both come as text, from an option or from the environment; ``ValueError`` quotes what is wrong and
says what would be right.
"""

from pathlib import Path

__all__ = ["DEFAULT_SEED", "captures", "read_corpus", "read_seed"]

DEFAULT_SEED = 1
SEED_LIMIT = 2**32
SUFFIXES = (".pcap", ".pcapng")


def read_seed(text: str | None) -> int:
    """The seed that ``text`` names; ``None`` or empty: the default."""
    if not text:
        return DEFAULT_SEED
    if not (text.isascii() and text.isdigit() and int(text) < SEED_LIMIT):
        raise ValueError(f"{text!r} is no seed; give a decimal number from 0 to {SEED_LIMIT - 1}")
    return int(text)


def read_corpus(text: str | None) -> Path | None:
    """The folder of captures that ``text`` names; ``None`` or empty: no corpus."""
    if not text:
        return None
    folder = Path(text).resolve()
    if not folder.is_dir() or not captures(folder):
        raise ValueError(
            f"{text!r} is no folder with *.pcap or *.pcapng files in it; "
            "name one, or unset it to leave the corpus out"
        )
    return folder


def captures(folder: Path) -> list[Path]:
    """The captures that stand in ``folder`` itself, by name."""
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
