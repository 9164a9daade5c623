package io.idlalayer.benchmarks;

import io.idlalayer.middleware.sample.format.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Generated events whose cost is measured; no two are equal. Rows of numbers have 6 of them in CSV,
 * as the log Electricity has. Rows with ids have 13 numbers and 26 ids with tabs between them, as
 * the log of Criteo has; a few ids are frequent, most are rare.
 */
final class CostEvents implements RecordReader {
  /** The kinds of events. */
  enum Kind {
    /** Six numbers. */
    DENSE,
    /** Thirteen numbers and 26 ids. */
    IDS
  }

  private static final int NUMBERS = 6;
  private static final int COUNTS = 13;
  private static final int IDS = 26;
  private static final int MOST_IDS = 1 << 16;
  private static final double CLICKED = 0.25;

  private final Kind kind;
  private final long events;
  private final SplittableRandom random = new SplittableRandom(1);
  private long position;

  CostEvents(Kind kind, long events) {
    this.kind = kind;
    this.events = events;
  }

  /**
   * Returns the text of an application for events of a kind. It trains one model, with the first
   * 1,000 events, which scores all later ones.
   */
  static String application(Kind kind) {
    String update = "update: {rule: count, count: 1000, min-interval: 1h, max-batch: 100000}\n";
    return switch (kind) {
      case DENSE ->
          """
          name: dense
          input:
            format: csv
            header: false
            columns: [a, b, c, d, e, f, class]
            features: [a, b, c, d, e, f]
            label: class
            classes: ["0", "1"]
          model: {type: mlp, hidden: [64, 32]}
          """
              + update;
      case IDS ->
          """
          name: ids
          input: {format: criteo-tsv, classes: ["0", "1"]}
          model: {type: wide-and-deep, hidden: [64, 32]}
          embeddings: {dim: 8, updater: adagrad, learning-rate: 0.02}
          """
              + update;
    };
  }

  @Override
  public boolean next() {
    return position++ < events;
  }

  @Override
  public byte[] record() {
    StringBuilder row = new StringBuilder();
    if (kind == Kind.DENSE) {
      double sum = 0;
      for (int i = 0; i < NUMBERS; i++) {
        double value = random.nextDouble();
        sum += value;
        row.append(String.format(Locale.ROOT, "%.6f,", value));
      }
      row.append(sum > NUMBERS / 2.0 ? 1 : 0);
    } else {
      row.append(random.nextDouble() < CLICKED ? 1 : 0);
      for (int i = 0; i < COUNTS; i++) {
        row.append('\t').append(random.nextInt(10_000));
      }
      for (int i = 0; i < IDS; i++) {
        // The logarithm is uniform: half of all ids are among the first 256.
        int id = (int) Math.pow(MOST_IDS, random.nextDouble());
        row.append('\t').append(String.format(Locale.ROOT, "%08x", id * IDS + i));
      }
    }
    return row.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {}
}
