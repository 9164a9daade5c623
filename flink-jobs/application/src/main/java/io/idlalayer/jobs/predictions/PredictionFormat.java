package io.idlalayer.jobs.predictions;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Formats rows of predictions: CSV with a header line, or one JSON object a line. Numbers are
 * written with as many digits as they need to be read back the same.
 */
final class PredictionFormat {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SampleSchema.Label label;
  private final boolean json;

  PredictionFormat(SampleSchema.Label label, boolean json) {
    this.label = label;
    this.json = json;
  }

  /** Returns whether the name of a file means JSON: {@code .json}, {@code .jsonl}. */
  static boolean json(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".jsonl") || name.endsWith(".json");
  }

  private boolean classes() {
    return label.task() == SampleSchema.Task.CLASSIFICATION;
  }

  /** Returns whether each row has the probability of each class. */
  private boolean each() {
    return classes() && label.classes().size() <= PrequentialSummary.MOST_CLASSES;
  }

  /** Returns the header that is written before the first row. */
  byte[] header() {
    if (json) {
      return new byte[0];
    }
    List<String> names =
        new ArrayList<>(
            List.of("partition", "offset", "id", "label", "weight", "update", "predicted"));
    if (classes()) {
      names.add("probability");
    }
    if (each()) {
      label.classes().forEach(name -> names.add(quoted("p:" + name)));
    }
    names.add("loss");
    names.add("reason");
    return line(names);
  }

  /** Returns a row with its line end. */
  byte[] row(PredictedEvent event) {
    return json ? object(event) : line(fields(event));
  }

  private List<String> fields(PredictedEvent event) {
    boolean none = !event.reason().isEmpty();
    List<String> fields = new ArrayList<>();
    fields.add(Integer.toString(event.partition()));
    fields.add(Long.toString(event.offset()));
    fields.add(quoted(event.id()));
    fields.add(quoted(name(event.label())));
    fields.add(number(event.weight()));
    fields.add(event.update() == 0 ? "" : Long.toString(event.update()));
    fields.add(none ? "" : quoted(name(event.predicted())));
    if (classes()) {
      fields.add(none ? "" : number(ofLabel(event)));
    }
    for (int i = 0; each() && i < label.classes().size(); i++) {
      fields.add(none ? "" : number(event.probabilities()[i]));
    }
    fields.add(none ? "" : number(event.loss()));
    fields.add(quoted(event.reason()));
    return fields;
  }

  private byte[] object(PredictedEvent event) {
    ObjectNode node = JSON.createObjectNode();
    node.put("partition", event.partition()).put("offset", event.offset());
    if (!event.id().isEmpty()) {
      node.put("id", event.id());
    }
    value(node, "label", event.label());
    node.put("weight", event.weight());
    if (event.update() != 0) {
      node.put("update", event.update());
    }
    if (!event.reason().isEmpty()) {
      node.put("reason", event.reason());
      return (node + "\n").getBytes(StandardCharsets.UTF_8);
    }
    value(node, "predicted", event.predicted());
    if (classes()) {
      node.put("probability", shortest(ofLabel(event)));
    }
    if (each()) {
      ObjectNode all = node.putObject("probabilities");
      for (int i = 0; i < label.classes().size(); i++) {
        all.put(label.classes().get(i), shortest(event.probabilities()[i]));
      }
    }
    node.put("loss", shortest(event.loss()));
    return (node + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private void value(ObjectNode node, String key, double value) {
    if (classes()) {
      node.put(key, name(value));
    } else {
      node.put(key, value);
    }
  }

  private double ofLabel(PredictedEvent event) {
    return event.probabilities()[each() ? (int) event.label() : 0];
  }

  private String name(double value) {
    return classes() ? label.classes().get((int) value) : number(value);
  }

  private static String number(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    return (float) value == value ? Float.toString((float) value) : Double.toString(value);
  }

  /** Converts a 32-bit number to the 64-bit number with the same shortest decimal text. */
  private static double shortest(double value) {
    return (float) value == value ? Double.parseDouble(Float.toString((float) value)) : value;
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private static byte[] line(List<String> fields) {
    return (String.join(",", fields) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
