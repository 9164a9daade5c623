package io.idlalayer.modelruntime.serve;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.SchemaChange;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * The histories of keys in a process that predicts, built from the events and labels that the
 * process is told about. They give an event the same context as a learner that has got the same
 * events and labels in the same order. The number of keys is bounded as it is in the learner.
 * Several threads may use one; it serves the versions of one application, and starts empty.
 */
public final class ServingHistories {
  private final Object lock = new Object();
  private final SampleSchema.History kept;
  private SampleSchema schema;
  private KeyHistories histories;

  /**
   * @param spec specification of a model of the application
   * @throws IllegalArgumentException if its application keeps no history
   */
  public ServingHistories(ModelSpec spec) {
    schema = spec.schema();
    histories = new KeyHistories(schema);
    SampleSchema.History history = schema.history();
    if (history == null) {
      throw new IllegalArgumentException(
          "the model takes no context: its application file has no section 'history'");
    }
    kept = history;
  }

  /**
   * Converts the histories for a version whose application has other features or classes than
   * before, as the learner does. Must be called before the version predicts; has no effect if
   * nothing has changed.
   *
   * @param spec specification of the version
   * @throws IllegalArgumentException if histories cannot go on with it
   */
  public void changed(ModelSpec spec) {
    synchronized (lock) {
      SchemaChange change = SchemaChange.between(schema, spec.schema());
      if (!kept.equals(spec.schema().history())) {
        throw new IllegalArgumentException("the version has another history");
      }
      if (!change.refusals().isEmpty()) {
        throw new IllegalArgumentException(
            "the histories cannot go on with the version: " + String.join("; ", change.refusals()));
      }
      if (change.isNone()) {
        return;
      }
      KeyHistories now = new KeyHistories(spec.schema());
      now.restore(histories.snapshot());
      now.changed(change);
      histories = now;
      schema = spec.schema();
    }
  }

  /**
   * Returns an event that arrives with the context that is known now, and remembers it, with its
   * label if it has one. Predictions of the returned sample are by all members of the model.
   *
   * @param key the event's key as it is written in the field that {@code history.key} names; any
   *     text if all events are of one key
   * @throws IllegalArgumentException if the key is empty
   */
  public Sample arrived(String key, Sample event) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("an event without a key has no context");
    }
    return arrived(event.withContext(KeyContext.ofKey(kept.hashOf(key))));
  }

  /**
   * Does what {@link #arrived(String, Sample)} does for an event with which a decoder has read its
   * key.
   */
  public Sample arrived(Sample event) {
    synchronized (lock) {
      Sample inContext = histories.inContext(event);
      histories.remember(inContext);
      return inContext;
    }
  }

  /**
   * Remembers the label of an event, from now on.
   *
   * @param arrived the event as {@link #arrived} has returned it
   * @param label index of the class, or the target
   * @throws IllegalArgumentException if the event has no context
   */
  public void label(Sample arrived, double label) {
    require(arrived);
    synchronized (lock) {
      histories.changed(arrived.withLabel(label));
    }
  }

  /**
   * Forgets the label of an event, which was taken back.
   *
   * @param arrived the event as {@link #arrived} has returned it
   * @throws IllegalArgumentException if the event has no context
   */
  public void labelTaken(Sample arrived) {
    require(arrived);
    synchronized (lock) {
      histories.labelTaken(arrived);
    }
  }

  private static void require(Sample arrived) {
    if (!arrived.context().known()) {
      throw new IllegalArgumentException(
          "the event has no context: pass the sample that arrived() has returned");
    }
  }
}
