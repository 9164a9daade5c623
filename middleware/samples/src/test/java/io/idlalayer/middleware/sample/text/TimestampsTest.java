package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Times in the usual notations. */
final class TimestampsTest {
  @Example
  void read_everyUsualForm_isTheSameMoment() {
    for (String text :
        List.of(
            "2024-03-05T10:00:00Z",
            "2024-03-05T11:00:00+0100",
            "2024-03-05T11:00:00+01",
            "2024-03-05T11:00:00 +01:00",
            "2024-03-05t10:00:00z",
            "2024-03-05 10:00:00 UTC",
            "2024-03-05T10:00Z",
            "2024-03-05 10:00",
            "2024-03-05 10:00:00,000",
            "2024-03-05 10:00:00.000000000",
            "2024-03-05T11:00:00+01:00[Europe/Berlin]",
            "2024-03-05T11:00:00[Europe/Berlin]",
            "2024-3-5 10:00:00",
            "2024/03/05 10:00:00",
            "05.03.2024 10:00",
            "5.3.2024, 10:00:00",
            "20240305T100000Z",
            "20240305T1000",
            "20240305T110000.0+0100",
            "2024-03-05T100000Z",
            "2024-03-05 10:00:00 AM",
            "Tue, 05 Mar 2024 10:00:00 GMT",
            "Tue, 5 Mar 2024 11:00:00 +0100",
            "05/Mar/2024:10:00:00 +0000",
            "Tue Mar  5 10:00:00 2024",
            "Mar 5 10:00:00 2024",
            "1709632800",
            "1709632800000",
            "1709632800000000",
            "1709632800000000000",
            "1.7096328e9",
            " 1709632800.0 ",
            "20240305100000")) {
      assertThat(Timestamps.nanos(text)).as(text).isEqualTo(1_709_632_800_000_000_000L);
    }
    assertThat(Timestamps.nanos("2024-03-05")).isEqualTo(1_709_596_800_000_000_000L);
    assertThat(Timestamps.nanos("20240305")).isEqualTo(1_709_596_800_000_000_000L);
    assertThat(Timestamps.nanos("2024-03-04T24:00")).isEqualTo(1_709_596_800_000_000_000L);
    assertThat(Timestamps.nanos("2024-03-05 12:00 am")).isEqualTo(1_709_596_800_000_000_000L);
    assertThat(Timestamps.nanos("-1")).isEqualTo(-1_000_000_000L);
  }

  @Example
  void read_whatIsNoTime_isRefused() {
    for (String text :
        List.of(
            "",
            "yesterday",
            "2024-13-05",
            "2024-02-30T10:00",
            "2024-03-05T25:00",
            "10:00:00",
            "2024-03-05T10:00:61",
            "1e400",
            "1e2147483647",
            "-1e2147483647",
            "1e99999999999",
            "1e-99999999999",
            "2024-03-05T10:00+99",
            "2024-03-05 13:00 PM",
            "1d",
            "0x1p3",
            "2024-03-05T10:00[Nowhere/City]")) {
      assertThatThrownBy(() -> Timestamps.read(text))
          .as(text)
          .isInstanceOf(DateTimeException.class);
    }
    assertThatThrownBy(() -> Timestamps.read("03/05/2024"))
        .hasMessage("day and month cannot be told apart; write year-month-day");
  }

  private static void assertRefused(String text, String reason) {
    assertThatThrownBy(() -> Timestamps.read(text))
        .as(text)
        .isInstanceOf(DateTimeException.class)
        .hasMessage(reason);
  }

