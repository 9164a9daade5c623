package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.cli.plan.PlanResult.NodeRow;
import io.idlalayer.jobs.cli.plan.PlanResult.ProcessRow;
import io.idlalayer.jobs.cli.plan.PlanResult.Row;
import io.idlalayer.middleware.capacity.PagePlacement;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plan as a tree for JSON: {@code format}, {@code version}, {@code measured} with the label REAL,
 * {@code predicted} and {@code forecast} with the label SIMULATED. A number that is not known is
 * null.
 */
final class PlanJson {
  private static final int VERSION = 1;

  private PlanJson() {}

  static Map<String, @Nullable Object> tree(MeasuredPlan plan) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("format", "idla-plan");
    tree.put("version", VERSION);
    tree.put("application", plan.settings().name());
    tree.put("measured", measured(plan));
    tree.put("predicted", predicted(plan));
    tree.put("forecast", forecast(plan.result()));
    tree.put("remarks", plan.result().remarks());
    return tree;
  }

  private static Map<String, @Nullable Object> measured(MeasuredPlan plan) {
    MeasuredNetwork network = plan.network();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("label", "REAL");
    tree.put("rows", network.rows());
    tree.put("kernels", network.graph().kernels().size());
    tree.put("stepSeconds", network.stepSeconds());
    tree.put("peakBytes", network.graph().peakBytes());
    tree.put("largestKernelBytes", network.graph().largestKernelBytes());
    tree.put("parameterBytes", network.parameterBytes());
    MeasuredTraining training = network.training();
    tree.put("updateRows", training == null ? null : training.rows());
    tree.put("updateSeconds", training == null ? null : training.seconds());
    Map<String, @Nullable Object> devices = new LinkedHashMap<>();
    for (DeviceProfile profile : plan.profiles()) {
      Map<String, @Nullable Object> device = speed(profile.speed());
      device.put("medium", profile.medium());
      device.put("path", profile.measured().path().name());
      devices.put(profile.name(), device);
    }
    tree.put("devices", devices);
    return tree;
  }

  private static Map<String, @Nullable Object> speed(DeviceSpeed speed) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("readBytesPerSecond", speed.readBytesPerSecond());
    tree.put("writeBytesPerSecond", speed.writeBytesPerSecond());
    tree.put("readLatencyNanos", speed.readLatencyNanos());
    tree.put("writeLatencyNanos", speed.writeLatencyNanos());
    return tree;
  }

  private static Map<String, @Nullable Object> predicted(MeasuredPlan plan) {
    PlanResult result = plan.result();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("label", "SIMULATED");
    tree.put("needsSlowMemory", result.needsSlow());
    tree.put("eventsPerSecond", plan.request().eventsPerSecond());
    Map<String, @Nullable Object> given = new LinkedHashMap<>();
    for (PlannedDevice device : plan.devices()) {
      Map<String, @Nullable Object> each = speed(device.speed());
      each.put("price", number(device.price()));
      each.put("measured", device.measured());
      given.put(device.name(), each);
    }
    tree.put("devices", given);
    tree.put("rows", result.rows().stream().map(PlanJson::row).toList());
    tree.put("target", number(plan.request().target()));
    boolean meets =
        result.chosen().bestSeconds()
            <= (1 + plan.request().target()) * plan.network().stepSeconds();
    tree.put("cheapest", meets ? result.rows().indexOf(result.chosen()) : null);
    tree.put("verdict", result.verdict().isEmpty() ? null : result.verdict());
    return tree;
  }

  private static Map<String, @Nullable Object> row(Row row) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    PlannedDevice device = row.device();
    tree.put("fastBytes", row.fastBytes());
    tree.put("device", device == null ? null : device.name());
    tree.put("stepSeconds", row.stepSeconds());
    tree.put("boundSeconds", number(row.boundSeconds()));
    tree.put("update", update(row.update()));
    tree.put("monthPrice", number(row.monthPrice()));
    tree.put("note", row.note());
    return tree;
  }

  private static @Nullable Map<String, @Nullable Object> update(@Nullable UpdateForecast update) {
    if (update == null) {
      return null;
    }
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("keepsUp", update.keepsUp());
    tree.put("seconds", number(update.updateSeconds()));
    tree.put("samples", number(update.samplesPerUpdate()));
    tree.put("meanWaitSeconds", number(update.meanSeconds()));
    tree.put("p99WaitSeconds", number(update.p99Seconds()));
    tree.put("mostEventsPerSecond", number(update.mostEventsPerSecond()));
    return tree;
  }

  private static Map<String, @Nullable Object> forecast(PlanResult result) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("label", "SIMULATED");
    tree.put("built", false);
    tree.put("processes", result.processes().stream().map(PlanJson::processes).toList());
    tree.put("memoryNodesFastBytes", result.nodes().fastBytes());
    tree.put("memoryNodes", result.nodes().rows().stream().map(PlanJson::nodes).toList());
    return tree;
  }

  private static Map<String, @Nullable Object> processes(ProcessRow row) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("processes", row.processes());
    tree.put("mixSeconds", row.mixSeconds());
    tree.put("update", update(row.update()));
    tree.put("mostEventsPerSecond", number(row.mostEventsPerSecond()));
    tree.put("monthPrice", number(row.monthPrice()));
    return tree;
  }

  private static Map<String, @Nullable Object> nodes(NodeRow row) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    PagePlacement placement = row.placement();
    tree.put("processes", row.processes());
    tree.put("topology", row.topology());
    tree.put("pages", placement == null ? null : placement.title());
    tree.put("stepSeconds", number(row.stepSeconds()));
    return tree;
  }

  private static @Nullable Double number(double value) {
    return Double.isNaN(value) || Double.isInfinite(value) ? null : value;
  }
}
