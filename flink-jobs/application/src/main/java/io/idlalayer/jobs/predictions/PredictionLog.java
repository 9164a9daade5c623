package io.idlalayer.jobs.predictions;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Receives the predictions for the events of one learner. The log has one row for each event that
 * the learner's state counts as tested or untested, also after a restore. For this, the learner
 * stores the result of {@link #save} with its state, and passes it to {@link #open}. Confined to
 * one thread.
 */
public interface PredictionLog extends AutoCloseable {
  /** A log that ignores all rows. */
  PredictionLog NONE =
      new PredictionLog() {
        @Override
        public boolean wanted() {
          return false;
        }

        @Override
        public void open(byte @Nullable [] saved) {}

        @Override
        public void add(PredictedEvent event) {}

        @Override
        public void flush() {}

        @Override
        public byte @Nullable [] save() {
          return null;
        }

        @Override
        public void close() {}
      };

  /** Returns whether this log stores rows. */
  boolean wanted();

  /**
   * Opens the log. Rows that were in the log at an earlier {@link #save} stay, and later rows are
   * removed. This must be the first call, and is made once.
   *
   * @param saved the result of {@link #save}; null if the learner has no such state
   * @throws IOException with the reason and advice
   */
  void open(byte @Nullable [] saved) throws IOException;

  /**
   * Adds a row.
   *
   * @throws IOException with the reason and advice, as do the methods below
   */
  void add(PredictedEvent event) throws IOException;

  /** Makes the rows so far visible to readers. */
  void flush() throws IOException;

  /**
   * Makes the rows so far durable, and returns the position of the end of the log; null if the log
   * stores no rows.
   */
  byte @Nullable [] save() throws IOException;

  @Override
  void close() throws IOException;
}
