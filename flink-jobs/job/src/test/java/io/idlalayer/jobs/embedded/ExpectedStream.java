package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.demo.DriftingStream;
import java.nio.charset.StandardCharsets;

/**
 * What a run over the demo stream must come to, counted independently of the code under test: by
 * the texts of the events.
 */
public record ExpectedStream(
    long events, long malformed, long labelledEvents, long unlabelledEvents) {
  public static ExpectedStream of(long seed, long events) {
    long labelled = 0;
    long unlabelled = 0;
    long malformed = 0;
    DriftingStream stream = new DriftingStream(seed, events);
    while (stream.next()) {
      String text = new String(stream.record(), StandardCharsets.UTF_8);
      if (text.contains("oops")) {
        malformed++;
      } else if (text.contains("\"y\":")) {
        labelled++;
      } else {
        unlabelled++;
      }
    }
    return new ExpectedStream(events, malformed, labelled, unlabelled);
  }
}
