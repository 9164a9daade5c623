package io.idlalayer.benchmarks.rows;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/**
 * Writes made-up clicks in the shape of Criteo's: a label, 13 numbers, 26 ids whose tables have
 * between 3 and a given number of rows. Ids follow Zipf's law with an exponent for each table, and
 * in the larger tables other ids become popular over time. Whether there was a click depends on
 * hidden weights of the ids and on two of the numbers, so there is something to learn. Equal seeds
 * give equal events.
 */
final class CriteoEvents {
  static final int NUMBERS = 13;
  static final int FEATURES = 26;
  private static final int FEWEST_IDS = 3;
  private static final double BIAS = -1.2;

  /** Into how many steps the popularity of a table moves on over all events. */
  private static final int DRIFT_STEPS = 200;

  /** How events are written. */
  enum Format {
    /** Criteo's format: label, numbers, ids, separated by tabs. */
    TSV,
    /** One object a line: label, i1 to i13, c1 to c26. */
    JSON
  }

  private final SplittableRandom random;
  private final int[] sizes = new int[FEATURES];
  private final IdStream[] ids = new IdStream[FEATURES];

  /**
   * @param most number of ids of the largest table, at least 3
   * @param exponent exponent of Zipf's law in the middle table
   * @param events number of events that will be drawn; after them all popular ids of large tables
   *     have changed
   */
  CriteoEvents(int most, double exponent, long events, long seed) {
    if (most < FEWEST_IDS) {
      throw new IllegalArgumentException("the largest table has at least 3 ids, not " + most);
    }
    random = new SplittableRandom(seed);
    for (int f = 0; f < FEATURES; f++) {
      double share = f / (FEATURES - 1.0);
      sizes[f] = (int) Math.round(FEWEST_IDS * Math.pow((double) most / FEWEST_IDS, share));
      int shift = sizes[f] / (10 * DRIFT_STEPS);
      long every = Math.max(1, events / DRIFT_STEPS);
      ids[f] =
          IdStream.zipf(
              sizes[f], Math.max(0, exponent + 0.2 * (share - 0.5)), seed + f, every, shift);
    }
  }

  /** Ids of a feature. */
  int size(int feature) {
    return sizes[feature];
  }

  /** The next event as a line without its end. */
  String next(Format format) {
    double[] numbers = new double[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = Math.floor(-20 * Math.log(1 - random.nextDouble()));
    }
    int[] drawn = new int[FEATURES];
    double score = BIAS + 0.02 * (numbers[0] - 20) - 0.01 * (numbers[1] - 20);
    for (int f = 0; f < FEATURES; f++) {
      drawn[f] = ids[f].next();
      score += weight(f, drawn[f]);
    }
    boolean click = random.nextDouble() < 1 / (1 + Math.exp(-score));
    return format == Format.TSV ? tsv(click, numbers, drawn) : json(click, numbers, drawn);
  }

  /** Returns the weight of an id in the score of a click, between -0.5 and 0.5. */
  static double weight(int feature, int id) {
    long mixed = (feature * 1_000_003L + id) * 0x9E3779B97F4A7C15L;
    mixed ^= mixed >>> 29;
    mixed *= 0xBF58476D1CE4E5B9L;
    return ((mixed ^ (mixed >>> 32)) >>> 11) * 0x1p-53 - 0.5;
  }

  private static String tsv(boolean click, double[] numbers, int[] drawn) {
    StringBuilder line = new StringBuilder(400).append(click ? '1' : '0');
    for (double number : numbers) {
      line.append('\t').append((long) number);
    }
    for (int f = 0; f < FEATURES; f++) {
      line.append('\t').append(name(f, drawn[f]));
    }
    return line.toString();
  }

  private static String json(boolean click, double[] numbers, int[] drawn) {
    StringBuilder line = new StringBuilder(600).append("{\"label\":").append(click ? '1' : '0');
    for (int i = 0; i < NUMBERS; i++) {
      line.append(",\"i").append(i + 1).append("\":").append((long) numbers[i]);
    }
    for (int f = 0; f < FEATURES; f++) {
      line.append(",\"c").append(f + 1).append("\":\"").append(name(f, drawn[f])).append('"');
    }
    return line.append('}').toString();
  }

  /** Returns the name of an id, which is unique within its feature. */
  private static String name(int feature, int id) {
    return Long.toHexString(((long) feature << 24) + id);
  }

  /**
   * Writes events, compressed if the file's name ends with .gz.
   *
   * @throws IOException if the file cannot be written
   */
  void write(Path file, Format format, long count) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(file);
        OutputStream out = file.toString().endsWith(".gz") ? new GZIPOutputStream(bytes) : bytes;
        Writer lines = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8))) {
      for (long i = 0; i < count; i++) {
        lines.write(next(format));
        lines.write('\n');
      }
    }
  }
}
