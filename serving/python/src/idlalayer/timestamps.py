"""Reads time stamps in the notations that people and programs use, and takes parts of them.

ISO 8601, dates with slashes or points, mail, HTTP and access logs, and epoch numbers, whose size
says whether they count seconds or parts of them. A time without a zone is in UTC. Pure.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
import zoneinfo
from dataclasses import dataclass
from typing import Optional

from .numbers import java_strip, plain, shown

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_TIME = (
    r"(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:[.,](?P<f>\d+))?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
_BASIC_TIME = r"(?P<h>\d{2})(?P<m>\d{2})(?:(?P<s>\d{2})(?:[.,](?P<f>\d+))?)?(?P<half>(?!))?"
_ZONE = (
    " ?(?P<zone>z|utc|gmt|(?:utc|gmt)?[-+\u2212]\\d{1,2}(?::?\\d{2})?)?"
    "(?:\\[(?P<region>[\\w/+-]+)\\])?"
)


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


_FORMS = (
    _form(rf"(?P<y>\d{{4}})-(?P<mo>\d{{1,2}})-(?P<d>\d{{1,2}})(?:(?:t| +){_TIME}{_ZONE})?"),
    _form(rf"(?P<y>\d{{4}})/(?P<mo>\d{{1,2}})/(?P<d>\d{{1,2}})(?:(?:t| +){_TIME}{_ZONE})?"),
    _form(rf"(?P<d>\d{{1,2}})\.(?P<mo>\d{{1,2}})\.(?P<y>\d{{4}})(?:(?:t|,? +){_TIME}{_ZONE})?"),
    _form(rf"(?P<y>\d{{4}})(?P<mo>\d{{2}})(?P<d>\d{{2}})[t ]{_BASIC_TIME}{_ZONE}"),
    _form(rf"(?P<y>\d{{4}})(?P<mo>\d{{2}})(?P<d>\d{{2}})[t ]{_TIME}{_ZONE}"),
    _form(rf"(?P<y>\d{{4}})-(?P<mo>\d{{2}})-(?P<d>\d{{2}})[t ]{_BASIC_TIME}{_ZONE}"),
    _form(
        rf"(?:[a-z]{{3,9}}, ?)?(?P<d>\d{{1,2}})[ -]{_NAMED_MONTH}[ -](?P<y>\d{{4}})"
        rf"(?:,? +{_TIME}{_ZONE})?"
    ),
    _form(rf"(?P<d>\d{{2}})/{_NAMED_MONTH}/(?P<y>\d{{4}}):{_TIME}{_ZONE}"),
    _form(rf"(?:[a-z]{{3}} )?{_NAMED_MONTH} +(?P<d>\d{{1,2}}) {_TIME} (?P<y>\d{{4}}){_ZONE}"),
)
_DIGITS = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})(?:([0-9]{2})([0-9]{2})([0-9]{2}))?")
_EITHER_WAY = re.compile(r"\d{1,2}[/-]\d{1,2}[/-]\d{2,4}(?!\d)", re.ASCII)
_OTHER_YEAR = re.compile(
    "(?:[-+\u2212]\\d+|\\d{5,})[-/]\\d{1,2}[-/]\\d{1,2}(?!\\d)"
    "|\\d{1,2}\\.\\d{1,2}\\.(?!\\d{4}(?!\\d))\\d+",
    re.ASCII,
)
_TIME_ALONE = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?!\d)", re.ASCII)

_LONGEST = 100
_MOST_WHOLE_DIGITS = 30
_BILLION = 1_000_000_000
_DAY_NANOS = 86_400 * _BILLION
#: Epoch seconds of the year 2500; a larger number counts parts of seconds.
_LAST_SECOND = decimal.Decimal(16_725_225_600)
_MOST_OFFSET_MINUTES = 18 * 60
_NO_FORM = "it has none of the forms that are read, such as 2024-03-05T10:00:00Z and epoch seconds"
_BEYOND = "as a number of nanoseconds it is not in the years 1677 to 2262"
_EXACT = decimal.Context(prec=400)


class TimestampError(ValueError):
    """A text is not a time stamp; says why."""


@dataclass(frozen=True)
class Timestamp:
    """A time as it is written.

    day: days of its local date since 1970-01-01.
    nano_of_day: nanoseconds since its local midnight.
    offset_seconds: its offset from UTC.
    """

    day: int
    nano_of_day: int
    offset_seconds: int

    @property
    def date(self) -> tuple[int, int, int]:
        """Year, month and day of the month, of the Gregorian calendar."""
        return _civil(self.day)

    @property
    def epoch_seconds(self) -> float:
        """Seconds since 1970-01-01 in UTC."""
        seconds, nanos = divmod(self.nano_of_day, _BILLION)
        return (self.day * 86_400 + seconds - self.offset_seconds) + nanos * 1e-9

    def _part_of_day(self) -> float:
        return self.nano_of_day * 1e-9 / 86_400

    @property
    def weekday(self) -> int:
        """1 is Monday, 7 is Sunday."""
        return (self.day + 3) % 7 + 1

    def part(self, name: str) -> tuple[float, ...]:
        """The values of a part: one, or sine and cosine of a cycle."""
        passed = self._part_of_day()
        year, month, day = self.date
        if name == "SECONDS":
            return (self.epoch_seconds,)
        if name == "HOUR":
            return (24 * passed,)
        if name == "WEEKDAY":
            return (float(self.weekday),)
        if name == "DAY":
            return (float(day),)
        if name == "MONTH":
            return (float(month),)
        if name == "YEAR":
            return (float(year),)
        if name == "DAY_CYCLE":
            return _cycle(passed)
        if name == "WEEK_CYCLE":
            return _cycle((self.weekday - 1 + passed) / 7)
        day_of_year = self.day - _days(year, 1, 1)
        return _cycle((day_of_year + passed) / (366 if _is_leap(year) else 365))


#: Numbers that each part of a time stamp becomes.
PART_WIDTHS = {
    "SECONDS": 1,
    "HOUR": 1,
    "WEEKDAY": 1,
    "DAY": 1,
    "MONTH": 1,
    "YEAR": 1,
    "DAY_CYCLE": 2,
    "WEEK_CYCLE": 2,
    "YEAR_CYCLE": 2,
}


def _cycle(passed: float) -> tuple[float, float]:
    angle = 2 * math.pi * passed
    return math.sin(angle), math.cos(angle)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a date (Hinnant, chrono-compatible date algorithms)."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _civil(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * of_year + 2) // 153
    day = of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    return year_of_era + era * 400 + (month <= 2), month, day


def read(text: str) -> Timestamp:
    """Reads a time; raises TimestampError with the reason if a text is none."""
    trimmed = java_strip(text)
    if not trimmed:
        raise TimestampError("it is empty")
    if len(trimmed) > _LONGEST:
        raise TimestampError(f"it has {len(trimmed)} characters, and at most {_LONGEST} are read")
    number = plain(trimmed)
    if number is not None:
        return _of_number(number)
    for form in _FORMS:
        found = form.fullmatch(trimmed)
        if found:
            return _time(found)
    if _EITHER_WAY.match(trimmed):
        raise TimestampError("day and month cannot be told apart; write year-month-day")
    if _OTHER_YEAR.match(trimmed):
        raise TimestampError("a year has four digits and no sign, 0000 to 9999")
    if _TIME_ALONE.match(trimmed):
        raise TimestampError("it is a time of day without a date")
    raise TimestampError(_NO_FORM)


def _of_number(text: str) -> Timestamp:
    try:
        value = decimal.Decimal(text)
    except decimal.InvalidOperation as exponent:
        raise TimestampError(_BEYOND) from exponent
    count = _whole_digits(value)
    whole = count in (8, 14) and value == value.to_integral_value()
    digits = _DIGITS.fullmatch(str(int(value)) if whole else text)
    if not digits:
        return _epoch(value)
    try:
        day = _date(int(digits[1]), int(digits[2]), int(digits[3]))
        if digits[4] is None:
            return Timestamp(day, 0, 0)
        return Timestamp(day, _nanos(int(digits[4]), int(digits[5]), int(digits[6]), 0), 0)
    except TimestampError as no_date:
        raise TimestampError(
            f"{len(digits[0])} digits that begin with 19 or 20 are a date: {no_date}"
        ) from no_date


def _whole_digits(value: decimal.Decimal) -> int:
    return 0 if value == 0 else value.adjusted() + 1


def _epoch(number: decimal.Decimal) -> Timestamp:
    if _whole_digits(number) > _MOST_WHOLE_DIGITS:
        raise TimestampError(_BEYOND)
    value = number
    for _ in range(3):
        if abs(value) > _LAST_SECOND:
            value = value.scaleb(-3, _EXACT)
    if value == 0 or _whole_digits(value) < -9:
        nanos = 0
    else:
        scaled = _EXACT.multiply(value, decimal.Decimal(_BILLION))
        nanos = int(scaled.to_integral_value(decimal.ROUND_HALF_EVEN, _EXACT))
    if not -(1 << 63) <= nanos < 1 << 63:
        raise TimestampError(_BEYOND)
    day, of_day = divmod(nanos, _DAY_NANOS)
    return Timestamp(day, of_day, 0)


def _check(part: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise TimestampError(f"{part} {value} is not {least} to {most}")


def _date(year: int, month: int, day: int) -> int:
    _check("month", month, 1, 12)
    days = (31, 29 if _is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    if not 1 <= day <= days:
        raise TimestampError(f"day {day} is not 1 to {days}, the days of {year:04d}-{month:02d}")
    return _days(year, month, day)


def _nanos(hour: int, minute: int, second: int, nanos: int) -> int:
    if hour == 24:
        raise TimestampError("hour 24 is read as 24:00 only, the end of the day")
    _check("hour", hour, 0, 23)
    _check("minute", minute, 0, 59)
    _check("second", second, 0, 59)
    return ((hour * 60 + minute) * 60 + second) * _BILLION + nanos


def _time(found: re.Match[str]) -> Timestamp:
    parts = found.groupdict()
    if parts.get("name"):
        month = 1 + _MONTHS.index(parts["name"][:3].lower())
    else:
        month = int(parts["mo"])
    day = _date(int(parts["y"]), month, int(parts["d"]))
    if parts.get("h") is None:
        return _zoned(day, 0, parts)
    second = int(parts.get("s") or 0)
    if second != 60:
        return _zoned(*_time_of_day(parts, day, second), parts)
    before = _zoned(*_time_of_day(parts, day, 59), parts)
    in_utc = (before.nano_of_day // _BILLION - before.offset_seconds) % 86_400
    if in_utc // 60 != 23 * 60 + 59:
        raise TimestampError(
            "second 60 is not 0 to 59; it is a leap second at 23:59:60 in UTC only"
        )
    later = before.nano_of_day + _BILLION
    return Timestamp(before.day + later // _DAY_NANOS, later % _DAY_NANOS, before.offset_seconds)


def _time_of_day(parts: dict[str, Optional[str]], day: int, second: int) -> tuple[int, int]:
    minute = int(parts["m"] or 0)
    nanos = int(((parts.get("f") or "") + "0" * 9)[:9])
    hour = int(parts["h"] or 0)
    half = parts.get("half")
    if half is not None:
        if not 1 <= hour <= 12:
            raise TimestampError(f"hour {hour} is not 1 to 12, as before AM and PM")
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    if hour == 24 and minute == 0 and second == 0 and nanos == 0:
        return day + 1, 0
    return day, _nanos(hour, minute, second, nanos)


def _zoned(day: int, nanos: int, parts: dict[str, Optional[str]]) -> Timestamp:
    zone, region = parts.get("zone"), parts.get("region")
    if zone is not None:
        return Timestamp(day, nanos, _offset(zone))
    return Timestamp(day, nanos, 0) if region is None else _in_region(day, nanos, region)


def _in_region(day: int, nanos: int, region: str) -> Timestamp:
    try:
        zone = zoneinfo.ZoneInfo(region)
        local = datetime.datetime(*_civil(day), tzinfo=zone) + datetime.timedelta(
            seconds=nanos // _BILLION
        )
        offset = local.utcoffset() or datetime.timedelta()
        # A local time that clocks pass over becomes the one as much later as they are set forward.
        real = local.astimezone(datetime.timezone.utc).astimezone(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OverflowError, OSError) as unknown:
        raise TimestampError(
            f"zone {shown(region)} is not known; one is written like Europe/Berlin"
        ) from unknown
    after = real.utcoffset() or datetime.timedelta()
    moved = nanos + int((after - offset).total_seconds()) * _BILLION
    return Timestamp(day + moved // _DAY_NANOS, moved % _DAY_NANOS, int(after.total_seconds()))


def _offset(written: str) -> int:
    zone = written.lower().replace("\u2212", "-")
    if zone.startswith(("utc", "gmt")):
        zone = zone[3:]
    if zone in ("", "z"):
        return 0
    digits = zone[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    sign = -1 if zone[0] == "-" else 1
    _check("minute of the offset", minutes, 0, 59)
    if hours * 60 + minutes > _MOST_OFFSET_MINUTES:
        raise TimestampError(
            f"offset {'-' if sign < 0 else '+'}{hours}:{minutes:02d} is not -18:00 to +18:00"
        )
    return sign * (hours * 60 + minutes) * 60
