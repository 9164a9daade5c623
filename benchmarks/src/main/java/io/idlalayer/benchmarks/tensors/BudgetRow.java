package io.idlalayer.benchmarks.tensors;

import java.util.List;
import java.util.Locale;

/**
 * The time of a step under a policy with a share of fast memory: a line of a CSV file without
 * quotes.
 *
 * @param step name of the recorded step
 * @param asked requested share of the peak, or {@link BudgetExperiment#BAR}
 * @param share share of the peak that was fast
 * @param times time of the step divided by the time with all tensors on the fast device; NaN if the
 *     step does not fit
 * @param hidden value of {@code times} if all copies were hidden behind computing
 * @param planner planner whose plan was followed; empty if the policy follows no plan
 * @param seconds processor time of the replay in seconds, including planning and rehearsals
 * @param said reasons why other plans were not followed
 */
record BudgetRow(
    String step,
    String asked,
    double share,
    String policy,
    double times,
    double hidden,
    String planner,
    double seconds,
    String said) {
  static final String HEADER =
      "step,asked,share,policy,times_all_fast,hidden,planner,seconds,not_followed";

  private static final int FIELDS = 9;

  String line() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%.4f,%s,%.4f,%.4f,%s,%.2f,%s",
        step,
        asked,
        share,
        policy,
        times,
        hidden,
        planner,
        seconds,
        said.replace(",", ";").replaceAll("\\s+", " "));
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if the line has another number of fields
   */
  static BudgetRow of(String line) {
    List<String> fields = List.of(line.split(",", -1));
    if (fields.size() != FIELDS) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "%d fields instead of %d in: %s", fields.size(), FIELDS, line));
    }
    return new BudgetRow(
        fields.get(0),
        fields.get(1),
        Double.parseDouble(fields.get(2)),
        fields.get(3),
        Double.parseDouble(fields.get(4)),
        Double.parseDouble(fields.get(5)),
        fields.get(6),
        Double.parseDouble(fields.get(7)),
        fields.get(8));
  }
}
