"""Paths to fields inside of events, such as `user.age`, `items[0].price` or `attributes["a.b"]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

from .errors import MalformedEventError
from .numbers import shown

Step = Union[str, int]

_MOST_STEPS = 64
_MOST_DIGITS = 9
_ENDS = '.[]"'


class Absent:
    """What is at a path that an event does not have; `reason` says which step is not there."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


#: The value of a field that a JSON text names more than once.
TWICE = object()


def once(field: str, value: Any) -> Any:
    """The value of a field; raises MalformedEventError if the event names it more than once."""
    if value is TWICE:
        raise MalformedEventError(field, "named twice")
    return value


def parse(name: str) -> Optional[tuple[Step, ...]]:
    """The steps of a path; None for a plain name, or one that is not written as a path is."""
    if "." not in name and "[" not in name:
        return None
    steps: list[Step] = []
    at = 0
    while at < len(name):
        if name[at] == "[":
            end = _bracket(name, at, steps)
        elif not steps or name[at] == ".":
            end = _named(name, at if not steps else at + 1, steps)
        else:
            return None
        if end < 0 or len(steps) > _MOST_STEPS:
            return None
        at = end
    single = len(steps) < 2 and not name.startswith("[")
    return None if single or not isinstance(steps[0], str) else tuple(steps)


def _named(name: str, start: int, steps: list[Step]) -> int:
    end = start
    while end < len(name) and name[end] not in _ENDS:
        end += 1
    if end == start:
        return -1
    steps.append(name[start:end])
    return end


def _bracket(name: str, start: int, steps: list[Step]) -> int:
    if name[start + 1 : start + 2] == '"':
        return _quotation(name, start + 2, steps)
    end = name.find("]", start)
    digits = name[start + 1 : end] if end >= 0 else ""
    if not digits or len(digits) > _MOST_DIGITS or not (digits.isascii() and digits.isdigit()):
        return -1
    steps.append(int(digits))
    return end + 1


def _quotation(name: str, start: int, steps: list[Step]) -> int:
    text: list[str] = []
    at = start
    while at < len(name):
        if name[at] == '"':
            steps.append("".join(text))
            return at + 2 if name[at + 1 : at + 2] == "]" else -1
        if name[at] == "\\":
            at += 1
            if at == len(name):
                return -1
        text.append(name[at])
        at += 1
    return -1


def beginning(steps: tuple[Step, ...]) -> str:
    """Steps as they are written."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step and not any(each in _ENDS for each in step):
            text += f".{step}" if text else step
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text


def find(event: Mapping[str, Any], name: str, steps: tuple[Step, ...]) -> Any:
    """What an event has at a path: a value, or Absent.

    Raises MalformedEventError if the path leads through a value of another kind.
    """
    value: Any = event
    for count, step in enumerate(steps):
        if value is None:
            return Absent(f"missing; the event has null at {shown(beginning(steps[:count]))}")
        inner = isinstance(value, (list, tuple)) if isinstance(step, int) else _is_object(value)
        if not inner:
            raise MalformedEventError(name, _wrong(steps[:count], value))
        try:
            value = value[step]
        except (KeyError, IndexError):
            return Absent(f"missing; the event has no {shown(beginning(steps[: count + 1]))}")
        once(str(step), value)
    return value


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _wrong(steps: tuple[Step, ...], value: Any) -> str:
    at = shown(beginning(steps))
    if _is_object(value):
        return f"{at} is an object; a position leads into arrays only"
    if isinstance(value, (list, tuple)):
        return f"{at} is an array; a position such as [0] must follow in the path"
    return f"{at} is a single value, but the path leads into it"
