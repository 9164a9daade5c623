package io.idlalayer.jobs.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UnitsTest {
  @Test
  void bytes_ofEachUnit_areRead() {
    assertThat(Units.bytes("4GiB")).isEqualTo(4L << 30);
    assertThat(Units.bytes("4GB")).isEqualTo(4_000_000_000L);
    assertThat(Units.bytes("1.5 MiB")).isEqualTo(3L << 19);
    assertThat(Units.bytes("7B")).isEqualTo(7);
    assertThat(Units.bytes("2kB")).isEqualTo(2000);
    assertThat(Units.bytes("2KiB")).isEqualTo(2048);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "4",
        "GiB",
        "4gib",
        "4Gb",
        "-4GiB",
        "0GiB",
        "NaN",
        "NaNGiB",
        "1e400GiB",
        "2000TiB",
        "0.1B",
        "4,5GiB",
        "4GiB/s",
        "٤GiB",
        "1dGiB"
      })
  void bytes_ofAnythingElse_areRefused(String text) {
    assertThatThrownBy(() -> Units.bytes(text)).hasMessageStartingWith("'" + text + "'");
  }

  @Test
  void bytesPerSecond_anyUnit_areRead() {
    assertThat(Units.bytesPerSecond("2GB/s")).isEqualTo(2e9);
    assertThat(Units.bytesPerSecond("512MiB/s")).isEqualTo(512.0 * (1 << 20));
    assertThatThrownBy(() -> Units.bytesPerSecond("2GB")).hasMessageContaining("such as 2GB/s");
    assertThatThrownBy(() -> Units.bytesPerSecond("0GB/s")).hasMessageContaining("above 0");
    assertThatThrownBy(() -> Units.bytesPerSecond("-1GB/s")).hasMessageContaining("above 0");
    assertThatThrownBy(() -> Units.bytesPerSecond("1e9TB/s")).hasMessageContaining("any device");
  }

  @Test
  void latencyNanos_anyUnit_areRead() {
    assertThat(Units.latencyNanos("80us")).isEqualTo(80_000);
    assertThat(Units.latencyNanos("80µs")).isEqualTo(80_000);
    assertThat(Units.latencyNanos("0ns")).isZero();
    assertThat(Units.latencyNanos("4ms")).isEqualTo(4_000_000);
    assertThatThrownBy(() -> Units.latencyNanos("80")).hasMessageContaining("80us");
    assertThatThrownBy(() -> Units.latencyNanos("-1us")).hasMessageContaining("between");
    assertThatThrownBy(() -> Units.latencyNanos("1000s")).hasMessageContaining("between");
  }

  @Test
  void share_ofAPercentage_isItsHundredth() {
    assertThat(Units.share("10%")).isEqualTo(0.1);
    assertThat(Units.share("2.5 %")).isEqualTo(0.025);
    for (String wrong : new String[] {"10", "0%", "-1%", "NaN%", "1e9%"}) {
      assertThatThrownBy(() -> Units.share(wrong)).hasMessageStartingWith("'" + wrong + "'");
    }
  }

  @Test
  void time_ofAnyLength_hasItsUnit() {
    assertThat(Units.time(0.0000123)).isEqualTo("12.3 us");
    assertThat(Units.time(0.00123)).isEqualTo("1.23 ms");
    assertThat(Units.time(0.123)).isEqualTo("123.0 ms");
    assertThat(Units.time(1.5)).isEqualTo("1.50 s");
    assertThat(Units.time(1234)).isEqualTo("1,234 s");
    assertThat(Units.time(Double.NaN)).isEqualTo("-");
  }

  @Test
  void plannedLink_ofEthernetAndSpeeds_isRead() {
    assertThat(PlannedLink.read("10GbE")).isEqualTo(new PlannedLink("10GbE", 1, 1.25e9));
    assertThat(PlannedLink.read("2x25GbE")).isEqualTo(new PlannedLink("2x25GbE", 2, 3.125e9));
    assertThat(PlannedLink.read("1.25GB/s").bytesPerSecond()).isEqualTo(1.25e9);
    for (String wrong : new String[] {"", "10", "0GbE", "3x10GbE", "0x10GbE", "10Gbe", "-1GB/s"}) {
      assertThatThrownBy(() -> PlannedLink.read(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
