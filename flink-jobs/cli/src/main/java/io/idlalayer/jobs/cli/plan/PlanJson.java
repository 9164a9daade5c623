package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.capacityplan.CapacityPlan.Label;
import io.idlalayer.jobs.capacityplan.PlanBasis;
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

/** A plan in the form in which it is printed as JSON and kept for the console. */
final class PlanJson {
  private PlanJson() {}

  /**
   * Returns a plan in this form.
   *
   * @param madeAtMillis when it was made, in epoch milliseconds
   */
  static CapacityPlan of(MeasuredPlan plan, long madeAtMillis) {
    return new CapacityPlan(
        CapacityPlan.FORMAT,
        CapacityPlan.VERSION,
        plan.settings().name(),
        madeAtMillis,
        PlanBasis.of(plan.settings()),
        measured(plan),
        predicted(plan),
        forecast(plan.result()),
        plan.result().remarks());
  }

  private static CapacityPlan.Measured measured(MeasuredPlan plan) {
    MeasuredNetwork network = plan.network();
    MeasuredTraining training = network.training();
    Map<String, CapacityPlan.MeasuredDevice> devices = new LinkedHashMap<>();
    for (DeviceProfile profile : plan.profiles()) {
      DeviceSpeed speed = profile.speed();
      devices.put(
          profile.name(),
          new CapacityPlan.MeasuredDevice(
              speed.readBytesPerSecond(),
              speed.writeBytesPerSecond(),
              speed.readLatencyNanos(),
              speed.writeLatencyNanos(),
              String.valueOf(profile.medium()),
              profile.measured().path().name()));
    }
    return new CapacityPlan.Measured(
        Label.REAL,
        network.rows(),
        network.graph().kernels().size(),
        network.stepSeconds(),
        network.graph().peakBytes(),
        network.graph().largestKernelBytes(),
        network.parameterBytes(),
        training == null ? null : Integer.valueOf(training.rows()),
        training == null ? null : Double.valueOf(training.seconds()),
        devices);
  }

  private static CapacityPlan.Predicted predicted(MeasuredPlan plan) {
    PlanResult result = plan.result();
    Map<String, CapacityPlan.SlowDevice> given = new LinkedHashMap<>();
    for (PlannedDevice device : plan.devices()) {
      DeviceSpeed speed = device.speed();
      given.put(
          device.name(),
          new CapacityPlan.SlowDevice(
              speed.readBytesPerSecond(),
              speed.writeBytesPerSecond(),
              speed.readLatencyNanos(),
              speed.writeLatencyNanos(),
              number(device.price()),
              device.measured()));
    }
    boolean meets =
        result.chosen().bestSeconds()
            <= (1 + plan.request().target()) * plan.network().stepSeconds();
    return new CapacityPlan.Predicted(
        Label.SIMULATED,
        result.needsSlow(),
        plan.request().eventsPerSecond(),
        given,
        result.rows().stream().map(PlanJson::row).toList(),
        number(plan.request().target()),
        meets ? Integer.valueOf(result.rows().indexOf(result.chosen())) : null,
        result.verdict().isEmpty() ? null : result.verdict());
  }

  private static CapacityPlan.Row row(Row row) {
    PlannedDevice device = row.device();
    UpdateForecast forecast = row.update();
    return new CapacityPlan.Row(
        row.fastBytes(),
        device == null ? null : device.name(),
        row.stepSeconds(),
        number(row.bestSeconds()),
        number(row.boundSeconds()),
        forecast == null ? null : update(forecast),
        number(row.monthPrice()),
        row.note());
  }

  private static CapacityPlan.Update update(UpdateForecast update) {
    return new CapacityPlan.Update(
        update.keepsUp(),
        number(update.updateSeconds()),
        number(update.samplesPerUpdate()),
        number(update.meanSeconds()),
        number(update.p99Seconds()),
        number(update.mostEventsPerSecond()));
  }

  private static CapacityPlan.Forecast forecast(PlanResult result) {
    return new CapacityPlan.Forecast(
        Label.SIMULATED,
        false,
        result.processes().stream().map(PlanJson::processes).toList(),
        result.nodes().fastBytes(),
        result.nodes().rows().stream().map(PlanJson::nodes).toList());
  }

  private static CapacityPlan.Processes processes(ProcessRow row) {
    return new CapacityPlan.Processes(
        row.processes(),
        row.mixSeconds(),
        update(row.update()),
        number(row.mostEventsPerSecond()),
        number(row.monthPrice()));
  }

  private static CapacityPlan.MemoryNodes nodes(NodeRow row) {
    PagePlacement placement = row.placement();
    return new CapacityPlan.MemoryNodes(
        row.processes(),
        row.topology(),
        placement == null ? null : placement.title(),
        number(row.stepSeconds()));
  }

  private static @Nullable Double number(double value) {
    return Double.isNaN(value) || Double.isInfinite(value) ? null : Double.valueOf(value);
  }
}
