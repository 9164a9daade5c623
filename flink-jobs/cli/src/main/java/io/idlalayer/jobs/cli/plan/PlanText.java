package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.cli.plan.PlanResult.NodeRow;
import io.idlalayer.jobs.cli.plan.PlanResult.ProcessRow;
import io.idlalayer.jobs.cli.plan.PlanResult.Row;
import io.idlalayer.middleware.capacity.PagePlacement;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A plan as text. Measured and predicted numbers are in different tables. */
final class PlanText {
  private static final String ROW = "  %-10s %-12s";

  private final List<String> lines = new ArrayList<>();
  private final MeasuredPlan plan;

  private PlanText(MeasuredPlan plan) {
    this.plan = plan;
  }

  /** Returns the lines of a plan. */
  static List<String> lines(MeasuredPlan plan) {
    PlanText text = new PlanText(plan);
    text.measured();
    text.budgets();
    text.processes();
    text.nodes();
    plan.result().remarks().forEach(remark -> text.add("\n" + remark));
    return text.lines;
  }

  private void add(String format, Object... values) {
    lines.add(String.format(Locale.ROOT, format, values));
  }

  private void measured() {
    MeasuredNetwork network = plan.network();
    add("%s, measured on this machine (REAL):", plan.settings().name());
    add(
        "  a training step of %,d rows: %s in fast memory, %,d kernels",
        network.rows(), Units.time(network.stepSeconds()), network.graph().kernels().size());
    add(
        "  tensors: %s at most at one time, %s of the largest kernel, %s of parameters",
        Units.size(network.graph().peakBytes()),
        Units.size(network.graph().largestKernelBytes()),
        Units.size(network.parameterBytes()));
    MeasuredTraining training = network.training();
    if (training != null) {
      add(
          "  an update of %,d rows: %s (made-up samples, all in fast memory)",
          training.rows(), Units.time(training.seconds()));
    }
    plan.profiles().forEach(profile -> add("  %s", profile.line()));
    add("");
  }

  private void budgets() {
    PlanResult result = plan.result();
    if (!result.needsSlow()) {
      add(
          "This network needs no slow memory: a step has at most %s of tensors at one time, and %s.",
          Units.size(plan.network().graph().peakBytes()),
          plan.request().budgets().isEmpty()
              ? "that fits into fast memory"
              : "each of these budgets has that");
      add("");
    }
    Set<String> policies = new LinkedHashSet<>();
    result.rows().forEach(row -> policies.addAll(row.stepSeconds().keySet()));
    add(
        "Predicted (SIMULATED): fast memory for one training, and %s events a second",
        Units.number(plan.request().eventsPerSecond()));
    StringBuilder head =
        new StringBuilder(String.format(Locale.ROOT, ROW, "memory", "slow device"));
    policies.forEach(policy -> head.append(cell(policy)));
    head.append(cell("bound")).append(cell("update")).append(cell("mean wait"));
    head.append(cell("99 % wait")).append(cell("a month"));
    lines.add(head.toString());
    for (Row row : result.rows()) {
      lines.add(row(row, policies));
    }
    for (PlannedDevice device : plan.devices()) {
      if (!device.measured()) {
        add(
            "  %s is as it was given: reads %.4g GB/s, writes %.4g GB/s, latency %,d ns",
            device.name(),
            device.speed().readBytesPerSecond() / 1e9,
            device.speed().writeBytesPerSecond() / 1e9,
            device.speed().readLatencyNanos());
      }
    }
    if (!result.verdict().isEmpty()) {
      add("\nTarget: %s.", result.verdict());
    }
  }

  private String row(Row row, Set<String> policies) {
    PlannedDevice device = row.device();
    StringBuilder line =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                ROW,
                Units.size(row.fastBytes()),
                device == null ? "none" : device.name()));
    for (String policy : policies) {
      Double seconds = row.stepSeconds().get(policy);
      line.append(cell(seconds == null ? "-" : Units.time(seconds)));
    }
    line.append(cell(Units.time(row.boundSeconds())));
    update(line, row.update());
    line.append(cell(price(row.monthPrice())));
    if (!row.note().isEmpty()) {
      line.append("  ").append(row.note());
    }
    return line.toString();
  }

  private static void update(StringBuilder line, @Nullable UpdateForecast update) {
    if (update == null) {
      line.append(cell("-")).append(cell("-")).append(cell("-"));
    } else if (update.keepsUp()) {
      line.append(cell(Units.time(update.updateSeconds())));
      line.append(cell(Units.time(update.meanSeconds())));
      line.append(cell(Units.time(update.p99Seconds())));
    } else {
      line.append(
          String.format(
              Locale.ROOT,
              "   keeps up with %-25s",
              Units.number(update.mostEventsPerSecond()) + " events a second"));
    }
  }

  private static String cell(String text) {
    return String.format(Locale.ROOT, " %13s", text);
  }

  private static String price(double month) {
    return Double.isNaN(month) ? "-" : String.format(Locale.ROOT, "%,.2f", month);
  }

  private void processes() {
    if (plan.result().processes().isEmpty()) {
      return;
    }
    PlannedLink link = plan.request().link();
    add(
        "\nForecast (SIMULATED): several processes, each with %s, average their parameters after each"
            + " update%s. Such a ring is not built: the product mixes through the model store.",
        plan.result().chosen().title(), link == null ? "" : " in a ring over " + link.text());
    StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "  %-10s", "processes"));
    for (String name :
        List.of("mixing", "update", "mean wait", "99 % wait", "most events/s", "a month")) {
      head.append(cell(name));
    }
    lines.add(head.toString());
    for (ProcessRow row : plan.result().processes()) {
      StringBuilder line =
          new StringBuilder(String.format(Locale.ROOT, "  %-10d", row.processes()));
      line.append(cell(row.processes() == 1 ? "none" : Units.time(row.mixSeconds())));
      update(line, row.update());
      line.append(cell(Units.number(row.mostEventsPerSecond())));
      line.append(cell(price(row.monthPrice())));
      lines.add(line.toString());
    }
  }

  private void nodes() {
    if (plan.result().nodes().rows().isEmpty()) {
      return;
    }
    add(
        "\nForecast (SIMULATED): processes train each step together, and what exceeds %s of each goes"
            + " to memory nodes between them, as in MC-DLA. Neither is built.",
        Units.size(plan.result().nodes().fastBytes()));
    add("  %-10s %-16s %-10s%s", "processes", "tensors go to", "pages", cell("step"));
    for (NodeRow row : plan.result().nodes().rows()) {
      PagePlacement placement = row.placement();
      add(
          "  %-10d %-16s %-10s%s",
          row.processes(),
          row.topology(),
          placement == null ? "" : placement.title(),
          cell(Units.time(row.stepSeconds())));
    }
  }
}
