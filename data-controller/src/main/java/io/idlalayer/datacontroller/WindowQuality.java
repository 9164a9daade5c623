package io.idlalayer.datacontroller;

import java.nio.ByteBuffer;

/**
 * How good the model has been since the last update: minus the mean prequential loss, which for
 * classification is minus the logarithm of the perplexity. Higher is better.
 */
final class WindowQuality {
  private static final byte VERSION = 1;

  private double sum;
  private long count;
  private double before = Double.NaN;
  private double seconds;

  void add(float loss) {
    sum -= loss;
    count++;
  }

  /** Since the last update; NaN if nothing was scored. */
  double mean() {
    return count == 0 ? Double.NaN : sum / count;
  }

  /** What the last update brought; NaN if that is not known. */
  double gain() {
    return seconds > 0 ? mean() - before : Double.NaN;
  }

  /** How long the last update took. */
  double trainSeconds() {
    return seconds;
  }

  /** An update ended. */
  void next(double trainSeconds) {
    before = mean();
    sum = 0;
    count = 0;
    seconds = trainSeconds;
  }

  byte[] snapshot() {
    ByteBuffer out = ByteBuffer.allocate(1 + 4 * 8);
    out.put(VERSION).putDouble(sum).putLong(count).putDouble(before).putDouble(seconds);
    return out.array();
  }

  void restore(byte[] snapshot) {
    if (snapshot.length == 0) {
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "quality snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    sum = in.getDouble();
    count = in.getLong();
    before = in.getDouble();
    seconds = in.getDouble();
  }
}
