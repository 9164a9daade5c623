package io.idlalayer.jobs.source;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Sends malformed events to the dead-letter output and lets their count go on to the learner, so
 * that the books of an application balance exactly, also after a restore.
 */
public final class DeadLetterSplit extends ProcessFunction<Arrival, Arrival> {
  private static final long serialVersionUID = 1L;

  /** The dead-letter side output. */
  public static final OutputTag<DeadLetter> DEAD_LETTERS =
      new OutputTag<>("dead-letters", TypeInformation.of(DeadLetter.class));

  private static final byte[] NOTHING = {};

  @Override
  public void processElement(Arrival arrival, Context context, Collector<Arrival> out) {
    if (arrival.kind == Arrival.MALFORMED) {
      context.output(
          DEAD_LETTERS,
          new DeadLetter(
              LearnerKey.parse(arrival.key).application(),
              arrival.topic,
              arrival.topicPartition,
              arrival.offset,
              arrival.text,
              arrival.origin,
              arrival.body));
      arrival.body = NOTHING;
      arrival.text = "";
    }
    arrival.origin = "";
    out.collect(arrival);
  }
}
