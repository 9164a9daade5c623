package io.idlalayer.jobs.stream;

import io.idlalayer.jobs.job.Sinks;
import org.apache.flink.api.common.functions.MapFunction;

/** Converts an output of a learner to a Kafka record. */
record ToOutput<T>(Sinks.ToRecord<T> toRecord) implements MapFunction<T, OutputRecord> {
  @Override
  public OutputRecord map(T said) {
    return OutputRecord.of(toRecord.apply(said));
  }
}
