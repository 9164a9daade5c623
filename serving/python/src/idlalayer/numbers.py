"""How texts write numbers, and numbers are written as texts. Independent of the locale."""

from __future__ import annotations

import math
import re
from typing import Optional

_PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LARGEST_FLOAT = 3.4028235677973366e38  # What rounds to more than the largest number of 32 bits.


#: What Java's Character.isWhitespace takes for white space: no space that forbids a line break
#: (U+00A0, U+2007, U+202F) and no U+0085, which str.strip() takes away.
_JAVA_WHITE_SPACE = (
    "\t\n\u000b\f\r\u001c\u001d\u001e\u001f\u0020\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)


def java_strip(text: str) -> str:
    """The text without the white space around it, as Java's String.strip; "" if it is blank."""
    return text.strip(_JAVA_WHITE_SPACE)


def is_space(character: str) -> bool:
    """Whether spaces of this kind may stand around a number, as the learner's NumberNotation."""
    return (character.isspace() and character != "\x85") or ("\0" < character <= " ")


def stripped(text: str) -> str:
    """The text without the spaces around it."""
    start, end = 0, len(text)
    while start < end and is_space(text[start]):
        start += 1
    while end > start and is_space(text[end - 1]):
        end -= 1
    return text[start:end]


def plain(text: str) -> Optional[str]:
    """The number that a text is, without the spaces around it; None if it is no number.

    A number is ``[+-]digits[.digits][e[+-]digits]`` with at least one digit before or after the
    point, whatever the locale.
    """
    word = stripped(text)
    return word if _PLAIN.fullmatch(word) else None


def read_number(text: str) -> float:
    """The nearest double of the number that a text is; NaN if it is none, infinite if too large."""
    word = plain(text)
    return math.nan if word is None else float(word)


def truth(text: str) -> float:
    """1 for a text that says true, 0 for one that says false, NaN for others."""
    word = java_strip(text)
    if word in ("true", "True", "TRUE"):
        return 1.0
    return 0.0 if word in ("false", "False", "FALSE") else math.nan


def finite32(value: float) -> bool:
    """Whether a number is finite also in 32 bits, in which networks compute."""
    return abs(value) < _LARGEST_FLOAT


def text_of(number: float) -> str:
    """The shortest decimal text of a number, as Java writes it: ids are hashed by their texts."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to this power.
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if 1e-3 <= abs(number) < 1e7:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        digits = digits.ljust(point, "0")
        return f"{sign}{digits[:point]}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


_SHOWN_CHARACTERS = 24
_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def shown(text: str) -> str:
    """A text in quotes, cut to its first characters, with those escaped that cannot be seen."""
    start = text[:_SHOWN_CHARACTERS]
    escaped = "".join(each if each.isprintable() else _escape(each) for each in start)
    return f"'{escaped}{'...' if len(text) > len(start) else ''}'"


def _escape(character: str) -> str:
    """The escape of a character in Java."""
    if character in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[character]
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
