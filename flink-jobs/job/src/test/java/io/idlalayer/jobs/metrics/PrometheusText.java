package io.idlalayer.jobs.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the Prometheus reporter shows, read back. */
public final class PrometheusText {
  /** Before the names of metrics of a subtask. */
  public static final String SUBTASK =
      "flink_taskmanager_job_task_operator_" + SubtaskMetrics.GROUP + "_";

  /** Before the names of metrics of a learner. */
  public static final String LEARNER = SUBTASK + "application_partition_";

  private static final Pattern LINE =
      Pattern.compile("(?<name>\\w+)\\{(?<labels>.*)} (?<value>\\S+)");

  private PrometheusText() {}

  /**
   * Values of metrics with a prefix, by their names without it. Quantiles of histograms are left
   * out.
   *
   * @param label that the metrics have, as in {@code application="demo"}
   */
  public static Map<String, Double> values(String text, String prefix, String label) {
    Map<String, Double> values = new TreeMap<>();
    for (String line : text.lines().toList()) {
      Matcher read = LINE.matcher(line);
      if (read.matches()
          && read.group("name").startsWith(prefix)
          && read.group("labels").contains(label)
          && !read.group("labels").contains("quantile=")) {
        String name = read.group("name").substring(prefix.length());
        values.put(name, Double.valueOf(read.group("value")));
      }
    }
    return values;
  }
}
