package io.idlalayer.jobs.predictions;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * The end of a prediction file at the moment when the state of its learner was saved.
 *
 * @param file absolute path
 * @param bytes length of the file
 */
record PredictionEnd(String file, long bytes) {
  private static final StateFormat FORMAT = StateFormat.first("predictions");

  static PredictionEnd decode(byte[] saved) {
    StateReader in = FORMAT.reader(saved);
    return new PredictionEnd(in.getText(1), in.getLong(2));
  }

  byte[] encode() {
    return FORMAT.writer().putText(1, file).putLong(2, bytes).bytes();
  }
}
