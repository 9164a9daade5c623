package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.capacity.bound.TrafficBound;
import io.idlalayer.middleware.capacity.bound.TrafficBound.Granularity;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelloader.nd4j.Dl4jRuntime;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The numbers of a run as JSON and as a table. Counts are means per step. */
final class TensorReport {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MEBI = 1 << 20;

  private final TensorPlan plan;
  private final TaskGraph graph;
  private final TensorBench.Outcome outcome;
  private final Bounds bounds;

  TensorReport(TensorPlan plan, TaskGraph graph, TensorBench.Outcome outcome) {
    this.plan = plan;
    this.graph = graph;
    this.outcome = outcome;
    bounds = Bounds.of(graph, outcome);
  }

  /**
   * Lower bounds that hold for every placement of a step. Computing them takes long, so a report
   * computes them once.
   *
   * @param bytes traffic of the slow device in bytes, if whole tensors move
   * @param lineBytes traffic of the slow device in bytes, if lines of a cache move
   * @param seconds duration of a step
   */
  private record Bounds(long bytes, long lineBytes, double seconds) {
    static Bounds of(TaskGraph graph, TensorBench.Outcome outcome) {
      long fastBytes = outcome.fastBytes();
      DeviceSpeed slow = outcome.devices().slowSpeed();
      return new Bounds(
          TrafficBound.bytes(graph, fastBytes, Granularity.OBJECTS),
          TrafficBound.bytes(graph, fastBytes, Granularity.LINES),
          TrafficBound.nanos(graph, fastBytes, slow, TierModel.DEFAULT) / NANOS_PER_SECOND);
    }
  }

  /**
   * Returns the policies whose trained parameters differ from the parameters of training without
   * placement.
   */
  List<String> wrong() {
    List<String> expected = outcome.plain().digests();
    String right = expected.get(0);
    List<String> wrong = new ArrayList<>();
    List<PolicyRow> all = new ArrayList<>(outcome.rows());
    all.add(outcome.plain());
    for (PolicyRow row : all) {
      if (row.digests().stream().anyMatch(digest -> !digest.equals(right))) {
        wrong.add(row.name());
      }
    }
    return wrong;
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("model", plan.net().key());
    json.put("fastBytes", outcome.fastBytes());
    json.put("peakBytes", graph.peakBytes());
    json.put("clock", plan.clock().name().toLowerCase(Locale.ROOT));
    json.put("label", plan.clock().label());
    json.put("batch", plan.batch());
    json.put("scale", plan.scale().factor());
    json.put("turns", plan.schedule().turns());
    json.put("warmUps", plan.schedule().warmUps());
    json.put("engine", Dl4jRuntime.describe());
    json.put("kernels", graph.kernels().size());
    json.put("largestKernelBytes", graph.largestKernelBytes());
    json.put("recordedStepSeconds", graph.fastNanos() / NANOS_PER_SECOND);
    json.put("unplacedSeconds", outcome.plain().medianSeconds());
    json.put("unplacedIntervalSeconds", outcome.plain().intervalSeconds());
    times(json, outcome.plain());
    overheadMicros().ifPresent(micros -> json.put("placementMicrosPerKernel", micros));
    json.put("unplacedDigest", outcome.plain().digests().get(0));
    json.put("lowerBoundBytes", bounds.bytes());
    json.put("lowerBoundLineBytes", bounds.lineBytes());
    json.put("lowerBoundSeconds", bounds.seconds());
    json.put("deviceProfile", devices());
    json.put("policies", outcome.rows().stream().map(this::row).toList());
    return json;
  }

  private void times(Map<String, Object> json, PolicyRow row) {
    timesAllFast(row)
        .ifPresent(
            times -> {
              json.put("timesAllFast", Repeats.median(times));
              json.put("timesAllFastInterval", Repeats.interval(times));
            });
  }

  /**
   * Returns the times of a row divided by the times of {@code all-fast}. Empty for training without
   * placement under a virtual clock, because its wall time cannot be compared with virtual time.
   */
  private Optional<double[]> timesAllFast(PolicyRow row) {
    if (row == outcome.plain() && plan.clock() == ClockKind.VIRTUAL) {
      return Optional.empty();
    }
    return allFast().map(row::timesOf);
  }

  private Optional<PolicyRow> allFast() {
    return outcome.rows().stream()
        .filter(row -> row.name().equals(ComparedPolicy.ALL_FAST.key()))
        .findFirst();
  }

