package io.idlalayer.benchmarks;

import io.idlalayer.middleware.sample.format.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/** JSON events of about 1 KB: 50 numbers with 12 decimals and a label. */
final class WideEvents implements RecordReader {
  static final int FEATURES = 50;
  private static final int TEMPLATES = 2_000;

  private final long events;
  private final long different;
  private final String[] templates = new String[TEMPLATES];
  private long position;

  /** All different. */
  WideEvents(long events) {
    this(events, Long.MAX_VALUE);
  }

  /**
   * @param different how many of them differ, at least 2,000; the others repeat those
   */
  WideEvents(long events, long different) {
    this.events = events;
    this.different = different;
    SplittableRandom random = new SplittableRandom(1);
    for (int t = 0; t < TEMPLATES; t++) {
      StringBuilder text = new StringBuilder();
      for (int i = 1; i < FEATURES; i++) {
        text.append(',')
            .append(String.format(Locale.ROOT, "%.12f", random.nextDouble() * 200 - 100));
      }
      templates[t] = text.append("],\"y\":").append(random.nextInt(2)).append('}').toString();
    }
  }

  @Override
  public boolean next() {
    return position++ < events;
  }

  @Override
  public byte[] record() {
    long number = position % different;
    String event = "{\"x\":[" + number + templates[(int) (number % TEMPLATES)];
    return event.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {}
}
