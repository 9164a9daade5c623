package io.idlalayer.benchmarks.campaign.check;

import io.idlalayer.benchmarks.campaign.check.History.Event;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Events by class, counted from the topic alone.
 *
 * @param contents distinct labelled contents: equal samples meet at one learner
 * @param repeated labelled events whose content had come before
 */
record Tally(long events, long malformed, long unlabelled, long contents, long repeated) {
  static Tally of(Collection<Event> events) {
    return before(events, Map.of());
  }

  /** Counts events before some offsets; partitions that are not named are counted whole. */
  static Tally before(Collection<Event> events, Map<Integer, Long> offsets) {
    Set<String> seen = new HashSet<>();
    long all = 0;
    long malformed = 0;
    long unlabelled = 0;
    long repeated = 0;
    for (Event event : events) {
      if (event.control()
          || event.offset() >= offsets.getOrDefault(event.partition(), Long.MAX_VALUE)) {
        continue;
      }
      all++;
      Row row = Row.of(event.value());
      switch (row.kind()) {
        case MALFORMED -> malformed++;
        case UNLABELLED -> unlabelled++;
        case LABELLED -> repeated += seen.add(row.content()) ? 0 : 1;
      }
    }
    return new Tally(all, malformed, unlabelled, seen.size(), repeated);
  }
}
