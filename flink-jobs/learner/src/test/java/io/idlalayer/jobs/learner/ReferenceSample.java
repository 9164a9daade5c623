package io.idlalayer.jobs.learner;

import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the {@link ReferenceLearner} stores of an event. */
final class ReferenceSample {
  /** How far a sample has come. */
  enum Stage {
    /** It waits: for a label, for its features, or for its training. */
    WAITS,
    TRAINED,
    /** Its weight is 0, so it was neither trained nor evaluated. */
    PASSED_OVER,
    QUARANTINED
  }

  final String id;

  /** Values by the names of features: numbers and texts. */
  final TreeMap<String, Object> features = new TreeMap<>();

  /** The product's number of the sample. */
  long number;

  @Nullable Double label;
  @Nullable Double weight;
  Stage stage = Stage.WAITS;
  boolean trains;
  long sinceMillis;

  /** Offset of the event that came last of a label that waits for its features. */
  long labelOffset;

  /** How often its content had arrived when it was evaluated last; 0 before that. */
  int frequency;

  ReferenceSample(long number, String id) {
    this.number = number;
    this.id = id;
  }

  ReferenceSample copy() {
    ReferenceSample copy = new ReferenceSample(number, id);
    copy.features.putAll(features);
    copy.label = label;
    copy.weight = weight;
    copy.stage = stage;
    copy.trains = trains;
    copy.sinceMillis = sinceMillis;
    copy.labelOffset = labelOffset;
    copy.frequency = frequency;
    return copy;
  }

  /** Whether it has the features that may not be missing, and is not only a label. */
  boolean whole() {
    return features.containsKey("price");
  }

  /** Whether it waits for its training, and not for a label or for features before that. */
  boolean pending() {
    return whole() && label != null && stage == Stage.WAITS && !trains;
  }

  /** Whether it waits for its label, or as a label for its features. */
  boolean lacksPart() {
    return !whole() || label == null;
  }

  boolean weightless() {
    return weight != null && weight == 0;
  }

  boolean culprit() {
    return Objects.equals(features.get("price"), ReferenceEvent.CULPRIT);
  }

  /** A missing age is 0, and a missing site is a category of its own. */
  Object value(String name) {
    return features.getOrDefault(name, name.equals("age") ? (Object) 0.0 : "");
  }

  /** What a model learns from: features, label and weight, without the id. */
  String content() {
    return whole()
        ? "%s %s '%s' y=%s w=%s"
            .formatted(value("price"), value("age"), value("site"), label, weight)
        : "y=" + label;
  }
}
