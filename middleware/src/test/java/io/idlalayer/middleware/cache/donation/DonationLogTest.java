package io.idlalayer.middleware.cache.donation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DonationLogTest {
  private static final String START = DonationLog.VERSION + "\n" + DonationLog.HEADER + "\n";

  private static List<DonationRow> read(String text) throws IOException {
    return DonationLog.read(new StringReader(text));
  }

  @Test
  void versionOne_isReadForEver() throws IOException {
    try (Reader in =
        new InputStreamReader(
            Objects.requireNonNull(getClass().getResourceAsStream("/donation/log-v1.csv")),
            StandardCharsets.UTF_8)) {
      assertThat(DonationLog.read(in))
          .containsExactly(
              new DonationRow(
                  "kmeans", 256, new Surroundings(4096, 2, 0.015, 30.5, 31.25, 4096, 4096), 30.125),
              new DonationRow("svd", 0, new Surroundings(4096, 4, 0, 1e-6, 0, 4096, 2048), 12));
    }
  }

  @Test
  void writtenRows_areReadBackBitForBit() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    List<DonationRow> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      double scale = Math.pow(10, random.nextInt(-300, 300));
      Surroundings at =
          new Surroundings(
              random.nextDouble() * scale,
              random.nextInt(1, 1000),
              random.nextDouble(),
              random.nextDouble(),
              random.nextInt(100),
              random.nextLong(1L << 60),
              Double.MIN_VALUE);
      rows.add(new DonationRow("click log é", random.nextInt(999), at, random.nextDouble()));
    }
    StringBuilder text = new StringBuilder();
    DonationLog.write(text, rows);
    assertThat(read(text.toString())).isEqualTo(rows);
    assertThat(read(START)).isEmpty();
    assertThat(read(text.toString().replace("\n", "\r\n"))).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a,NaN,1,1,0,0,0,0,0,1 | donation_mib is NaN; a finite number of 0 or more is due",
        "a,1,1,1,0,0,0,0,0,NaN | seconds is NaN; a finite number of 0 or more is due",
        "a,1,1,1,0,0,0,0,0,Infinity | seconds is Infinity; a finite number of 0 or more is due",
        "a,-1,1,1,0,0,0,0,0,1 | donation_mib is -1.0; a finite number of 0 or more is due",
        "a,1,1,0,0,0,0,0,0,1 | executors is 0; at least 1 is due",
        "a,1,1,1.5,0,0,0,0,0,1 | executors is 1.5, not a whole number",
        "a,1,1,NaN,0,0,0,0,0,1 | executors is NaN, not a whole number",
        "a,1,1,1,1.01,0,0,0,0,1 | gc_share is 1.01; 0 to 1 is due",
        "a,1,1,1,0,x,0,0,0,1 | seconds_1 is 'x', not a number",
        "a,1,1,1,0,,0,0,0,1 | seconds_1 is '', not a number",
        "a,1,1,1,0,0,0,0,0 | 9 values where 10 are due",
        "a,1,1,1,0,0,0,0,0,1,2 | 11 values where 10 are due",
        ",1,1,1,0,0,0,0,0,1 | job_type is blank",
      })
  void wrongLines_areNamed(String line, String problem) {
    String text = START + "ok,1,1,1,0,0,0,0,0,1\n\n" + line.strip() + "\n";
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(DonationLogException.class)
        .hasMessage("donation log, line 5: " + problem.strip())
        .extracting(e -> ((DonationLogException) e).line())
        .isEqualTo(5);
  }

  @Test
  void foreignFiles_areRefused() {
    assertThatThrownBy(() -> read("")).hasMessageContaining("line 1: '# idlalayer donation log");
    assertThatThrownBy(() -> read("a,b\n1,2\n")).hasMessageContaining("is this a donation log?");
    assertThatThrownBy(() -> read("# idlalayer donation log, version 2\n"))
        .hasMessageContaining("another version; this program reads 1");
    assertThatThrownBy(() -> read(DonationLog.VERSION + "\njob_type\n"))
        .hasMessageContaining("line 2: the header 'job_type,donation_mib");
    assertThatThrownBy(() -> read(START + "x".repeat(20_000)))
        .hasMessageContaining("line 3: 20000 characters are too many");
  }

  @Test
  void jobTypesThatWouldBreakALine_areNotWritten() {
    for (String type : new String[] {"a,b", "a\nb", "a\rb", "\"a\"", " a", "#a"}) {
      DonationRow row = new DonationRow(type, 1, Surroundings.steady(1, 1, 1), 1);
      assertThatThrownBy(() -> DonationLog.line(row)).hasMessageContaining("cannot be written");
    }
  }
}