  private Map<String, Object> devices() {
    Map<String, Object> devices = new LinkedHashMap<>();
    devices.put("fast", device(outcome.devices().fast(), outcome.devices().fast().speed()));
    devices.put("slow", device(outcome.devices().slow(), outcome.devices().slowSpeed()));
    devices.put("slowMeasured", device(outcome.devices().slow(), outcome.devices().slow().speed()));
    return devices;
  }

  private static Map<String, Object> device(DeviceProfile profile, DeviceSpeed speed) {
    Map<String, Object> device = new LinkedHashMap<>();
    device.put("medium", profile.medium());
    device.put("measured", profile.measured().path().words());
    device.put("readBytesPerSecond", speed.readBytesPerSecond());
    device.put("writeBytesPerSecond", speed.writeBytesPerSecond());
    device.put("readLatencyNanos", speed.readLatencyNanos());
    device.put("writeLatencyNanos", speed.writeLatencyNanos());
    return device;
  }

  private static boolean lines(String policy) {
    return policy.equals(ComparedPolicy.TWO_LEVEL_MEMORY.key())
        || policy.equals(ComparedPolicy.TWO_LEVEL_MEMORY_M.key());
  }

  private Map<String, Object> row(PolicyRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("policy", row.name());
    json.put("stepSeconds", row.medianSeconds());
    json.put("intervalSeconds", row.intervalSeconds());
    times(json, row);
    json.put("slowReadBytesPerSecond", row.slowSpeed().readBytesPerSecond());
    json.put("slowWriteBytesPerSecond", row.slowSpeed().writeBytesPerSecond());
    json.put("bytesFastToSlow", row.perStep(StepTraffic::bytesFastToSlow));
    json.put("bytesSlowToFast", row.perStep(StepTraffic::bytesSlowToFast));
    json.put("hits", row.perStep(StepTraffic::hits));
    json.put("stallsSeconds", row.perStep(StepTraffic::stallNanos) / NANOS_PER_SECOND);
    json.put("digest", row.digests().get(row.digests().size() - 1));
    json.put("slowReadBytes", row.perStep(StepTraffic::slowReadBytes));
    json.put("slowWrittenBytes", row.perStep(StepTraffic::slowWrittenBytes));
    json.put("misses", row.perStep(StepTraffic::misses));
    json.put("hitUnit", lines(row.name()) ? "lines" : "arguments");
    json.put("timeOf", lines(row.name()) ? "kernels" : "step");
    json.put("forcedEvictions", row.perStep(StepTraffic::forcedEvictions));
    json.put("avoidedWriteBackBytes", row.perStep(StepTraffic::avoidedWriteBackBytes));
    json.put("actions", actions(row));
    row.planUse().ifPresent(use -> json.put("plan", plan(use)));
    json.put("highWaterBytes", row.highWaterBytes());
    json.put("budgetBytes", row.budgetBytes());
    json.put("steps", row.steps());
    return json;
  }

  /** Returns the mean actions of a step, by the reason that the policy gave. */
  private static Map<String, Object> actions(PolicyRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    double steps = row.turnSteps();
    row.actions()
        .forEach(
            (reason, cost) -> {
              Map<String, Object> action = new LinkedHashMap<>();
              action.put("done", cost.done() / steps);
              action.put("refused", cost.refused() / steps);
              action.put("expectedSeconds", cost.expectedNanos() / steps / NANOS_PER_SECOND);
              action.put("seconds", cost.nanos() / steps / NANOS_PER_SECOND);
              json.put(words(reason), action);
            });
    return json;
  }

