package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.state.StateFormat;

/** Measures written to a state and read from it again. */
final class MeasuredStates {
  private static final StateFormat FORMAT = StateFormat.first("measures in a test");

  private MeasuredStates() {}

  static ClassMeasures restored(ClassMeasures measures, int classes) {
    ClassMeasures read = new ClassMeasures(classes);
    // What it held before must not remain.
    read.add(new ClassAnswer(1, 0, 1, 1, 3, 0.75, 1, 5));
    read.read(FORMAT.reader(measures.write(FORMAT.writer(), 1).bytes()), 1);
    return read;
  }

  static TargetMeasures restored(TargetMeasures measures) {
    TargetMeasures read = new TargetMeasures();
    read.add(new TargetAnswer(1, 2, 3, 4));
    read.read(FORMAT.reader(measures.write(FORMAT.writer(), 1).bytes()), 1);
    return read;
  }
}
