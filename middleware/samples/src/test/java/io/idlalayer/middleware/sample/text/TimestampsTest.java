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

  /** A few characters must not take seconds to read. */
  @Example
  void read_numbersWithTinyExponents_areTheEpoch() {
    OffsetDateTime epoch = OffsetDateTime.parse("1970-01-01T00:00Z");
    assertThat(Timestamps.read("1e-300000000")).isEqualTo(epoch);
    assertThat(Timestamps.read("-7e-2147483640")).isEqualTo(epoch);
    assertThat(Timestamps.read("0e2000000000")).isEqualTo(epoch);
    assertThat(Timestamps.seconds(new BigDecimal("1e-300000000"))).isZero();
    assertThatThrownBy(() -> Timestamps.seconds(new BigDecimal("1e300000000")))
        .isInstanceOf(ArithmeticException.class);
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
