package io.idlalayer.jobs.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;

/**
 * The result of a replay, as a text table and as JSON.
 *
 * @param rows outcomes of the rules, each with the parameter that was chosen; "" if the rule has
 *     none
 */
public record ReplayReport(
    Machine machine,
    ScheduleCosts costs,
    long arrivals,
    double spanSeconds,
    ReplayLab lab,
    ReplayLab.Optimum optimum,
    List<Row> rows) {
  private static final int FORMAT_VERSION = 1;

  /**
   * The outcome of one update rule, with its parameter.
   *
   * @param parameter readable parameter that was chosen for the rule in hindsight; "" if there is
   *     none
   */
  public record Row(RuleOutcome outcome, String parameter) {
    /**
     * Computes what an update rule would have cost on the arrivals.
     *
     * @param parameter period in seconds of {@code periodic}, samples of {@code count}; NaN to use
     *     the cheapest in hindsight. Ignored for other rules.
     * @param weight number of sample-seconds of waiting that cost as much as a second of training
     */
    public static Row of(ReplayLab lab, RuleName rule, double parameter, double weight) {
      UpdateSettings settings = UpdateSettings.of(rule, weight);
      return switch (rule) {
        case PERIODIC -> {
          double seconds = Double.isNaN(parameter) ? lab.bestPeriodSeconds() : parameter;
          yield chosen(
              lab.run(settings.with(Tuning.defaults().withPeriodSeconds(seconds))),
              "period %s s".formatted(plain(seconds)),
              Double.isNaN(parameter));
        }
        case COUNT -> {
          int batch = Double.isNaN(parameter) ? lab.bestCount() : (int) Math.max(1, parameter);
          yield chosen(
              lab.run(settings.with(Tuning.defaults().withCount(batch))),
              "count " + batch,
              Double.isNaN(parameter));
        }
        default -> new Row(lab.run(settings), "");
      };
    }

    /**
     * Returns seconds with four digits and without an exponent, so that users can copy the number.
     */
    private static String plain(double seconds) {
      return new BigDecimal(seconds).round(new MathContext(4)).stripTrailingZeros().toPlainString();
    }

    private static Row chosen(RuleOutcome outcome, String parameter, boolean best) {
      return new Row(outcome, best ? parameter + ", best in hindsight" : parameter);
    }
  }

  /** Prints the table of rules, cheapest first. */
  public void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%-12s %11s %12s %12s %12s %9s %12s %12s%n",
        "rule",
        "total ratio",
        "controllable",
        "mean lat. s",
        "p99 lat. s",
        "updates",
        "machine s",
        "decisions/s");
    for (Row row : sorted()) {
      RuleOutcome o = row.outcome();
      out.printf(
          Locale.ROOT,
          "%-12s %11.3f %12.3f %12.4g %12.4g %,9d %12.5g %12s%s%n",
          o.rule(),
          lab.totalRatio(o, optimum),
          lab.controllableRatio(o, optimum),
          o.meanLatencySeconds(),
          o.p99LatencySeconds(),
          o.updates(),
          o.machineSeconds(),
          o.wallSeconds() <= 0
              ? "-"
              : String.format(Locale.ROOT, "%,.0f", arrivals / o.wallSeconds()),
          row.parameter().isEmpty() ? "" : "  " + row.parameter());
    }
    out.printf(
        Locale.ROOT,
        "%nratio: cost / cost of the %s (%,.6g sample-seconds, found in %.2f s)%n",
        optimum.exact()
            ? "best schedule possible, exact"
            : "best schedule if trainings could overlap, a lower bound",
        optimum.cost(),
        optimum.wallSeconds());
    out.println("controllable: the ratio without the costs that no schedule can change");
    out.flush();
  }

  private List<Row> sorted() {
    return rows.stream()
        .sorted(java.util.Comparator.comparingDouble(row -> row.outcome().cost()))
        .toList();
  }

  /** Returns the report as JSON; {@code docs/replay.md} describes the fields. */
  public ObjectNode json() {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report.put("formatVersion", FORMAT_VERSION);
    report.put("machine", machine.name().toLowerCase(Locale.ROOT));
    report.put("arrivals", arrivals);
    report.put("spanSeconds", spanSeconds);
    report.put("lambdaSeconds", costs.secondsPerSample());
    report.put("epsilonSeconds", costs.fixedSeconds());
    report.put("weight", costs.weight());
    ObjectNode best = report.putObject("optimum");
    best.put("cost", optimum.cost());
    best.put("exact", optimum.exact());
    best.put("unavoidable", lab.unavoidable());
    ArrayNode list = report.putArray("rules");
    for (Row row : rows) {
      RuleOutcome o = row.outcome();
      ObjectNode rule = list.addObject();
      rule.put("rule", o.rule());
      rule.put("totalRatio", lab.totalRatio(o, optimum));
      rule.put("controllableRatio", lab.controllableRatio(o, optimum));
      rule.put("meanLatencySeconds", o.meanLatencySeconds());
      rule.put("p99LatencySeconds", o.p99LatencySeconds());
      rule.put("updates", o.updates());
      rule.put("machineSeconds", o.machineSeconds());
      rule.put("cost", o.cost());
      rule.put("restarts", o.restarts());
      rule.put("wallSeconds", o.wallSeconds());
      rule.put("parameter", row.parameter());
    }
    return report;
  }
}
