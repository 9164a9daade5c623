package io.idlalayer.console.whatif;

import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.capacityplan.PlanBasis;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.List;
import java.util.Map;

/** A plan with a value in every field. */
public final class ExamplePlan {
  private ExamplePlan() {}

  /** Returns a plan of an application. */
  public static CapacityPlan of(ApplicationSettings application) {
    CapacityPlan.Update update = new CapacityPlan.Update(true, 0.5, 20.0, 0.2, 0.4, 1_000.0);
    return new CapacityPlan(
        CapacityPlan.FORMAT,
        CapacityPlan.VERSION,
        application.name(),
        7_000,
        PlanBasis.of(application),
        new CapacityPlan.Measured(
            CapacityPlan.Label.REAL,
            32,
            9,
            0.01,
            4_096,
            512,
            1_024,
            256,
            0.4,
            Map.of("dram", new CapacityPlan.MeasuredDevice(1e10, 9e9, 100, 90, "dram", "BYTES"))),
        new CapacityPlan.Predicted(
            CapacityPlan.Label.SIMULATED,
            true,
            100,
            Map.of("nvme", new CapacityPlan.SlowDevice(3e9, 2e9, 80_000, 70_000, 0.1, false)),
            List.of(
                new CapacityPlan.Row(
                    2_048, "nvme", Map.of("auto", 0.02), 0.02, 0.015, update, 1.5, ""),
                new CapacityPlan.Row(
                    4_096, null, Map.of("all-fast", 0.01), 0.01, 0.01, update, 3.0, "")),
            1.5,
            0,
            "the cheapest that takes at most 150 % longer"),
        new CapacityPlan.Forecast(
            CapacityPlan.Label.SIMULATED,
            false,
            List.of(new CapacityPlan.Processes(2, 0.001, update, 2_000.0, 6.0)),
            2_048,
            List.of(new CapacityPlan.MemoryNodes(2, "ring", "local", 0.012))),
        List.of("Micro-batches are not built."));
  }
}
