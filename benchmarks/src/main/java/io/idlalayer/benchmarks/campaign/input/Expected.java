package io.idlalayer.benchmarks.campaign.input;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must come of an input.
 *
 * @param exitCode exit code of the run
 * @param counts events by what becomes of them; null if the run is refused before it starts
 * @param commonest the commonest reason of malformed events; null if there is none
 * @param commonestEvents how many events it has
 * @param words regular expressions, each of which the terminal must match
 */
public record Expected(
    int exitCode,
    @Nullable Counts counts,
    @Nullable Refusal commonest,
    long commonestEvents,
    List<String> words) {
  static final int LEARNED = 0;
  static final int REFUSED = 2;
  static final int LOSSES = 3;
  static final int NOTHING = 4;

  /** Creates what a refusal before the start must be. */
  static Expected refused(List<String> words) {
    return new Expected(REFUSED, null, null, 0, words);
  }

  /**
   * Creates what a run must be that reads its input to the end.
   *
   * @param allowed share of malformed events that is no loss
   */
  static Expected of(List<Reading> readings, double allowed, List<String> words) {
    Counts counts = Counts.of(readings);
    Map<Refusal, Long> reasons = new EnumMap<>(Refusal.class);
    for (Reading reading : readings) {
      Refusal refusal = reading.refusal();
      if (refusal != null) {
        reasons.merge(refusal, 1L, Long::sum);
      }
    }
    Refusal commonest = null;
    long most = 0;
    for (Map.Entry<Refusal, Long> reason : reasons.entrySet()) {
      if (reason.getValue() > most) {
        commonest = reason.getKey();
        most = reason.getValue();
      }
    }
    return new Expected(exitCode(counts, allowed), counts, commonest, most, words);
  }

  private static int exitCode(Counts counts, double allowed) {
    if (counts.trained() == 0) {
      return NOTHING;
    }
    return counts.malformed() > allowed * counts.received() ? LOSSES : LEARNED;
  }
}
