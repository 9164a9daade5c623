package io.idlalayer.jobs.demo;

import io.idlalayer.middleware.sample.format.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * JSON events of a two-class problem whose boundary turns slowly and, twice, jumps. Some events are
 * repeated, some labels are wrong or missing, and some events are not JSON. Equal seeds give equal
 * events.
 */
public final class DriftingStream implements RecordReader {
  /** Number of features of each event. */
  public static final int FEATURES = 8;

  static final double DUPLICATES = 0.15;
  static final double WRONG_LABELS = 0.05;
  static final double NO_LABEL = 0.01;
  static final double MALFORMED = 0.002;
  private static final int REMEMBERED = 512;
  private static final int CONCEPTS = 3;
  private static final double TURN_PER_EVENT = 2e-5;

  private final SplittableRandom random;
  private final long events;
  private final String[] recent = new String[REMEMBERED];
  private long position;
  private byte[] current = {};

  public DriftingStream(long seed, long events) {
    random = new SplittableRandom(seed);
    this.events = events;
  }

  @Override
  public boolean next() {
    if (position == events) {
      return false;
    }
    position++;
    int known = (int) Math.min(REMEMBERED, position - 1);
    double dice = random.nextDouble();
    String event;
    if (dice < MALFORMED) {
      event = "{\"x\": [1, 2, oops";
    } else if (dice < MALFORMED + DUPLICATES && known > 0) {
      event = recent[random.nextInt(known)];
    } else {
      event = fresh(dice > 1 - NO_LABEL);
    }
    recent[(int) ((position - 1) % REMEMBERED)] = event;
    current = event.getBytes(StandardCharsets.UTF_8);
    return true;
  }

  private String fresh(boolean withoutLabel) {
    double[] x = new double[FEATURES];
    StringBuilder text = new StringBuilder("{\"x\":[");
    for (int i = 0; i < FEATURES; i++) {
      x[i] = Math.round((random.nextDouble() * 2 - 1) * 1e4) / 1e4;
      text.append(i == 0 ? "" : ",").append(String.format(Locale.ROOT, "%.4f", x[i]));
    }
    text.append("]");
    if (!withoutLabel) {
      boolean wrong = random.nextDouble() < WRONG_LABELS;
      text.append(",\"y\":").append((score(x) > 0) == wrong ? 0 : 1);
    }
    return text.append("}").toString();
  }

  /**
   * Returns a number whose sign says on which side of the class boundary a point lies. The boundary
   * is a turning line through the first two features, with a bend that jumps.
   */
  private double score(double[] x) {
    int concept = (int) Math.min(CONCEPTS - 1, (position - 1) * CONCEPTS / Math.max(1, events));
    double angle = position * TURN_PER_EVENT + concept * Math.PI / 2;
    double line = x[0] * Math.cos(angle) + x[1] * Math.sin(angle);
    double bend = concept % 2 == 0 ? x[2] * x[3] : -x[3] * x[4];
    return line + bend;
  }

  @Override
  public byte[] record() {
    return current;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {}
}
