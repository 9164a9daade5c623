package io.idlalayer.benchmarks.campaign.input;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * The part of an application file that says how events are written.
 *
 * @param json whether events are JSON; else they are CSV
 * @param encoding encoding of the events, as the application file names it
 * @param missing what a missing number becomes
 * @param missingValues texts that stand for a missing number; empty for the default
 * @param columns all columns of CSV in their order; a column that is not used may be ""
 * @param numbers features that are numbers
 * @param times features that are time stamps
 * @param categories features that are texts
 * @param classes names of the classes; empty for a regression
 * @param counted whether the file has the number of classes instead of their names
 * @param id field of the event's id; "" if there is none
 * @param eventBytesMax longest event
 */
public record InputSettings(
    boolean json,
    String delimiter,
    boolean header,
    String encoding,
    String decimal,
    String thousands,
    Missing missing,
    boolean indicator,
    List<String> missingValues,
    List<String> columns,
    List<String> numbers,
    List<String> times,
    List<String> categories,
    String label,
    List<String> classes,
    boolean counted,
    String id,
    int eventBytesMax) {

  /** What a missing number becomes. */
  public enum Missing {
    REFUSE,
    ZERO,
    MEAN
  }

  private static final List<String> USUAL_MISSING =
      List.of("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None");

  /** Returns the texts, besides the empty one, that stand for a missing number. */
  List<String> missingTexts() {
    boolean usual = missingValues.isEmpty() && missing != Missing.REFUSE;
    return usual ? USUAL_MISSING : missingValues;
  }

  boolean regression() {
    return classes.isEmpty();
  }

  /** Returns all features, in an order that does not depend on that of the columns. */
  List<String> features() {
    List<String> all = new ArrayList<>(numbers);
    all.addAll(times);
    all.addAll(categories);
    return all;
  }

  /** Returns the application file of an application on a broker of its own topics. */
  String applicationFile(String name) {
    StringBuilder file = new StringBuilder();
    file.append("name: %s\nseed: 42\ninput:\n  topic: %s-in\n".formatted(name, name));
    file.append("  format: ").append(json ? "json" : "csv").append('\n');
    if (!json) {
      file.append("  columns: ").append(list(columns)).append('\n');
      file.append("  delimiter: ").append(text(delimiter)).append('\n');
      file.append("  header: ").append(header).append('\n');
      key(file, "decimal", decimal, ".");
      key(file, "thousands", thousands, "");
    }
    key(file, "encoding", encoding, "utf-8");
    if (missing != Missing.REFUSE) {
      file.append("  missing: ").append(missing == Missing.ZERO ? "zero" : "mean").append('\n');
      file.append("  missing-indicator: ").append(indicator).append('\n');
    }
    if (!missingValues.isEmpty()) {
      file.append("  missing-values: ").append(list(missingValues)).append('\n');
    }
    StringJoiner features = new StringJoiner(", ", "  features: [", "]\n");
    numbers.forEach(field -> features.add(text(field)));
    times.forEach(
        field -> features.add("{name: " + text(field) + ", time: [hour, week-cycle, seconds]}"));
    file.append(features);
    StringJoiner buckets = new StringJoiner(", ", "  categorical: [", "]\n");
    categories.forEach(field -> buckets.add("{name: " + text(field) + ", buckets: 50}"));
    file.append(buckets);
    file.append("  label: ").append(text(label)).append('\n');
    file.append(
        regression()
            ? "  task: regression\n"
            : "  classes: " + (counted ? classes.size() : list(classes)) + "\n");
    if (!id.isEmpty()) {
      file.append("  id: ").append(text(id)).append('\n');
    }
    file.append("  max-event-bytes: ").append(eventBytesMax).append('\n');
    file.append(
        """
        model: {type: mlp, hidden: [8], standardize: true}
        training: {mini-batch: 32, learning-rate: 0.01}
        update: {rule: count, count: 64, max-wait: 1s}
        selection: {replay-budget: 32, max-samples: 100000}
        memory: {hot-bytes: 0}
        kafka: {topic-prefix: "%s-"}
        """
            .formatted(name));
    return file.toString();
  }

  private static void key(StringBuilder file, String key, String value, String usual) {
    if (!value.equals(usual)) {
      file.append("  ").append(key).append(": ").append(text(value)).append('\n');
    }
  }

  private static String list(List<String> texts) {
    StringJoiner list = new StringJoiner(", ", "[", "]");
    texts.forEach(each -> list.add(text(each)));
    return list.toString();
  }

  /** Returns a text as YAML and JSON write it. */
  static String text(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || (c >= 0x7f && c <= 0xa0) || c == '\u2028' || c == '\u202f') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
