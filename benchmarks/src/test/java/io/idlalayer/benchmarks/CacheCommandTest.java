package io.idlalayer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code idla bench cache} as people call it. */
class CacheCommandTest {
  private static final int KEYS = 200;
  private static final int REFERENCES = 4_000;

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = BenchMain.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  /** Every key in turn, so that hit ratios are known: an LRU smaller than the loop never hits. */
  private String loop() throws IOException {
    Path trace = folder.resolve("loop.txt");
    Files.writeString(
        trace,
        IntStream.range(0, REFERENCES)
            .mapToObj(i -> Integer.toString(i % KEYS))
            .collect(Collectors.joining("\n")));
    return trace.toString();
  }

  private JsonNode report(String... arguments) throws IOException {
    Path report = folder.resolve("report.json");
    String[] all = new String[arguments.length + 6];
    System.arraycopy(arguments, 0, all, 6, arguments.length);
    System.arraycopy(
        new String[] {"cache", "--trace", loop(), "--repeats", "1", "--report=" + report},
        0,
        all,
        0,
        6);
    assertThat(run(all)).as(err.toString()).isZero();
    return new ObjectMapper().readTree(report.toFile());
  }

  @Test
  void aShareOfTheKeys_isReportedInEntries() throws IOException {
    JsonNode report = report("--capacity", "10%", "--policies", "lru,belady,caffeine");

    assertThat(report.get("trace").asText()).isEqualTo("loop.txt");
    assertThat(report.get("references").asInt()).isEqualTo(REFERENCES);
    assertThat(report.get("keys").asInt()).isEqualTo(KEYS);
    assertThat(report.get("capacity").asInt()).isEqualTo(KEYS / 10);
    JsonNode rows = report.get("policies");
    assertThat(rows)
        .extracting(row -> row.get("policy").asText())
        .containsExactly("lru", "belady", "caffeine");
    JsonNode lru = rows.get(0);
    assertThat(lru.get("hitRatio").asDouble()).isZero();
    assertThat(lru.get("nanosPerAccess").asDouble()).isPositive();
    assertThat(lru.get("bytesPerEntry").asDouble()).isPositive();
    JsonNode belady = rows.get(1);
    // 19 of its 20 places hit once a round, and one changes hands.
    assertThat(belady.get("hitRatio").asDouble()).isBetween(0.08, 0.1);
    assertThat(belady.get("nanosPerAccess").isNull()).isTrue();
    assertThat(belady.get("bytesPerEntry").isNull()).isTrue();
    assertThat(rows.get(2).get("nanosPerAccess").asDouble()).isPositive();
    assertThat(rows.get(2).get("bytesPerEntry").isNull()).isTrue();
    assertThat(out.toString())
        .contains("loop.txt: 4,000 references, 200 keys, capacity 20")
        .contains("hit ratio")
        .contains("belady");
  }

  @Test
  void severalCapacities_areAListInTheirOrder() throws IOException {
    JsonNode report = report("--capacity", "200,5%,100%", "--policies", "lru");

    assertThat(report)
        .extracting(each -> each.get("capacity").asInt())
        .containsExactly(200, 10, 200);
    assertThat(report.get(0).get("policies").get(0).get("hitRatio").asDouble()).isEqualTo(0.95);
    assertThat(report.get(1).get("policies").get(0).get("hitRatio").asDouble()).isZero();
  }

  @Test
  void allPolicies_areEveryOneThereIs() throws IOException {
    assertThat(report("--capacity", "20").get("policies"))
        .extracting(row -> row.get("policy").asText())
        .containsExactlyInAnyOrder(
            "lru", "paper", "srrip", "hand", "w-tiny-lfu", "adaptive", "caffeine", "belady");
  }

  @ParameterizedTest
  @CsvSource({
    "--capacity, 0, neither a number of entries nor a percentage",
    "--capacity, -5, neither a number of entries nor a percentage",
    "--capacity, 0.1%, neither a number of entries nor a percentage",
    "--capacity, NaN%, neither a number of entries nor a percentage",
    "--capacity, many, 'many' is neither a number of entries nor a percentage",
    "--capacity, 500000001, neither a number of entries nor a percentage",
    "--policies, fifo, 'fifo' is none of lru",
    "--repeats, 0, --repeats: at least 1",
    "--format, csv, csv"
  })
  void wrongOptions_areUsageErrorsThatNameTheValue(String option, String value, String message)
      throws IOException {
    String[] arguments = {
      "cache", "--trace", loop(), "--capacity", "10", "--policies", "lru", option, value
    };
    if (option.equals("--capacity")) {
      arguments[3] = "--repeats";
      arguments[4] = "1";
    } else if (option.equals("--policies")) {
      arguments[5] = "--repeats";
      arguments[6] = "1";
    }

    assertThat(run(arguments)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void aTraceThatCannotBeRead_isAnErrorOfOneLine() throws IOException {
    Path broken = Files.writeString(folder.resolve("broken"), "1\ntwo\n");

    assertThat(run("cache", "--trace", broken.toString(), "--capacity", "1")).isEqualTo(1);
    assertThat(err.toString().strip())
        .isEqualTo("error: " + broken + ":2: 'two' is not a reference of format keys");
  }

  @Test
  void formats_areKnownByTheirNames() throws IOException {
    Path trace = Files.writeString(folder.resolve("blocks"), "10 4 0 0\n10 4 0 1\n");

    assertThat(
            run(
                "cache",
                "--trace=" + trace,
                "--format=arc",
                "--capacity=4",
                "--repeats=1",
                "--policies=lru"))
        .isZero();
    assertThat(out.toString()).contains("8 references, 4 keys").contains("0.5000");
  }

  @Test
  void bareCommand_saysWhatThereIs() {
    assertThat(run()).isZero();
    assertThat(out.toString()).contains("idla bench").contains("cache");
  }
}
