package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.report.DecisionFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplayCommandTest {
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private JsonNode replay(Object... more) throws IOException {
    Path report = folder.resolve("out").resolve("replay.json");
    Object[] parts = Stream.concat(Stream.of("replay --report", report), Stream.of(more)).toArray();
    idla.printed(parts);
    return new ObjectMapper().readTree(Files.readString(report));
  }

  private static JsonNode rule(JsonNode report, String name) {
    for (JsonNode rule : report.get("rules")) {
      if (rule.get("rule").asText().equals(name)) {
        return rule;
      }
    }
    throw new AssertionError(name + " is not in " + report);
  }

  @Test
  void replay_moreArrivalsThanAnArrayHolds_isRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("counts.txt"), "2000000000\n1\n2000000000\n");
    idla.assertUsage(
        "counts.txt holds 4,000,000,001 arrivals, and at most 2,147,483,639 are replayed",
        "replay --epsilon 1 --arrivals",
        List.of(file));
  }

  @Test
  void replay_pipe_isRefusedBecauseAFileIsReadTwice() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path file : List.of(pipe, folder, folder.resolve("none"))) {
      assertThat(idla.run("replay --epsilon 1 --arrivals", file)).isEqualTo(2);
      assertThat(idla.err())
          .contains(
              "--arrivals "
                  + file
                  + ": this is not a file that can be read; folders and pipes are not read");
    }
  }

  @Test
  void replay_page_saysWhatTheReportSays() throws IOException {
    Path arrivals = file("t1", "0\n1\n2\n3\n10\n11\n12\n13\n");
    Path page = folder.resolve("out").resolve("savings.html");
    JsonNode report =
        replay("--arrivals", arrivals, "--epsilon 1 --weight 6 --price 3 --page", page);
    assertThat(idla.out()).contains("page: " + page);
    assertThat(Files.readString(page))
        .contains("t1: 8 events over 13 s.")
        .contains("<td>%d</td>".formatted(rule(report, "adaptive").get("updates").asLong()))
        .contains(
            String.format(
                Locale.ROOT,
                "the rule costs %.2f times",
                rule(report, "adaptive").get("totalRatio").asDouble()));
  }

  @Test
  void replay_optionsThatDoNotGoTogether_areRefused() throws IOException {
    Path arrivals = file("t1", "0\n1\n");
    idla.assertUsage("give either --arrivals FILE or --topic TOPIC", "replay --epsilon 1");
    idla.assertUsage(
        "give either --arrivals FILE or --topic TOPIC",
        "replay --epsilon 1 --topic t --arrivals",
        List.of(arrivals));
    idla.assertUsage("--topic needs --bootstrap-servers HOST:PORT", "replay --epsilon 1 --topic t");
    idla.assertUsage(
        "--bootstrap-servers and --kafka-properties work with --topic only",
        "replay --epsilon 1 --bootstrap-servers h:1 --arrivals",
        List.of(arrivals));
    idla.assertUsage(
        "--format, --application and --skip-updates work with --arrivals only",
        "replay --epsilon 1 --topic t --bootstrap-servers h:1 --format seconds");
    idla.assertUsage("--epsilon is missing", "replay --topic t --bootstrap-servers h:1");
    idla.assertUsage(
        "--price is for the page: say where to write it with --page",
        "replay --epsilon 1 --price 1 --arrivals",
        List.of(arrivals));
  }

  @Test
  void replay_numbersOfJavaOnly_areRefused() throws Exception {
    Path arrivals = file("t1", "0\n1\n2\n");
    for (String option :
        List.of("--period 1d", "--period 0x1p3", "--count 1f", "--lambda 1d", "--weight 1f")) {
      assertThat(idla.run("replay --epsilon 1 --arrivals", arrivals, option))
          .as(option)
          .isEqualTo(2);
      assertThat(idla.err())
          .as(option)
          .contains(option.substring(0, option.indexOf(' ')))
          .contains("'" + option.substring(option.indexOf(' ') + 1) + "'");
    }
  }

  @Test
  void replay_workedExampleOfTheDissertation_givesItsCosts() throws IOException {
    Path arrivals = file("t1", "0\n1\n2\n3\n10\n11\n12\n13\n");
    JsonNode report =
        replay("--arrivals", arrivals, "--lambda 0.05 --epsilon 1 --weight 6 --machine many");
    assertThat(report.get("machine").asText()).isEqualTo("many");
    assertThat(report.get("arrivals").asLong()).isEqualTo(8);
    assertThat(report.get("optimum").get("cost").asDouble()).isCloseTo(36.0, within(1e-6));
    assertThat(rule(report, "dla").get("cost").asDouble()).isCloseTo(42.4, within(1e-6));
    assertThat(rule(report, "dla").get("totalRatio").asDouble()).isCloseTo(42.4 / 36, within(1e-6));
    assertThat(rule(report, "dla").get("updates").asLong()).isEqualTo(2);
    assertThat(rule(report, "dla").get("machineSeconds").asDouble()).isCloseTo(2.4, within(1e-9));
    assertThat(report.get("rules").size()).isEqualTo(10);
    for (JsonNode each : report.get("rules")) {
      assertThat(each.get("totalRatio").asDouble()).isGreaterThanOrEqualTo(1 - 1e-6);
      assertThat(each.get("p99LatencySeconds").asDouble())
          .isGreaterThanOrEqualTo(each.get("meanLatencySeconds").asDouble() * 0.9);
      assertThat(each.has("controllableRatio")).isTrue();
    }
    assertThat(idla.out()).contains("best schedule possible, exact").contains("adaptive");
  }

  @Test
  void replay_bestPeriod_costsNoMoreThanAGivenOne() throws IOException {
    Path arrivals =
        file(
            "steady",
            IntStream.range(0, 500).mapToObj(String::valueOf).collect(Collectors.joining("\n")));
    String costs = "--epsilon 2 --weight 50 --rules periodic";
    double best = cost(arrivals, costs, "best");
    assertThat(idla.out()).contains("best in hindsight");
    for (String period : List.of("1", "10", "14.5", "30")) {
      assertThat(best).isLessThanOrEqualTo(cost(arrivals, costs, period) * 1.001);
    }
  }

  private double cost(Path arrivals, String costs, String period) throws IOException {
    return rule(replay("--arrivals", arrivals, costs, "--period", period), "periodic")
        .get("cost")
        .asDouble();
  }

  @Test
  void replay_badInput_isExplained() throws IOException {
    String some = "replay --arrivals " + file("some", "0.5\n1.5\n");
    String none = "replay --arrivals " + folder.resolve("none");
    String empty = "replay --arrivals " + file("empty", "");
    idla.assertUsage("this is not a file", none, "--epsilon 1");
    idla.assertUsage("--epsilon is missing", some);
    idla.assertUsage("must not be negative", some, "--epsilon -1");
    idla.assertUsage(
        "there is no rule 'x', only dla, area, adaptive", some, "--epsilon 1 --rules dla,x");
    idla.assertUsage("neither 'best' nor a number", some, "--epsilon 1 --period often");
    idla.assertUsage("there is no format 'csv', only seconds", some, "--epsilon 1 --format csv");
    idla.assertUsage("holds no arrival", empty, "--epsilon 1");
  }

  private static DecisionEvent event(
      DecisionEvent.Type type,
      long updates,
      @Nullable UpdateRecord view,
      @Nullable ArrivalTimes at) {
    Status status = ExampleEvents.status(ExampleEvents.received(0), updates);
    return new DecisionEvent(1, type, "app", 0, 1, status, view, "", at, null, null, null);
  }

  private static UpdateRecord update(long number, long firedAtMillis) {
    return ExampleEvents.published(number, new UpdateRecord.Published(number, 1), firedAtMillis, 2);
  }

  @Test
  void replay_decisionLog_replaysItsRun() throws IOException {
    Path log = folder.resolve("decisions.jsonl");
    try (DecisionFile decisions = new DecisionFile(log)) {
      // The second update was undone by a restore and fired again with one sample more.
      decisions.add(
          fired(1, 11_000, new ArrivalTimes(10_000, new long[] {0, 500}, new int[] {1, 1})));
      decisions.add(event(DecisionEvent.Type.PUBLISHED, 1, update(1, 11_000), null));
      decisions.add(fired(2, 21_000, new ArrivalTimes(20_000, new long[] {0}, new int[] {1})));
      decisions.add(event(DecisionEvent.Type.PUBLISHED, 2, update(2, 21_000), null));
      decisions.add(event(DecisionEvent.Type.RESTORED, 1, null, null));
      decisions.add(fired(2, 22_000, new ArrivalTimes(20_000, new long[] {0}, new int[] {2})));
      decisions.add(event(DecisionEvent.Type.PUBLISHED, 2, update(2, 22_000), null));
      decisions.add(event(DecisionEvent.Type.STATUS, 2, null, null));
    }
    JsonNode report = replay("--arrivals", log, "--rules area");
    assertThat(report.get("arrivals").asLong()).isEqualTo(4);
    assertThat(report.get("epsilonSeconds").asDouble()).isEqualTo(0.4);
    assertThat(report.get("weight").asDouble()).isEqualTo(10);
    JsonNode recorded = rule(report, "recorded area");
    // Latencies 1.5 + 1.0 and 2 * 2.5, machine 2 * 0.5 s at weight 10.
    assertThat(recorded.get("cost").asDouble()).isCloseTo(7.5 + 10, within(1e-9));
    assertThat(recorded.get("updates").asLong()).isEqualTo(2);
    assertThat(recorded.get("meanLatencySeconds").asDouble()).isCloseTo(7.5 / 4, within(1e-9));
    JsonNode rest = replay("--arrivals", log, "--rules area --skip-updates 1");
    assertThat(rest.get("arrivals").asLong()).isEqualTo(2);
    assertThat(rule(rest, "recorded area").get("cost").asDouble()).isCloseTo(5 + 5, within(1e-9));
    assertThat(idla.run("replay --arrivals", log, "--skip-updates 2")).isEqualTo(2);
  }

  @Test
  void arrivalsInParts_areReplayedToTheLast() throws IOException {
    Path log = folder.resolve("parts.jsonl");
    long[] millis = LongStream.rangeClosed(1, 9_000).map(i -> 10_000 + i).toArray();
    try (DecisionFile decisions = new DecisionFile(log)) {
      DecisionEvent.Type type = DecisionEvent.Type.FIRED;
      for (ArrivalTimes part : ArrivalTimes.of(millis).split()) {
        decisions.add(event(type, 0, update(1, 19_500), part));
        decisions.add(event(type, 0, update(1, 19_500), part));
        type = DecisionEvent.Type.ARRIVALS;
      }
      decisions.add(event(DecisionEvent.Type.PUBLISHED, 1, update(1, 19_500), null));
    }
    assertThat(Files.readAllLines(log)).hasSize(7);
    JsonNode report = replay("--arrivals", log, "--rules area");
    assertThat(report.get("arrivals").asLong()).isEqualTo(9_000);
    // From 10.001 s to 19 s, trained at 20 s.
    assertThat(rule(report, "recorded area").get("meanLatencySeconds").asDouble())
        .isCloseTo(20 - (10.001 + 19) / 2, within(1e-9));
  }

  private static DecisionEvent fired(long number, long atMillis, ArrivalTimes arrivals) {
    return event(DecisionEvent.Type.FIRED, number - 1, update(number, atMillis), arrivals);
  }

  @Test
  void replay_logThatIsCut_isReplayedToThere() throws IOException {
    Path log = folder.resolve("cut.jsonl");
    try (DecisionFile decisions = new DecisionFile(log)) {
      decisions.add(
          fired(1, 11_000, new ArrivalTimes(10_000, new long[] {0, 500}, new int[] {1, 1})));
      decisions.add(event(DecisionEvent.Type.PUBLISHED, 1, update(1, 11_000), null));
      decisions.add(fired(2, 21_000, new ArrivalTimes(20_000, new long[] {0}, new int[] {1})));
    }
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, bytes.length - 9));
    assertThat(replay("--arrivals", log, "--rules area").get("arrivals").asLong()).isEqualTo(2);
    assertThat(idla.err()).contains("note: ", "cut.jsonl:3: the last line has no end");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    }
    Path gzip = folder.resolve("cut.jsonl.gz");
    Files.write(gzip, Arrays.copyOf(packed.toByteArray(), packed.size() - 8));
    assertThat(replay("--arrivals", gzip, "--rules area").get("arrivals").asLong()).isEqualTo(2);
    assertThat(idla.err()).contains("cut.jsonl.gz: the gzip data ends too early");
  }

  @Test
  void replay_damagedLog_isNamed() throws IOException {
    Path log = file("broken.jsonl", "{\"formatVersion\":1}\n");
    assertThat(idla.run("replay --arrivals", log)).isEqualTo(1);
    assertThat(idla.err()).contains("broken.jsonl");
  }
}
