"""The sizes that blocks come in: what they are called, and what a command line says of them."""

__all__ = ["SIZES", "chosen", "named"]

SIZES = {"width": "bytes a beat", "slots": "slots", "flows": "flows"}
"""What a size is called in command lines and results → what it counts."""


def named(name: str, word: str, size: int) -> str:
    """The name of block ``name`` at a size, for example ``parser_w8``."""
    return f"{name}_{word[0]}{size}"


def chosen(word: str, **sizes: int | None) -> int | None:
    """Of the ``sizes`` that a command line may give, that of a block whose size is its ``word``.

    Raises ``ValueError`` where another one is given.
    """
    for other, given in sizes.items():
        if other != word and given is not None:
            raise ValueError(f"{other} {given} is not for a block whose size is its {word}")
    return sizes.get(word)
