package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.device.FileArena;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** {@code idla bench tensors} with small networks that really train. */
class TensorsCommandIT {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--slow-directory=" + folder, "--report=" + report()));
    CommandLine line = new CommandLine(new TensorsCommand());
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(all.toArray(String[]::new));
  }

  private Path report() {
    return folder.resolve("report.json");
  }

  private JsonNode numbers() throws IOException {
    return new ObjectMapper().readTree(report().toFile());
  }

  @ParameterizedTest
  @CsvSource({"vgg-s, inject, EMULATED", "lstm-s, virtual, SIMULATED", "mlp, real, REAL"})
  void everyModel_trainsToTheSameBitsUnderEveryPolicy(String model, String clock, String label)
      throws IOException {
    int code =
        run(
            "--model=" + model,
            "--fast=0.6",
            "--undersized",
            "--scale=0.04",
            "--clock=" + clock,
            "--steps=3",
            "--turns=2",
            "--warm-ups=1");
    assertThat(code).as(err.toString()).isZero();
    JsonNode json = numbers();
    assertThat(json.path("model").asText()).isEqualTo(model);
    assertThat(json.path("label").asText()).isEqualTo(label);
    assertThat(json.path("fastBytes").asDouble() / json.path("peakBytes").asDouble())
        .isCloseTo(0.6, within(0.01));
    assertThat(json.path("policies")).hasSize(ComparedPolicy.values().length);
    assertThat(json.path("policies").get(0).path("timesAllFast").asDouble()).isEqualTo(1);
    assertThat(json.has("timesAllFast")).isEqualTo(!clock.equals("virtual"));
    for (JsonNode row : json.path("policies")) {
      String policy = row.path("policy").asText();
      assertThat(row.path("digest")).as(policy).isEqualTo(json.path("unplacedDigest"));
      assertThat(row.path("steps").asInt()).isEqualTo(4);
      assertThat(row.path("highWaterBytes").asLong())
          .isLessThanOrEqualTo(row.path("budgetBytes").asLong());
      assertThat(row.path("intervalSeconds").get(0).asDouble())
          .isLessThanOrEqualTo(row.path("stepSeconds").asDouble());
      assertThat(row.path("timesAllFast").asDouble())
          .isBetween(
              row.path("timesAllFastInterval").get(0).asDouble(),
              row.path("timesAllFastInterval").get(1).asDouble());
      assertThat(out.toString()).contains(policy);
      if (policy.equals(ComparedPolicy.AUTO.key())) {
        String followed = row.path("plan").path("follows").asText();
        assertThat(followed).isNotEmpty();
        assertThat(out.toString()).contains(policy + " follows " + followed);
      }
    }
    long moved = bytes(json.path("policies").get(1));
    assertThat(json.path("lowerBoundBytes").asLong()).isBetween(1L, moved);
    assertThat(out.toString()).contains("lower bound").doesNotContain("DIFFERENT");
  }

  @Test
  void aFilePastThePageCache_trainsToTheSameBits_andIsNamed() throws IOException {
    try {
      FileArena.check(folder);
    } catch (IOException refused) {
      assumeTrue(false, refused.getMessage());
    }
    int code =
        run(
            "--model=mlp",
            "--fast=0.8",
            "--policy=all-fast,all-slow,cached-arrays,auto",
            "--slow-access=direct",
            "--scale=0.04",
            "--clock=real",
            "--steps=3",
            "--turns=1",
            "--warm-ups=1");
    assertThat(code).as(err.toString()).isZero();
    JsonNode json = numbers();
    assertThat(json.path("label").asText()).isEqualTo("REAL");
    assertThat(err.toString()).contains("of file past the page cache in " + folder);
    for (JsonNode row : json.path("policies")) {
      assertThat(row.path("digest")).isEqualTo(json.path("unplacedDigest"));
    }
    assertThat(bytes(json.path("policies").get(1))).as("moved by all-slow").isPositive();
  }

  /** The networks with the most layers, which take the longest. */
  @ParameterizedTest
  @Tag("stress")
  @CsvSource({
    "resnet-s, virtual, SIMULATED",
    "densenet-s, virtual, SIMULATED",
    "inception-s, virtual, SIMULATED"
  })
  void everyModel_ofManyLayers_trainsToTheSameBits(String model, String clock, String label)
      throws IOException {
    everyModel_trainsToTheSameBitsUnderEveryPolicy(model, clock, label);
  }

  @ParameterizedTest
  @CsvSource({"vgg-s, 0.5", "vgg-s, 0.1", "lstm-s, 1", "lstm-s, 0.2", "mlp, 0.5", "mlp, 0.1"})
  void anyBudget_leavesTheBitsOfEveryPolicyAlone(String model, double fast) throws IOException {
    int code =
        run(
            "--model=" + model,
            "--fast=" + fast,
            "--undersized",
            "--scale=0.04",
            "--clock=virtual",
            "--steps=2",
            "--turns=1",
            "--warm-ups=1");
    assertThat(code).as(err.toString()).isZero();
    JsonNode json = numbers();
    assertThat(json.path("fastBytes").asDouble() / json.path("peakBytes").asDouble())
        .isCloseTo(fast, within(0.01));
    assertThat(json.path("policies")).hasSize(ComparedPolicy.values().length);
    long moved = 0;
    for (JsonNode row : json.path("policies")) {
      assertThat(row.path("digest"))
          .as(row.path("policy").asText())
          .isEqualTo(json.path("unplacedDigest"));
      boolean improved = row.path("policy").asText().equals(ComparedPolicy.CACHED_ARRAYS.key());
      moved += improved ? bytes(row) : 0;
    }
    // With all of the peak in DRAM something may move all the same: free bytes lie scattered.
    assertThat(moved > 0 || fast == 1).as("%,d bytes moved", moved).isTrue();
  }

  /** Budgets between these, and the networks with the most layers, which take the longest. */
  @ParameterizedTest
  @Tag("stress")
  @CsvSource({
    "vgg-s, 1",
    "vgg-s, 0.2",
    "lstm-s, 0.5",
    "lstm-s, 0.1",
    "mlp, 1",
    "mlp, 0.2",
    "resnet-s, 1",
    "resnet-s, 0.5",
    "resnet-s, 0.2",
    "resnet-s, 0.1",
    "densenet-s, 1",
    "densenet-s, 0.5",
    "densenet-s, 0.2",
    "densenet-s, 0.1",
    "inception-s, 1",
    "inception-s, 0.5",
    "inception-s, 0.2",
    "inception-s, 0.1"
  })
  void anyBudget_ofMoreNetworks_leavesTheBitsOfEveryPolicyAlone(String model, double fast)
      throws IOException {
    anyBudget_leavesTheBitsOfEveryPolicyAlone(model, fast);
  }

  private static long bytes(JsonNode row) {
    return row.path("bytesFastToSlow").asLong()
        + row.path("bytesSlowToFast").asLong()
        + row.path("slowReadBytes").asLong()
        + row.path("slowWrittenBytes").asLong();
  }

  @Test
  void aBudgetBelowTheLargestKernel_isRefusedWithBothSizes() {
    assertThat(run("--model=mlp", "--fast=64KiB", "--scale=0.02", "--policy=all-slow"))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains("--fast: the budget is 65,536 bytes")
        .contains("--undersized");
    assertThat(report()).doesNotExist();
  }

  @Test
  void aRecordedStep_isReadAsItWasMeasured() throws IOException {
    Path step = folder.resolve("step.json");
    int code =
        run(
            "--model=mlp",
            "--fast=1",
            "--scale=0.02",
            "--policy=all-fast",
            "--clock=virtual",
            "--steps=1",
            "--warm-ups=0",
            "--record=" + step);
    assertThat(code).as(err.toString()).isZero();
    double seconds = TaskGraphFile.read(step).fastNanos() / 1e9;
    assertThat(seconds).isPositive();
    assertThat(numbers().path("policies").get(0).path("stepSeconds").asDouble())
        .isCloseTo(seconds, within(1e-9));
  }

  @ParameterizedTest
  @EnumSource(
      value = ReferenceNet.class,
      names = {"VGG_S", "LSTM_S", "MLP"})
  void aReplay_movesWhatTrainingMoves(ReferenceNet net) throws Exception {
    for (String fast : List.of("0.6", "0.2")) {
      assertReplayMovesTheSame(net, FastBudget.parse(fast));
    }
  }

  @ParameterizedTest
  @Tag("stress")
  @EnumSource(
      value = ReferenceNet.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"VGG_S", "LSTM_S", "MLP"})
  void aReplay_ofALargeNetwork_movesWhatTrainingMoves(ReferenceNet net) throws Exception {
    aReplay_movesWhatTrainingMoves(net);
  }

  /** All policies but one that tries periods in its first steps, of which training has more. */
  private static List<ComparedPolicy> replayable() {
    return Arrays.stream(ComparedPolicy.values())
        .filter(each -> each != ComparedPolicy.REDL)
        .toList();
  }

  private void assertReplayMovesTheSame(ReferenceNet net, FastBudget fast) throws Exception {
    NetScale scale = new NetScale(0.04);
    TensorPlan plan =
        new TensorPlan(
            net,
            scale,
            4,
            fast,
            replayable(),
            ClockKind.VIRTUAL,
            new TensorPlan.Schedule(6, 2, 1),
            true,
            folder,
            FileAccess.MAPPED);
    TaskGraph graph = TensorBench.trainee(plan).recorded();
    TensorBench.Outcome outcome = new TensorBench(plan, graph, line -> {}).run();
    Map<String, Long> trained = new TreeMap<>();
    Map<String, Long> replayed = new TreeMap<>();
    for (PolicyRow row : outcome.rows()) {
      trained.put(row.name(), row.perStep(StepTraffic::bytes));
      replayed.put(row.name(), Math.round(replayed(graph, row, outcome) / 3.0));
    }
    assertThat(replayed).as("%s with %s", net, fast).isEqualTo(trained);
  }

  private static long replayed(TaskGraph graph, PolicyRow row, TensorBench.Outcome outcome)
      throws InterruptedException {
    return ReplayBench.run(graph, row, outcome.devices().fast().speed(), 1, 3).bytes();
  }
}