  @Example
  void read_partsOutOfTheirRange_areRefusedInOurWords() {
    assertRefused("2024-13-05", "month 13 is not 1 to 12");
    assertRefused("2024-00-05", "month 0 is not 1 to 12");
    assertRefused("2024-02-30T10:00", "day 30 is not 1 to 29, the days of 2024-02");
    assertRefused("29 Feb 2023", "day 29 is not 1 to 28, the days of 2023-02");
    assertRefused("31.04.2024", "day 31 is not 1 to 30, the days of 2024-04");
    assertRefused("2024-03-00", "day 0 is not 1 to 31, the days of 2024-03");
    assertRefused("2024-03-05T25:00", "hour 25 is not 0 to 23");
    assertRefused("2024-03-05T10:60", "minute 60 is not 0 to 59");
    assertRefused("2024-03-05T10:00:61", "second 61 is not 0 to 59");
    assertRefused("2024-03-05 13:00 PM", "hour 13 is not 1 to 12, as before AM and PM");
    assertRefused("2024-03-05T10:00+99", "offset +99:00 is not -18:00 to +18:00");
    assertRefused("2024-03-05T10:00-18:01", "offset -18:01 is not -18:00 to +18:00");
    assertRefused("2024-03-05T10:00+0160", "minute of the offset 60 is not 0 to 59");
    assertRefused(
        "2024-03-05T10:00[Nowhere/City]",
        "zone 'Nowhere/City' is not known; one is written like Europe/Berlin");
    assertRefused(
        "20240230",
        "8 digits that begin with 19 or 20 are a date: day 30 is not 1 to 29, the days of 2024-02");
    assertRefused(
        "20240305106000",
        "14 digits that begin with 19 or 20 are a date: minute 60 is not 0 to 59");
  }

  @Example
  void read_whatHasNoForm_isRefusedWithTheFormsThatAreRead() {
    assertRefused(" ", "it is empty");
    assertRefused(
        "yesterday",
        "it has none of the forms that are read, such as 2024-03-05T10:00:00Z and epoch seconds");
    assertRefused("10:00:00", "it is a time of day without a date");
    assertRefused("x".repeat(101), "it has 101 characters, and at most 100 are read");
  }

  @Example
  void read_leapSecond_isTheFirstSecondOfTheNextDay() {
    OffsetDateTime next = OffsetDateTime.parse("2017-01-01T00:00Z");
    assertThat(Timestamps.read("2016-12-31T23:59:60Z")).isEqualTo(next);
    assertThat(Timestamps.read("20161231T235960Z")).isEqualTo(next);
    assertThat(Timestamps.read("2016-12-31T23:59:60.5Z")).isEqualTo(next.plusNanos(500_000_000));
    assertThat(Timestamps.read("2017-01-01T00:59:60+01:00"))
        .isEqualTo(OffsetDateTime.parse("2017-01-01T01:00+01:00"));
    for (String text : List.of("2016-12-31T23:58:60Z", "2016-12-31T23:59:60+01:00")) {
      assertRefused(text, "second 60 is not 0 to 59; it is a leap second at 23:59:60 in UTC only");
    }
  }

  @Example
  void read_dateOfDigitsAsAFraction_isTheDate() {
    for (String text : List.of("20240305", "20240305.0", "20240305.", "+20240305", "2.0240305e7")) {
      assertThat(Timestamps.read(text)).as(text).hasToString("2024-03-05T00:00Z");
    }
    assertThat(Timestamps.read("20240305100000.000")).hasToString("2024-03-05T10:00Z");
    assertRefused(
        "20240230.0",
        "8 digits that begin with 19 or 20 are a date: day 30 is not 1 to 29, the days of 2024-02");
  }

  @Example
  void read_hour24_isTheEndOfTheDayAndNothingElse() {
    OffsetDateTime next = OffsetDateTime.parse("2024-03-06T00:00Z");
    for (String text :
        List.of("2024-03-05 24:00", "2024-03-05T24:00:00.000Z", "20240305T240000Z")) {
      assertThat(Timestamps.read(text)).as(text).isEqualTo(next);
    }
    for (String text : List.of("2024-03-05T24:01", "2024-03-05T24:00:00.1", "20240305240000")) {
      assertThatThrownBy(() -> Timestamps.read(text))
          .as(text)
          .hasMessageEndingWith("hour 24 is read as 24:00 only, the end of the day");
    }
  }

