package io.idlalayer.jobs.learner.forget;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * A request to forget the sample of an event, which the model has learned or has possibly learned.
 *
 * @param event the event's own id
 * @param samples ids of the samples as which the event was stored
 * @param through number of the last update that can have trained the samples with the content to
 *     forget; if a label comes again, later updates train the sample with it
 * @param beforeLog whether updates that were not in the log at the time of the request have
 *     possibly trained the samples
 * @param atMillis time of the request by the learner's clock
 */
record ForgetRequest(
    String event, Set<Long> samples, long through, boolean beforeLog, long atMillis) {
  private static final StateFormat FORMAT = StateFormat.first("request to forget");

  ForgetRequest {
    samples = Set.copyOf(samples);
  }

  /** Returns this request in a form for a log that began after the request. */
  ForgetRequest beforeNewLog() {
    return new ForgetRequest(event, samples, through, true, atMillis);
  }

  /**
   * Returns whether updates that are not in the log have possibly trained the samples of this
   * request.
   */
  boolean mayBeBefore(TrainingLog log) {
    return beforeLog || samples.stream().anyMatch(id -> id <= log.highestUnlogged());
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putText(1, event)
        .putLongs(2, new TreeSet<>(samples).stream().mapToLong(Long::longValue).toArray())
        .putLong(3, through)
        .putBoolean(4, beforeLog)
        .putLong(5, atMillis)
        .bytes();
  }

  static ForgetRequest restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    Set<Long> samples = new HashSet<>();
    for (long id : in.getLongs(2)) {
      samples.add(id);
    }
    return new ForgetRequest(
        in.getText(1), samples, in.getLong(3), in.getBoolean(4), in.getLong(5));
  }
}
