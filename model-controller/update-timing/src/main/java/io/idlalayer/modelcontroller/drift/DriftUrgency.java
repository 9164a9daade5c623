package io.idlalayer.modelcontroller.drift;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import org.jspecify.annotations.Nullable;

/**
 * Computes the urgency of updates while the quality of the model is reduced by a detected drift:
 * the cost of a second of waiting is then multiplied by u = 1 + secondsPerLoss * (loss - loss
 * before the drift). Dividing the objective by u gives the original problem with the update cost
 * C/u. The bounds of the update rules hold although their threshold changes at every update, so the
 * bounds hold with an urgency too. Not thread-safe.
 *
 * <p>A drift ends when nine tenths of the lost quality are regained, or after {@link
 * #UPDATES_TO_CLOSE} updates; then the new level of the loss counts as normal. One extreme loss
 * must not end a drift by making all other losses look small. So while a drift is open, a loss is
 * clamped to a range around the recent mean: its distance from the mean is at most {@link
 * #CLAMP_FACTOR} times the worst rise of the mean so far.
 */
public final class DriftUrgency {
  /** Probability of a false alarm per check; the default of the authors' own program. */
  private static final double ADWIN_DELTA = 0.002;

  /**
   * Rise of the mean loss that does not count as a change, in standard deviations. An update could
   * not win back such a small loss.
   */
  private static final double PAGE_HINKLEY_TOLERANCE = 0.25;

  /**
   * Cumulated rise of the loss that counts as a change, in standard deviations. With this value,
   * measurements on stationary streams raised no alarm.
   */
  private static final double PAGE_HINKLEY_THRESHOLD = 60;

  /**
   * Number of losses from one change of the urgency to the next; each change restarts the update
   * rule.
   */
  private static final int LOSSES_PER_STEP = 32;

  /** Weight of the latest loss in the recent mean, which is a mean over about 64 losses. */
  private static final double RECENT_GAIN = 1 / 64.0;

  private static final double CLAMP_FACTOR = 32;

  /**
   * A drift ends when the rise of the loss is at most this share of the worst rise during the
   * drift.
   */
  private static final double WON_BACK_SHARE = 0.1;

  private static final int UPDATES_TO_CLOSE = 5;

  /**
   * Upper bound of the urgency u, which keeps the update cost C/u above 0 even if {@code
   * secondsPerLoss} is very large.
   */
  private static final double LARGEST_URGENCY = 1000;

  private static final StateFormat FORMAT = StateFormat.first("drift urgency");

  private final DriftSettings settings;
  private final @Nullable DriftDetector detector;

  private boolean open;
  private double baseline;
  private double recent;
  private double worst;
  private int updates;
  private int sinceStep;
  private double urgency = 1;

  public DriftUrgency(DriftSettings settings) {
    this.settings = settings;
    detector =
        switch (settings.detector()) {
          case OFF -> null;
          case ADWIN -> new Adwin(ADWIN_DELTA);
          case PAGE_HINKLEY -> new PageHinkley(PAGE_HINKLEY_TOLERANCE, PAGE_HINKLEY_THRESHOLD);
        };
  }

  /**
   * Adds the loss of one sample that was scored before it was trained; ignores a loss that is not
   * finite.
   *
   * @return whether the urgency changed; the urgency changes at most once in 32 samples
   */
  public boolean observe(double loss) {
    DriftDetector watching = detector;
    if (watching == null || !DriftDetector.isUsable(loss)) {
      return false;
    }
    boolean detected = watching.observe(loss);
    if (!open) {
      if (!detected || watching.since() <= watching.before()) {
        return false;
      }
      open = true;
      updates = 0;
      sinceStep = 0;
      baseline = watching.before();
      recent = watching.since();
      worst = recent - baseline;
      return set(recent);
    }
    double most = CLAMP_FACTOR * worst;
    recent += RECENT_GAIN * Math.max(-most, Math.min(most, loss - recent));
    worst = Math.max(worst, recent - baseline);
    if (++sinceStep < LOSSES_PER_STEP) {
      return false;
    }
    sinceStep = 0;
    return recent - baseline <= WON_BACK_SHARE * worst ? close() : set(recent);
  }

  private boolean set(double loss) {
    double before = urgency;
    double lost = Math.max(0, loss - baseline);
    urgency = Math.min(LARGEST_URGENCY, 1 + settings.secondsPerLoss() * lost);
    return urgency != before;
  }

  private boolean close() {
    open = false;
    boolean changed = urgency != 1;
    urgency = 1;
    if (detector != null) {
      detector.reset();
    }
    return changed;
  }

  /**
   * Records that an update was accepted. An open drift can end by this.
   *
   * @return whether the urgency changed
   */
  public boolean updated() {
    return open && ++updates >= UPDATES_TO_CLOSE && close();
  }

  /**
   * Returns the factor by which the cost of a second of waiting is multiplied at present; at least
   * 1.
   */
  public double urgency() {
    return urgency;
  }

  /** Returns whether a detected drift is open. */
  boolean isOpen() {
    return open;
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putText(1, settings.detector().name())
        .putBoolean(2, open)
        .putDouble(3, baseline)
        .putDouble(4, recent)
        .putDouble(5, worst)
        .putDouble(6, urgency)
        .putInt(7, updates)
        .putInt(8, sinceStep)
        .putBytes(9, detector == null ? new byte[0] : detector.snapshot())
        .bytes();
  }

  /**
   * Replaces the state by the state in a snapshot; ignores a snapshot that was made with another
   * detector.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    if (!in.getText(1).equals(settings.detector().name())) {
      return;
    }
    byte[] seen = in.getBytes(9);
    if (detector != null) {
      detector.restore(seen);
    }
    open = in.getBoolean(2);
    baseline = in.getDouble(3);
    recent = in.getDouble(4);
    worst = in.getDouble(5);
    urgency = in.getDouble(6);
    updates = in.getInt(7);
    sinceStep = in.getInt(8);
  }
}
