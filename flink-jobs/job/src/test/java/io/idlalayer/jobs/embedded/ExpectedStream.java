package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.demo.DriftingStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * What a run over the demo stream must come to, counted independently of the code under test: by
 * the texts of the events.
 */
public record ExpectedStream(
    long events, long malformed, long labelledContents, long unlabelledContents) {
  public static ExpectedStream of(long seed, long events) {
    Set<String> labelled = new HashSet<>();
    Set<String> unlabelled = new HashSet<>();
    long malformed = 0;
    DriftingStream stream = new DriftingStream(seed, events);
    while (stream.next()) {
      String text = new String(stream.record(), StandardCharsets.UTF_8);
      if (text.contains("oops")) {
        malformed++;
      } else if (text.contains("\"y\":")) {
        labelled.add(text);
      } else {
        unlabelled.add(text);
      }
    }
    return new ExpectedStream(events, malformed, labelled.size(), unlabelled.size());
  }
}
