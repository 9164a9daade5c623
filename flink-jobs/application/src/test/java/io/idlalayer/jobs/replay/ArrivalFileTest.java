package io.idlalayer.jobs.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ArrivalFileTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path folder;

  private ArrivalFile.Loaded read(String text, @Nullable ArrivalFormat format) throws IOException {
    Path file = folder.resolve("arrivals");
    Files.writeString(file, text);
    return ArrivalFile.read(file, format);
  }

  private static void assertTrace(ArrivalTrace trace, long[] nanos, int[] counts) {
    assertThat(trace.runs()).isEqualTo(nanos.length);
    for (int run = 0; run < nanos.length; run++) {
      assertThat(trace.timeNanos(run)).isEqualTo(nanos[run]);
      assertThat(trace.count(run)).isEqualTo(counts[run]);
    }
  }

  @Test
  void read_seconds_keepsNanosecondsAndSorts() throws IOException {
    ArrivalFile.Loaded loaded =
        read("1700000000.000000001\n\n# a comment\n1700000002.5\n1700000001\n1.7e9\n", null);
    assertThat(loaded.format()).isEqualTo(ArrivalFormat.SECONDS);
    assertThat(loaded.recognised()).isTrue();
    assertThat(loaded.outOfOrder()).isEqualTo(2);
    assertThat(loaded.lines()).isEqualTo(4);
    assertTrace(loaded.trace(), new long[] {0, 1, SECOND, 5 * SECOND / 2}, new int[] {1, 1, 1, 1});
  }

  @Test
  void read_numbersOfOtherDigitsOrWithoutEnd_areRefused() {
    for (String text : List.of("\uff11\uff12", "1_000", "1d", "0x1p3", "9".repeat(100_000))) {
      assertThatThrownBy(() -> read("1.5\n" + text + "\n", ArrivalFormat.SECONDS))
          .as(text)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("arrivals:2: ");
      assertThatThrownBy(() -> read("1\n" + text + "\n", ArrivalFormat.SECOND_COUNTS))
          .as(text)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("arrivals:2: ")
          .hasMessageContaining("expected a whole number of arrivals");
    }
  }

  @Test
  void read_arrivalsFurtherApartThanNanosecondsCount_areRefused() {
    assertThatThrownBy(() -> read("2024-01-01\n1700-01-01\n2024-01-02\n", null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            "arrivals: the first arrival and the last are more than 292 years apart");
  }

  @Test
  void read_secondCounts_lineNumberIsTheSecond() throws IOException {
    ArrivalFile.Loaded loaded = read("0\n3\n0\n2\n", null);
    assertThat(loaded.format()).isEqualTo(ArrivalFormat.SECOND_COUNTS);
    assertTrace(loaded.trace(), new long[] {0, 2 * SECOND}, new int[] {3, 2});
    assertThat(loaded.trace().arrivals()).isEqualTo(5);
  }

  @Test
  void read_timestampsOfEveryKind_areTheSameMoment() throws IOException {
    String[] ways = {
      "2023-11-16 18:17:03.5",
      "2023-11-16T18:17:03.500Z",
      "2023-11-16T19:17:03.5+01:00",
      "\"2023-11-16 18:17:03.5000000\"",
      "1700158623.5",
      "1700158623500",
      "1700158623500000",
      "1700158623500000000"
    };
    for (String way : ways) {
      ArrivalFile.Loaded loaded =
          read("time,size\n1700158623,1\n" + way + ",9\n", ArrivalFormat.TIMESTAMP_CSV);
      assertThat(loaded.trace().spanSeconds()).as(way).isEqualTo(0.5);
    }
  }

  @Test
  void read_timestampCounts_arriveTogether() throws IOException {
    ArrivalFile.Loaded loaded =
        read("timestamp,value\n2014-07-01 00:00:00,4\n2014-07-01 00:30:00,2\n", null);
    assertThat(loaded.format()).isEqualTo(ArrivalFormat.TIMESTAMP_COUNT_CSV);
    assertTrace(loaded.trace(), new long[] {0, 1800 * SECOND}, new int[] {4, 2});
  }

  @Test
  void read_accessLog_countsWhatIsOutOfOrder() throws IOException {
    String line =
        "1.2.3.4 - - [17/May/2015:10:05:%s +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x, y\"\n";
    ArrivalFile.Loaded loaded =
        read(line.formatted("43") + line.formatted("03") + line.formatted("43"), null);
    assertThat(loaded.format()).isEqualTo(ArrivalFormat.ACCESS_LOG);
    assertThat(loaded.outOfOrder()).isEqualTo(1);
    assertTrace(loaded.trace(), new long[] {0, 40 * SECOND}, new int[] {1, 2});
  }

  @Test
  void read_gzipWithoutItsSuffix_isDecompressed() throws IOException {
    Path file = folder.resolve("no-suffix");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("0.5\n1.5\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(ArrivalFile.read(file, null).trace().arrivals()).isEqualTo(2);
  }

  @Test
  void read_damagedGzip_saysWhatItIsAndThatNothingIsReplayed() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write("0.5\n1.5\n".getBytes(StandardCharsets.UTF_8));
    }
    Path file = folder.resolve("arrivals.gz");
    for (int missing : new int[] {4, 10, bytes.size() - 11}) {
      Files.write(file, Arrays.copyOf(bytes.toByteArray(), bytes.size() - missing));
      assertThatThrownBy(() -> ArrivalFile.read(file, null))
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining("arrivals.gz is cut off ")
          .hasMessageEndingWith("; nothing of it is replayed; copy the file again");
    }
    byte[] damaged = bytes.toByteArray();
    damaged[10] = 7;
    Files.write(file, damaged);
    assertThatThrownBy(() -> ArrivalFile.read(file, null))
        .hasMessageContaining("arrivals.gz is damaged before the end of its first line: its gzip")
        .hasMessageEndingWith("; nothing of it is replayed; copy the file again");
  }

  @Test
  void read_linesThatEndWithCarriageReturns_areRead() throws IOException {
    assertThat(read("0.5\r1.5\r", null).trace().arrivals()).isEqualTo(2);
    assertThat(read("0.5\r\n1.5\r\n", null).trace().arrivals()).isEqualTo(2);
  }

  @Test
  void read_timeThatIsNone_hasItsReason() {
    assertThatThrownBy(() -> read("t,a\n2024-02-30 10:00,b\n", ArrivalFormat.TIMESTAMP_CSV))
        .hasMessageEndingWith("): day 30 is not 1 to 29, the days of 2024-02");
    assertThatThrownBy(() -> read("t,a\n1600-01-01,b\n", ArrivalFormat.TIMESTAMP_CSV))
        .hasMessageEndingWith("): as a number of nanoseconds it is not in the years 1677 to 2262");
    assertThatThrownBy(() -> read("t,a\nyesterday,b\n", ArrivalFormat.TIMESTAMP_CSV))
        .hasMessageContaining("): it has none of the forms that are read, such as 2024-03-05T");
  }

  @Test
  void read_aTimeAndAUser_isOneArrivalEach() throws IOException {
    ArrivalFile.Loaded loaded =
        read("2024-03-05T10:00:00Z,1003\n2024-03-05T10:00:01Z,1001\n20240305T100002Z,7\n", null);
    assertThat(loaded.format()).isEqualTo(ArrivalFormat.TIMESTAMP_CSV);
    assertThat(loaded.trace().arrivals()).isEqualTo(3);
    ArrivalFile.Loaded asked = read("2024-03-05T10:00:00Z,3\n", ArrivalFormat.TIMESTAMP_COUNT_CSV);
    assertThat(asked.trace().arrivals()).isEqualTo(3);
  }

  @Test
  void read_offsetsWithoutColonAndAByteOrderMark_areRead() throws IOException {
    ArrivalFile.Loaded loaded =
        read("\ufefftime,who\n2024-03-05T10:00:00+0100,u0\n2024-03-05T10:00:01+0100,u1\n", null);
    assertThat(loaded.trace().arrivals()).isEqualTo(2);
    assertThat(loaded.trace().spanSeconds()).isEqualTo(1);
    assertThatThrownBy(() -> read("t,a\n03/05/2024 10:00,b\n4,c\n", ArrivalFormat.TIMESTAMP_CSV))
        .hasMessageContaining("day and month cannot be told apart");
  }

  @Test
  void read_emptyFile_givesAnEmptyTrace() throws IOException {
    assertThat(read("", null).trace().arrivals()).isZero();
    assertThat(read("# only a comment\n", null).trace().runs()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SECONDS|1.5;x|:2: 'x': expected a time in seconds (format seconds",
        "SECOND_COUNTS|3;-1|:2: '-1': expected a whole number of arrivals",
        "SECOND_COUNTS|3;1.5|:2: '1.5': expected a whole number of arrivals",
        "TIMESTAMP_CSV|t;2014-07-01 00:00:00,1;yesterday,1|:3: 'yesterday,1': expected a timestamp",
        "TIMESTAMP_COUNT_CSV|2014-07-01 00:00:00,1;2014-07-01 00:00:01|:2: '2014-07-01 00:00:01'",
        "ACCESS_LOG|1.2.3.4 - - nothing|:1: '1.2.3.4 - - nothing': expected a time such as ["
      })
  void read_malformedLine_isNamed(ArrivalFormat format, String lines, String message) {
    assertThatThrownBy(() -> read(lines.replace(";", "\n"), format))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("arrivals:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1;2;3|SECONDS",
        "1;2.5|SECONDS",
        "1709632801;1709632800|SECONDS",
        "1709632801000;1709632800000|TIMESTAMP_CSV",
        "5;5;5|SECOND_COUNTS",
        "5;3;9|SECOND_COUNTS",
        "2014-07-01,3;2014-07-02,4|TIMESTAMP_CSV",
        "2014-07-01 00:00:00,3;2014-07-02 00:00:00,4|TIMESTAMP_CSV",
        "2024-03-05T10:00:00Z,1003;2024-03-05T10:00:01Z,1004|TIMESTAMP_CSV",
        "2014-07-01 00:00:00,3.5;2014-07-02 00:00:00,4|TIMESTAMP_CSV",
        "when,what;1,2|TIMESTAMP_CSV",
        "when,requests;1,2|TIMESTAMP_COUNT_CSV",
        "{}|DECISION_LOG"
      })
  void recognise_everyFormat_isRecognised(String lines, ArrivalFormat expected) {
    assertThat(ArrivalFormat.recognise(java.util.List.of(lines.split(";", -1))))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "azure_llm_2023_code.csv.gz, TIMESTAMP_CSV, 8819, 0",
    "apache_logs_10k.log.gz, ACCESS_LOG, 10000, 1",
    "nab_Twitter_volume_AAPL.csv.gz, TIMESTAMP_COUNT_CSV, 1, 0",
    "twitter_2021-08_per_second_days01-14.txt.gz, SECOND_COUNTS, 76878572, 0"
  })
  void read_realFiles_areRecognised(String name, ArrivalFormat format, long least, long outOfOrder)
      throws IOException {
    String given = System.getenv("IDLA_DATA");
    Path file =
        (given == null ? Path.of("..", "..", "..", "shared", "data") : Path.of(given))
            .resolve("arrivals")
            .resolve(name);
    assumeTrue(Files.exists(file));
    ArrivalFile.Loaded loaded = ArrivalFile.read(file, null);
    assertThat(loaded.format()).isEqualTo(format);
    assertThat(loaded.trace().arrivals()).isGreaterThanOrEqualTo(least);
    assertThat(loaded.outOfOrder()).isGreaterThanOrEqualTo(outOfOrder);
  }
}