  private static Map<String, Object> plan(PlanUse use) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("follows", use.planner());
    json.put("predictedSeconds", use.predictedNanos() / NANOS_PER_SECOND);
    json.put("measuredSeconds", use.measuredNanos() / NANOS_PER_SECOND);
    json.put("unplannedSeconds", use.unplannedNanos() / NANOS_PER_SECOND);
    json.put("refused", new TreeMap<>(use.refused()));
    return json;
  }

  private static String words(Reason reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void printActions(PrintWriter out) {
    out.printf(
        "%-20s %-16s %12s %12s %12s %12s%n",
        "policy", "why it acted", "actions", "refused", "expected ms", "took ms");
    for (PolicyRow row : outcome.rows()) {
      double steps = row.turnSteps();
      row.actions()
          .forEach(
              (reason, cost) ->
                  out.printf(
                      Locale.ROOT,
                      "%-20s %-16s %12.1f %12.1f %12.3f %12.3f%n",
                      row.name(),
                      words(reason),
                      cost.done() / steps,
                      cost.refused() / steps,
                      cost.expectedNanos() / steps / NANOS_PER_MILLI,
                      cost.nanos() / steps / NANOS_PER_MILLI));
    }
  }

  private static void printPlan(PrintWriter out, String policy, PlanUse use) {
    out.printf(
        Locale.ROOT,
        "%s follows %s: a step was predicted to take %.3f ms, and took %.3f ms; without a plan"
            + " %.3f ms%n",
        policy,
        use.planner(),
        use.predictedNanos() / NANOS_PER_MILLI,
        use.measuredNanos() / NANOS_PER_MILLI,
        use.unplannedNanos() / NANOS_PER_MILLI);
    new TreeMap<>(use.refused())
        .forEach((planner, reason) -> out.printf("  not %s: %s%n", planner, reason));
  }

  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%s, batch %d: %d kernels, peak %,.1f MiB, fast %,.1f MiB (%.1f %%), %s%n",
        plan.net().key(),
        plan.batch(),
        graph.kernels().size(),
        graph.peakBytes() / MEBI,
        outcome.fastBytes() / MEBI,
        100.0 * outcome.fastBytes() / graph.peakBytes(),
        plan.clock().label());
    out.printf(
        "%-20s %9s %19s %24s %10s %10s %10s %10s %7s %8s %9s%n",
        "policy",
        "s/step",
        "95 % interval",
        "times all-fast",
        "out MiB",
        "in MiB",
        "read MiB",
        "write MiB",
        "hits %",
        "stall s",
        "bits");
    PolicyRow plain = outcome.plain();
    out.printf(
        Locale.ROOT,
        "%-20s %9.4f %19s %24s%n",
        "(not placed, wall time)",
        plain.medianSeconds(),
        interval(plain),
        times(plain));
    List<String> wrong = wrong();
    for (PolicyRow row : outcome.rows()) {
      out.printf(
          Locale.ROOT,
          "%-20s %9.4f %19s %24s %10.2f %10.2f %10.2f %10.2f %7.2f %8.4f %9s%n",
          row.name(),
          row.medianSeconds(),
          interval(row),
          times(row),
          row.perStep(StepTraffic::bytesFastToSlow) / MEBI,
          row.perStep(StepTraffic::bytesSlowToFast) / MEBI,
          row.perStep(StepTraffic::slowReadBytes) / MEBI,
          row.perStep(StepTraffic::slowWrittenBytes) / MEBI,
          hitPercent(row),
          row.perStep(StepTraffic::stallNanos) / NANOS_PER_SECOND,
          wrong.contains(row.name()) ? "DIFFERENT" : "equal");
    }
    out.printf(
        Locale.ROOT,
        "lower bound for a step: %.2f MiB through the slow device (lines: %.2f MiB), %.4f s%n",
        bounds.bytes() / MEBI,
        bounds.lineBytes() / MEBI,
        bounds.seconds());
    overheadMicros()
        .ifPresent(
            micros ->
                out.printf(
                    Locale.ROOT,
                    "placement takes %.1f us a kernel (all-fast less not placed)%n",
                    micros));
    printActions(out);
    outcome.rows().forEach(row -> row.planUse().ifPresent(use -> printPlan(out, row.name(), use)));
    out.println(
        "out, in: copies from and to the fast device; read, write: by kernels on the slow device;"
            + System.lineSeparator()
            + "hits: arguments of kernels that lie on the fast device;"
            + System.lineSeparator()
            + "two-level-memory: lines that its cache moves, hits among its lines, and the time of"
            + " kernels alone"
            + System.lineSeparator()
            + "actions, refused, expected, took: of a step; copies in the background from when they"
            + " were asked for, so with what they waited for others");
    out.flush();
  }

  /** Returns the cost of placement for each kernel if nothing moves, in microseconds. */
  private Optional<Double> overheadMicros() {
    if (plan.clock() == ClockKind.VIRTUAL) {
      return Optional.empty();
    }
    return allFast()
        .map(
            fast ->
                (fast.medianSeconds() - outcome.plain().medianSeconds())
                    * MICROS_PER_SECOND
                    / graph.kernels().size());
  }

  private static double hitPercent(PolicyRow row) {
    double hits = row.perStep(StepTraffic::hits);
    return 100 * hits / (hits + row.perStep(StepTraffic::misses));
  }

  private String times(PolicyRow row) {
    return timesAllFast(row)
        .map(
            times ->
                String.format(
                    Locale.ROOT,
                    "%.3f (%s)",
                    Repeats.median(times),
                    range(Repeats.interval(times), 3)))
        .orElse("");
  }

  private static String interval(PolicyRow row) {
    return range(row.intervalSeconds(), 4);
  }

  private static String range(double[] bounds, int digits) {
    String number = "%." + digits + "f";
    return String.format(Locale.ROOT, number + " .. " + number, bounds[0], bounds[1]);
  }
}
