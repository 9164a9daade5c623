package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;

/**
 * A labelled stream of events in a fixed order. The contents of the arrays must not be changed.
 *
 * @param name name of the stream in the tables
 * @param samples samples with the label that the learner gets
 * @param trueLabels label of each event without added noise, as a class index
 * @param repeated whether an event only repeats an earlier event; repetitions are not scored
 */
record DriftStream(
    String name, SampleSchema schema, Sample[] samples, int[] trueLabels, boolean[] repeated) {

  DriftStream {
    if (trueLabels.length != samples.length || repeated.length != samples.length) {
      throw new IllegalArgumentException(
          "%s has %d samples, %d labels and %d marks"
              .formatted(name, samples.length, trueLabels.length, repeated.length));
    }
  }

  /** Returns a stream without wrong labels and without repetitions. */
  static DriftStream clean(String name, SampleSchema schema, Sample[] samples) {
    int[] labels = new int[samples.length];
    for (int i = 0; i < labels.length; i++) {
      labels[i] = (int) samples[i].label();
    }
    return new DriftStream(name, schema, samples, labels, new boolean[samples.length]);
  }

  /** Returns this stream with a history of one key, in which each label is known at once. */
  DriftStream with(SampleSchema.History history) {
    return new DriftStream(name, schema.with(history), samples, trueLabels, repeated);
  }

  int size() {
    return samples.length;
  }

  int classes() {
    return schema.label().classes().size();
  }

  /** Returns the number of events that are scored. */
  int scored() {
    int count = 0;
    for (boolean each : repeated) {
      count += each ? 0 : 1;
    }
    return count;
  }
}
