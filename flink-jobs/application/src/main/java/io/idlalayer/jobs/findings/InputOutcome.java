package io.idlalayer.jobs.findings;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.terminal.Terminal;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The outcome of an input, that is, how much of it was learned, with its exit code. */
public enum InputOutcome {
  /** Everything was learned, or the input has not ended yet. */
  LEARNED(Terminal.OK),
  /** Something was learned, but events were refused, lost or given up. */
  LOSSES(Terminal.LOSSES),
  /** Nothing was learned: no event came, or none could be learned. */
  NOTHING(Terminal.NOTHING_LEARNED);

  private final int exitCode;

  InputOutcome(int exitCode) {
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }

  /**
   * Returns the outcome of an input.
   *
   * @param found survey of the events
   * @param finished whether the input ended; if a run was stopped, the input continues with the
   *     next start, and its outcome is not known yet
   * @param allowedShare share of refused events that does not count as a loss, 0 to 1
   */
  public static InputOutcome of(Surveyed found, boolean finished, double allowedShare) {
    if (!finished) {
      return LEARNED;
    }
    if (found.lostOffsets() == 0 && found.labelled() <= found.quarantined()) {
      return NOTHING;
    }
    return losses(found, allowedShare).isEmpty() ? LEARNED : LOSSES;
  }

  /** Returns the outcome of several inputs together. */
  public static InputOutcome of(List<InputOutcome> all) {
    if (all.stream().allMatch(each -> each == LEARNED)) {
      return LEARNED;
    }
    return all.stream().allMatch(each -> each == NOTHING) ? NOTHING : LOSSES;
  }

  /** Returns why the outcome is not {@link #LEARNED}, in words; "" if it is. */
  public String reason(Surveyed found, double allowedShare) {
    return switch (this) {
      case LEARNED -> "";
      case LOSSES -> "learned with losses: " + String.join(", ", losses(found, allowedShare));
      case NOTHING -> "nothing learned: " + nothing(found);
    };
  }

  private static String nothing(Surveyed found) {
    if (found.events() == 0) {
      return "no event came";
    }
    if (found.decoded() == 0) {
      return String.format(Locale.ROOT, "all %,d events were refused", found.events());
    }
    if (found.labelled() == 0) {
      return String.format(
          Locale.ROOT,
          "none of %,d events had features and a label%s",
          found.decoded(),
          found.refused() == 0
              ? ""
              : String.format(Locale.ROOT, ", and %,d were refused", found.refused()));
    }
    return String.format(
        Locale.ROOT,
        "all %,d samples were quarantined, because they fail in training",
        found.labelled());
  }

  private static List<String> losses(Surveyed found, double allowedShare) {
    List<String> losses = new ArrayList<>();
    if (found.refused() > allowedShare * found.events()) {
      losses.add(
          String.format(
              Locale.ROOT,
              "%,d of %,d events were refused (--allow-malformed is %s %%)",
              found.refused(),
              found.events(),
              percent(allowedShare)));
    }
    if (found.lostOffsets() > 0) {
      losses.add(
          String.format(
              Locale.ROOT, "%,d offsets were gone before they were read", found.lostOffsets()));
    }
    if (found.quarantined() > 0) {
      losses.add(
          String.format(
              Locale.ROOT,
              "%,d samples were quarantined, because they fail in training",
              found.quarantined()));
    }
    return losses;
  }

  private static String percent(double share) {
    return BigDecimal.valueOf(100 * share)
        .setScale(6, RoundingMode.HALF_EVEN)
        .stripTrailingZeros()
        .toPlainString();
  }
}
