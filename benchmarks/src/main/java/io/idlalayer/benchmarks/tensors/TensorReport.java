package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.memory.DeviceProfile;
import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.TierModel;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.TaskGraph;
import io.idlalayer.middleware.placement.trace.StepTraffic;
import io.idlalayer.middleware.placement.trace.TrafficBound;
import io.idlalayer.middleware.placement.trace.TrafficBound.Granularity;
import io.idlalayer.modelcontroller.training.Dl4jRuntime;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The numbers of a run as JSON and as a table. Counts are means of a step. */
final class TensorReport {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MEBI = 1 << 20;

  private final TensorPlan plan;
  private final TaskGraph graph;
  private final TensorBench.Outcome outcome;

  TensorReport(TensorPlan plan, TaskGraph graph, TensorBench.Outcome outcome) {
    this.plan = plan;
    this.graph = graph;
    this.outcome = outcome;
  }

  /** Policies whose parameters are not those of plain training. */
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

  private long bound(Granularity granularity) {
    return TrafficBound.bytes(graph, outcome.fastBytes(), granularity);
  }

  private double boundSeconds() {
    return TrafficBound.nanos(
            graph, outcome.fastBytes(), outcome.devices().slowSpeed(), TierModel.DEFAULT)
        / NANOS_PER_SECOND;
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
    json.put("warmUps", plan.warmUps());
    json.put("engine", Dl4jRuntime.describe());
    json.put("kernels", graph.kernels().size());
    json.put("largestKernelBytes", graph.largestKernelBytes());
    json.put("recordedStepSeconds", graph.fastNanos() / NANOS_PER_SECOND);
    json.put("plainFitSeconds", outcome.plain().medianSeconds());
    json.put("plainFitIntervalSeconds", outcome.plain().intervalSeconds());
    json.put("plainFitDigest", outcome.plain().digests().get(0));
    json.put("lowerBoundBytes", bound(Granularity.OBJECTS));
    json.put("lowerBoundLineBytes", bound(Granularity.LINES));
    json.put("lowerBoundSeconds", boundSeconds());
    json.put("deviceProfile", devices());
    json.put("policies", outcome.rows().stream().map(this::row).toList());
    return json;
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
    device.put("readBytesPerSecond", speed.readBytesPerSecond());
    device.put("writeBytesPerSecond", speed.writeBytesPerSecond());
    device.put("readLatencyNanos", speed.readLatencyNanos());
    device.put("writeLatencyNanos", speed.writeLatencyNanos());
    return device;
  }

  private static boolean lines(String policy) {
    return policy.equals(PlacementName.TWO_LEVEL_MEMORY.key())
        || policy.equals(PlacementName.TWO_LEVEL_MEMORY_M.key());
  }

  private Map<String, Object> row(PolicyRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("policy", row.name());
    json.put("stepSeconds", row.medianSeconds());
    json.put("intervalSeconds", row.intervalSeconds());
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
    json.put("highWaterBytes", row.highWaterBytes());
    json.put("budgetBytes", row.budgetBytes());
    json.put("steps", row.steps());
    return json;
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
        "%-20s %9s %19s %10s %10s %10s %10s %8s %9s%n",
        "policy",
        "s/step",
        "95 % interval",
        "out MiB",
        "in MiB",
        "read MiB",
        "write MiB",
        "stall s",
        "bits");
    PolicyRow plain = outcome.plain();
    out.printf(
        Locale.ROOT,
        "%-20s %9.4f %19s%n",
        "(fit, wall time)",
        plain.medianSeconds(),
        interval(plain));
    List<String> wrong = wrong();
    for (PolicyRow row : outcome.rows()) {
      out.printf(
          Locale.ROOT,
          "%-20s %9.4f %19s %10.2f %10.2f %10.2f %10.2f %8.4f %9s%n",
          row.name(),
          row.medianSeconds(),
          interval(row),
          row.perStep(StepTraffic::bytesFastToSlow) / MEBI,
          row.perStep(StepTraffic::bytesSlowToFast) / MEBI,
          row.perStep(StepTraffic::slowReadBytes) / MEBI,
          row.perStep(StepTraffic::slowWrittenBytes) / MEBI,
          row.perStep(StepTraffic::stallNanos) / NANOS_PER_SECOND,
          wrong.contains(row.name()) ? "DIFFERENT" : "equal");
    }
    out.printf(
        Locale.ROOT,
        "lower bound for a step: %.2f MiB through the slow device (lines: %.2f MiB), %.4f s%n",
        bound(Granularity.OBJECTS) / MEBI,
        bound(Granularity.LINES) / MEBI,
        boundSeconds());
    out.println(
        "out, in: copies from and to the fast device; read, write: by kernels on the slow device;"
            + System.lineSeparator()
            + "two-level-memory: lines that its cache moves, and the time of kernels alone");
    out.flush();
  }

  private static String interval(PolicyRow row) {
    double[] interval = row.intervalSeconds();
    return String.format(Locale.ROOT, "%.4f .. %.4f", interval[0], interval[1]);
  }
}
