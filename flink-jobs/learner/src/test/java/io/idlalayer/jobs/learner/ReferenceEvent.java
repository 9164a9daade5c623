package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An event as a producer means it: the fields that it has.
 *
 * @param id the event's own id, "" if it has none
 * @param features values by name: {@code price}, which may not be missing, {@code age}, which is 0
 *     if it is missing, and {@code site}
 * @param label its label, null if it has none
 * @param broken whether its text ends too early
 */
record ReferenceEvent(
    String id, Map<String, String> features, @Nullable String label, boolean broken) {
  /** Price of samples that make trainings fail. */
  static final String CULPRIT = "7";

  static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("price"),
              new DenseFeature(
                  "age", 1, 1f, new Reading(Missing.ZERO, false, List.of(), List.of()))),
          List.of(new CategoricalFeature("site", 1_024)),
          new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
          "id");

  private static final int IDS = 12;

  /** Draws an event; one in four is one that was sent before. */
  static ReferenceEvent draw(SplittableRandom random, List<ReferenceEvent> sent) {
    if (!sent.isEmpty() && random.nextInt(4) == 0) {
      return sent.get(random.nextInt(sent.size()));
    }
    String id = random.nextInt(4) == 0 ? "" : id(random);
    Map<String, String> features = new LinkedHashMap<>();
    boolean labelOnly = random.nextInt(4) == 0;
    for (String name : List.of("price", "age", "site")) {
      if (!labelOnly && random.nextInt(name.equals("price") ? 8 : 2) > 0) {
        features.put(name, String.valueOf(random.nextInt(3)));
      }
    }
    if (features.containsKey("price") && random.nextInt(30) == 0) {
      features.put("price", CULPRIT);
    }
    String label = labelOnly || random.nextBoolean() ? String.valueOf(random.nextInt(2)) : null;
    return new ReferenceEvent(id, features, label, random.nextInt(40) == 0);
  }

  /** Draws an id. */
  static String id(SplittableRandom random) {
    return "e" + random.nextInt(IDS);
  }

  /** The text of the event. */
  String json() {
    List<String> members = new ArrayList<>();
    if (!id.isEmpty()) {
      members.add("\"id\":\"" + id + "\"");
    }
    features.forEach((name, value) -> members.add("\"" + name + "\":" + text(name, value)));
    if (label != null) {
      members.add("\"y\":" + label);
    }
    return "{" + String.join(",", members) + (broken ? "" : "}");
  }

  private static String text(String name, String value) {
    return name.equals("site") ? "\"" + value + "\"" : value;
  }
}