  @Example
  void read_fractionBelowANanosecond_isDroppedInTextsAndRoundedInNumbers() {
    assertThat(Timestamps.nanos("1970-01-01T00:00:01.1234567899")).isEqualTo(1_123_456_789L);
    assertThat(Timestamps.nanos("1970-01-01T23:59:59.9999999999Z")).isEqualTo(86_399_999_999_999L);
    assertThat(Timestamps.nanos("1.1234567899")).isEqualTo(1_123_456_790L);
  }

  @Example
  void read_numbersBelow0_areBefore1970InTheirOwnUnit() {
    OffsetDateTime moment = OffsetDateTime.parse("1915-10-29T14:00Z");
    for (String text :
        List.of("-1709632800", "-1709632800000", "-1709632800000000", "-1709632800000000000")) {
      assertThat(Timestamps.read(text)).as(text).isEqualTo(moment);
    }
    assertThat(Timestamps.nanos("-0.000000001")).isEqualTo(-1);
  }

  @Example
  void read_yearsWithoutFourDigits_areRefused() {
    assertThat(Timestamps.read("0000-01-01").getYear()).isZero();
    assertThat(Timestamps.read("9999-12-31 23:59:59").getYear()).isEqualTo(9_999);
    for (String text :
        List.of("12024-03-05", "+2024-03-05T10:00", "-0001-03-05", "5.3.24", "05.03.24 10:00")) {
      assertRefused(text, "a year has four digits and no sign, 0000 to 9999");
    }
  }

  @Example
  void nanos_beyondTheirYears_isRefusedInOurWords() {
    String reason = "as a number of nanoseconds it is not in the years 1677 to 2262";
    for (String text :
        List.of(
            "1600-01-01", "2300-01-01", "9300000000", "1e400", "1e25", "-9.3e18", "1e9999999999")) {
      assertThatThrownBy(() -> Timestamps.nanos(text))
          .as(text)
          .isInstanceOf(DateTimeException.class)
          .hasMessage(reason);
    }
  }

  /** A few characters must not take seconds to read. */
  @Example
  void read_numbersWithTinyExponents_areTheEpoch() {
    OffsetDateTime epoch = OffsetDateTime.parse("1970-01-01T00:00Z");
    assertThat(Timestamps.read("1e-300000000")).isEqualTo(epoch);
    assertThat(Timestamps.read("-7e-2147483640")).isEqualTo(epoch);
    assertThat(Timestamps.read("0e2000000000")).isEqualTo(epoch);
    assertThat(Timestamps.seconds(new BigDecimal("1e-300000000"))).isZero();
    assertThatThrownBy(() -> Timestamps.seconds(new BigDecimal("1e300000000")))
        .isInstanceOf(DateTimeException.class);
  }

  @Example
  void read_spacesOfEveryKind_areIgnored() {
    OffsetDateTime noon = OffsetDateTime.parse("2024-03-05T10:00Z");
    for (String space : List.of(" ", "\u00a0", "\u202f", "\u0001")) {
      assertThat(Timestamps.read(space + "1709632800" + space)).isEqualTo(noon);
    }
  }

  @Property
  void read_whatAProgramWrites_isItsMoment(
      @ForAll @LongRange(min = 0, max = 4_102_444_799L) long second) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
    for (String pattern :
        List.of(
            "yyyy-MM-dd'T'HH:mm:ss",
            "yyyy-MM-dd HH:mm:ss.SSS",
            "yyyyMMdd'T'HHmmss",
            "yyyy/MM/dd HH:mm:ss",
            "dd.MM.yyyy HH:mm:ss",
            "EEE, dd MMM yyyy HH:mm:ss 'GMT'",
            "yyyy-MM-dd hh:mm:ss a")) {
      String text = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time);
      assertThat(Timestamps.nanos(text)).as(text).isEqualTo(second * 1_000_000_000L);
    }
  }
}
