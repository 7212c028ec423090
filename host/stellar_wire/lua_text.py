"""Lua as text: strings and small tables."""

__all__ = ["quoted", "table"]


def quoted(text: str) -> str:
    """``text`` as a Lua string; raises ``ValueError`` for text that would need more than quotes."""
    if not text.isascii() or not text.isprintable() or '"' in text or "\\" in text:
        raise ValueError(f"{text!r} cannot stand in a Lua string as it is")
    return f'"{text}"'


def table(values: dict) -> str:
    """A table of names or numbers to strings, numbers or ``True``."""
    return "{ " + ", ".join(f"{_key(key)} = {_value(v)}" for key, v in values.items()) + " }"


def _key(key: int | str) -> str:
    return f"[{key}]" if isinstance(key, int) else key


def _value(value: int | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else str(value)
