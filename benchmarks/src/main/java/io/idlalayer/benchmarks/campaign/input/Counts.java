package io.idlalayer.benchmarks.campaign.input;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Events by what becomes of them, as the pages on life stages and on the report say. Each event is
 * in one count.
 *
 * @param received all events
 * @param malformed events that cannot be read
 * @param trained samples with features and a label: each trains
 * @param unlabelled events that came without a label and were the first of their id or had none
 * @param repeated other events that added neither a sample nor a first label
 * @param waiting labels whose event has not come
 */
public record Counts(
    long received, long malformed, long trained, long unlabelled, long repeated, long waiting) {

  /** Counts events in their order. */
  public static Counts of(List<Reading> readings) {
    Counting counting = new Counting();
    readings.forEach(counting::add);
    return new Counts(
        readings.size(),
        counting.malformed,
        counting.trained,
        counting.unlabelled,
        counting.repeated,
        counting.waiting);
  }

  /** What is known of one id. */
  private record Known(boolean features, boolean label) {}

  private static final class Counting {
    private final Map<String, Known> byId = new HashMap<>();
    private long malformed;
    private long trained;
    private long unlabelled;
    private long repeated;
    private long waiting;

    void add(Reading reading) {
      if (reading.refusal() != null) {
        malformed++;
      } else if (reading.id().isEmpty() && reading.label().isEmpty()) {
        unlabelled++;
      } else if (reading.id().isEmpty()) {
        // However often its content came before.
        trained++;
      } else {
        withId(reading, !reading.features().isEmpty(), !reading.label().isEmpty());
      }
    }

    private void withId(Reading reading, boolean features, boolean label) {
      Known known = byId.getOrDefault(reading.id(), new Known(false, false));
      boolean whole = (known.features || features) && (known.label || label);
      boolean first = !known.features && !known.label;
      boolean wholeBefore = known.features && known.label;
      if (whole && !wholeBefore) {
        trained++;
      }
      if (!known.features && known.label && features) {
        waiting--;
      }
      if (features && !label && !known.features) {
        unlabelled++;
      } else if (first && !whole) {
        waiting++;
      } else if (!first && !(label && known.features && !known.label)) {
        repeated++;
      }
      byId.put(reading.id(), new Known(known.features || features, known.label || label));
    }
  }
}
