"""libsvm text by `split` and `float`: the twin of the native reader."""

import re

# `float` takes more than a decimal number: blanks around it, underscores, "nan", "infinity".
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Row = tuple[float, list[tuple[int, float]]]


class BadRowError(ValueError):
    """A row cannot be read; its one argument is the line, from 1."""


def number(word: bytes) -> float:
    if not _NUMBER.fullmatch(word):
        raise ValueError(word)
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise ValueError(word)
    return value


def rows(text: bytes) -> list[Row]:
    """Labels and sorted ``(index, value)`` pairs, indices as written; `BadRowError` at the first bad one."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    found = []
    for line_number, line in enumerate(text.split(b"\n"), start=1):
        line = line.partition(b"#")[0] if b"#" in line else line.removesuffix(b"\r")
        words = [word for word in re.split(rb"[ \t\x0b\x0c]+", line) if word]
        if words:
            try:
                found.append(_row(words))
            except ValueError as error:
                raise BadRowError(line_number) from error
    return found


def _row(words: list[bytes]) -> Row:
    label = number(words[0])
    rest = words[1:]
    if rest and rest[0].startswith(b"qid:"):
        if not re.fullmatch(rb"[+-]?[0-9]+", rest[0][4:]) or abs(int(rest[0][4:])) >= 2**63:
            raise ValueError(rest[0])
        rest = rest[1:]
    pairs = []
    while rest:
        index, colon, value = rest[0].partition(b":")
        rest = rest[1:]
        if not colon or not re.fullmatch(rb"[0-9]+", index) or int(index) >= 2**32:
            raise ValueError(index)
        if not value and rest:
            value, rest = rest[0], rest[1:]
        pairs.append((int(index), number(value)))
    pairs.sort(key=lambda pair: pair[0])
    if len({index for index, _ in pairs}) < len(pairs):
        raise ValueError("repeated")
    return label, pairs
