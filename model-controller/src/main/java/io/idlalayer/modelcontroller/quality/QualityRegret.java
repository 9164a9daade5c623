package io.idlalayer.modelcontroller.quality;

import io.idlalayer.modelcontroller.quality.QualitySettings.Detector;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Charges lost accuracy beside waiting time: while a detected drift is open, a waiting sample is
 * charged u = 1 + secondsPerLoss * (loss - loss before the drift) per second. Dividing the
 * objective by u leaves the old problem with the update cost C/u, and a threshold may change at
 * every update (update-timing, 4.2), so every bound of the rules holds as before. Not thread-safe.
 *
 * <p>A drift closes when nine tenths of the loss are won back, or after some updates: then the new
 * level is the level. One wild loss must not end it by making all others look won back, so while a
 * drift is open a loss counts as at most 32 times the worst so far above or below the recent mean.
 */
public final class QualityRegret {
  private static final byte VERSION = 1;
  private static final double ADWIN_DELTA = 0.002;
  private static final double TOLERANCE = 0.25;
  private static final double THRESHOLD = 60;
  private static final int STEP = 32;
  private static final double RECENT = 1 / 64.0;
  private static final double FARTHEST = 32;
  private static final double WON_BACK = 0.1;
  private static final int UPDATES = 5;
  private static final double MOST = 1000;

  private final QualitySettings settings;
  private final @Nullable DriftDetector detector;

  private boolean open;
  private double baseline;
  private double recent;
  private double worst;
  private int updates;
  private int sinceStep;
  private double urgency = 1;

  public QualityRegret(QualitySettings settings) {
    this.settings = settings;
    detector =
        switch (settings.detector()) {
          case OFF -> null;
          case ADWIN -> new Adwin(ADWIN_DELTA);
          case PAGE_HINKLEY -> new PageHinkley(TOLERANCE, THRESHOLD);
        };
  }

  /**
   * Takes the loss of one sample that was scored before it was trained; what is no finite number is
   * passed over.
   *
   * @return whether the urgency changed; at most once in 32 samples
   */
  public boolean observe(double loss) {
    DriftDetector watching = detector;
    if (watching == null || !DriftDetector.watchable(loss)) {
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
    double reach = FARTHEST * worst;
    recent += RECENT * Math.max(-reach, Math.min(reach, loss - recent));
    worst = Math.max(worst, recent - baseline);
    if (++sinceStep < STEP) {
      return false;
    }
    sinceStep = 0;
    return recent - baseline <= WON_BACK * worst ? close() : set(recent);
  }

  private boolean set(double loss) {
    double before = urgency;
    double lost = Math.max(0, loss - baseline);
    urgency = Math.min(MOST, 1 + settings.secondsPerLoss() * lost);
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
   * An update was accepted.
   *
   * @return whether the urgency changed
   */
  public boolean updated() {
    return open && ++updates >= UPDATES && close();
  }

  /** By how much a waiting sample is charged more now; at least 1. */
  public double urgency() {
    return urgency;
  }

  /** Everything seen, for {@link #restore}. */
  public byte[] snapshot() {
    int more = detector == null ? 0 : detector.bytes();
    ByteBuffer out = ByteBuffer.allocate(3 + 4 * 8 + 2 * 4 + more);
    out.put(VERSION).put((byte) code(settings.detector())).put((byte) (open ? 1 : 0));
    out.putDouble(baseline).putDouble(recent).putDouble(worst).putDouble(urgency);
    out.putInt(updates).putInt(sinceStep);
    if (detector != null) {
      detector.write(out);
    }
    return out.array();
  }

  private static int code(Detector detector) {
    return switch (detector) {
      case OFF -> 0;
      case ADWIN -> 1;
      case PAGE_HINKLEY -> 2;
    };
  }

  /**
   * Takes {@link #snapshot()} back; what another detector saw is of no use and is passed over.
   *
   * @throws IllegalArgumentException if the bytes are of another version or length
   */
  public void restore(byte[] snapshot) {
    if (snapshot.length < 2) {
      throw damaged(snapshot, 2);
    }
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "quality snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    if (in.get() != code(settings.detector())) {
      return;
    }
    int length = 3 + 4 * 8 + 2 * 4 + (detector == null ? 0 : detector.bytes());
    if (snapshot.length != length) {
      throw damaged(snapshot, length);
    }
    open = in.get() == 1;
    baseline = in.getDouble();
    recent = in.getDouble();
    worst = in.getDouble();
    urgency = in.getDouble();
    updates = in.getInt();
    sinceStep = in.getInt();
    if (detector != null) {
      detector.read(in);
    }
  }

  private static IllegalArgumentException damaged(byte[] snapshot, int length) {
    return new IllegalArgumentException(
        "quality snapshot has %d bytes instead of %d: restore from an older checkpoint"
            .formatted(snapshot.length, length));
  }
}
