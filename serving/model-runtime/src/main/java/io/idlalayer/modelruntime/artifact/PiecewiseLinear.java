package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.change.ColumnMap;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The piecewise-linear encoding of dense values (Gorishniy 2022), with bins that follow the stream.
 * Each value becomes one number for each bin of its column: 0 if it lies below the bin, 1 if it
 * lies above, and else its place between the bin's edges.
 *
 * <p>The edges are quantiles of a random sample of about the last {@link #WINDOW} rows, and are
 * found again each {@link #REFIT_ROWS} rows. A column with fewer distinct values than edges has
 * fewer bins; its remaining numbers are 0. A column that does not vary in the sample keeps its
 * edges. What is NaN stays NaN. Immutable; part of the model's scaler.
 */
public final class PiecewiseLinear {
  static final int WINDOW = 8_192;
  static final int REFIT_ROWS = 256;

  /** Number of rows of the sample for each bin: a quantile is off by about 3 % of the rows. */
  private static final int ROWS_PER_BIN = 16;

  /** Largest absolute value that is told apart, so that all differences are finite. */
  private static final double LARGEST = 1e300;

  private final State state;
  private final int width;

  /** Lower edges of all bins, column by column. */
  private final double[] edges;

  /** Widths of all bins, column by column; infinite for a bin that the column does not need. */
  private final double[] spans;

  /**
   * The state of an encoding, as it is stored with the model.
   *
   * @param bins bins of a column
   * @param fitted number of the stream's rows when the edges were found
   * @param sample rows of the stream, the oldest first: the values of each, 8 bytes a value
   * @param edges for each column its edges, one more than bins, from the least on, 8 bytes an edge;
   *     those that it does not need repeat the largest one
   */
  record State(int bins, long fitted, byte[] sample, byte[] edges) {
    /**
     * Returns whether this is the state of an encoding.
     *
     * @param width number of columns
     * @param seen number of the stream's rows
     */
    boolean valid(int width, long seen) {
      if (bins < 1 || fitted < 0 || fitted > seen || sample == null || edges == null) {
        return false;
      }
      long rowBytes = (long) width * Double.BYTES;
      if (rowBytes == 0
          || sample.length % rowBytes != 0
          || sample.length / rowBytes > sampleRows(bins)
          || edges.length != rowBytes * (bins + 1L)) {
        return false;
      }
      double[] values = doubles(edges);
      for (int i = 0; i < values.length; i++) {
        boolean rises = i % (bins + 1) == 0 || values[i] >= values[i - 1];
        if (!rises || !(Math.abs(values[i]) <= LARGEST)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * @param state a valid one
   * @param width number of columns
   */
  PiecewiseLinear(State state, int width) {
    this.state = state;
    this.width = width;
    int bins = state.bins();
    double[] all = doubles(state.edges());
    edges = new double[width * bins];
    spans = new double[width * bins];
    for (int column = 0; column < width; column++) {
      for (int bin = 0; bin < bins; bin++) {
        double lower = all[column * (bins + 1) + bin];
        double span = all[column * (bins + 1) + bin + 1] - lower;
        edges[column * bins + bin] = lower;
        spans[column * bins + bin] = span > 0 ? span : Double.POSITIVE_INFINITY;
      }
    }
  }

  /** Returns an encoding that has seen no rows; it gives zeros. */
  static PiecewiseLinear empty(int width, int bins) {
    byte[] edges = new byte[width * (bins + 1) * Double.BYTES];
    return new PiecewiseLinear(new State(bins, 0, new byte[0], edges), width);
  }

  private static int sampleRows(int bins) {
    return ROWS_PER_BIN * bins;
  }

  State state() {
    return state;
  }

  /** Returns the number of bins of a column, which is the number of its encoded values. */
  public int bins() {
    return state.bins();
  }

  /** Returns a copy of the lower edges of all bins; shape [columns, bins]. */
  public double[] edges() {
    return edges.clone();
  }

  /** Returns a copy of the widths of all bins; shape [columns, bins]. Infinite for no bin. */
  public double[] spans() {
    return spans.clone();
  }

  /**
   * Returns the largest absolute value that is encoded exactly; larger ones are treated as this
   * one.
   */
  public static double largest() {
    return LARGEST;
  }

  /**
   * Returns an encoding that has also seen these samples.
   *
   * @param before number of the stream's rows before them
   */
  PiecewiseLinear including(List<Sample> samples, long before) {
    int most = sampleRows(state.bins());
    double[] kept = doubles(state.sample());
    double[] values = Arrays.copyOf(kept, most * width);
    int rows = kept.length / width;
    for (int i = 0; i < samples.size(); i++) {
      if (isKept(before + i, most)) {
        if (rows == most) {
          System.arraycopy(values, width, values, 0, (most - 1) * width);
          rows--;
        }
        System.arraycopy(samples.get(i).dense(), 0, values, rows * width, width);
        rows++;
      }
    }
    long seen = before + samples.size();
    boolean due = seen - state.fitted() >= Math.min(REFIT_ROWS, Math.max(1, state.fitted()));
    return new PiecewiseLinear(
        new State(
            state.bins(),
            due ? seen : state.fitted(),
            bytes(values, rows * width),
            due ? fitted(values, rows) : state.edges()),
        width);
  }

  /**
   * Returns the encoding of several streams that are read side by side, whose edges are the
   * quantiles of the newest rows of all samples, as many of each.
   *
   * @param encodings encodings of the same columns with as many bins, at least one
   * @param seen number of rows of all streams
   */
  static PiecewiseLinear mixed(List<PiecewiseLinear> encodings, long seen) {
    PiecewiseLinear first = encodings.get(0);
    int width = first.width;
    int most = sampleRows(first.bins());
    List<double[]> samples = encodings.stream().map(each -> doubles(each.state.sample())).toList();
    double[] newestFirst = new double[most * width];
    int rows = 0;
    for (int back = 1; back <= most; back++) {
      for (double[] sample : samples) {
        int at = sample.length - back * width;
        if (at >= 0 && rows < most) {
          System.arraycopy(sample, at, newestFirst, rows * width, width);
          rows++;
        }
      }
    }
    double[] values = new double[rows * width];
    for (int row = 0; row < rows; row++) {
      System.arraycopy(newestFirst, (rows - 1 - row) * width, values, row * width, width);
    }
    byte[] sample = bytes(values, values.length);
    State unfitted = new State(first.bins(), seen, sample, first.state.edges());
    byte[] edges = new PiecewiseLinear(unfitted, width).fitted(values, rows);
    return new PiecewiseLinear(new State(first.bins(), seen, sample, edges), width);
  }

  /**
   * Returns an encoding of other columns. A column that is new is missing in the rows of the sample
   * and gives zeros until edges are found again.
   *
   * @param columns where the columns come from
   */
  PiecewiseLinear changed(ColumnMap columns) {
    double[] rows = doubles(state.sample());
    int count = rows.length / width;
    int after = columns.after();
    double[] changed = new double[count * after];
    int edgeCount = state.bins() + 1;
    double[] edgesBefore = doubles(state.edges());
    double[] edgesAfter = new double[after * edgeCount];
    for (int column = 0; column < after; column++) {
      int source = columns.source(column);
      for (int row = 0; row < count; row++) {
        changed[row * after + column] =
            source == ColumnMap.ADDED ? Double.NaN : rows[row * width + source];
      }
      if (source != ColumnMap.ADDED) {
        System.arraycopy(
            edgesBefore, source * edgeCount, edgesAfter, column * edgeCount, edgeCount);
      }
    }
    return new PiecewiseLinear(
        new State(
            state.bins(),
            state.fitted(),
            bytes(changed, changed.length),
            bytes(edgesAfter, edgesAfter.length)),
        after);
  }

  /**
   * Returns whether the sample takes a row of the stream. Early rows are all taken, later ones by a
   * hash of their index, so that no period of the stream meets one of the sample.
   *
   * @param most most rows of the sample
   */
  private static boolean isKept(long index, int most) {
    long interval = Math.min(WINDOW / most, Long.highestOneBit(Math.max(1, index / (2L * most))));
    return Long.remainderUnsigned(BitMixer.splitMix(index), interval) == 0;
  }

  private byte[] fitted(double[] values, int rows) {
    int count = state.bins() + 1;
    double[] found = doubles(state.edges());
    double[] sorted = new double[rows];
    for (int column = 0; column < width; column++) {
      int finite = 0;
      for (int row = 0; row < rows; row++) {
        double value = values[row * width + column];
        if (Double.isFinite(value)) {
          sorted[finite++] = bounded(value);
        }
      }
      Arrays.sort(sorted, 0, finite);
      if (finite > 0 && sorted[0] < sorted[finite - 1]) {
        quantiles(sorted, finite, found, column * count);
      }
    }
    return bytes(found, found.length);
  }

  /** Writes the distinct quantiles of a column, the largest one also for those that are missing. */
  private void quantiles(double[] sorted, int count, double[] into, int at) {
    int bins = state.bins();
    int distinct = 0;
    for (int i = 0; i <= bins; i++) {
      // Equal quantiles would move a column's values to other bins as their shares change.
      double quantile = sorted[(int) ((long) i * (count - 1) / bins)];
      if (distinct == 0 || quantile > into[at + distinct - 1]) {
        into[at + distinct] = quantile;
        distinct++;
      }
    }
    Arrays.fill(into, at + distinct, at + bins + 1, sorted[count - 1]);
  }

  /**
   * Encodes the values of all columns.
   *
   * @param into where to, from index {@code at}: the bins of the first column, and so on
   */
  public void encode(double[] values, float[] into, int at) {
    for (int column = 0; column < width; column++) {
      encode(column, values[column], into, at);
    }
  }

  /**
   * Encodes one value.
   *
   * @param at index of the first bin of the first column
   */
  public void encode(int column, double value, float[] into, int at) {
    double bounded = bounded(value);
    int bins = state.bins();
    for (int i = column * bins; i < (column + 1) * bins; i++) {
      double place = (bounded - edges[i]) / spans[i];
      into[at + i] = place <= 0 ? 0 : place > 1 ? 1 : (float) place;
    }
  }

  private static double bounded(double value) {
    if (value > LARGEST) {
      return LARGEST;
    }
    return value < -LARGEST ? -LARGEST : value;
  }

  private static double[] doubles(byte[] bytes) {
    double[] values = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).asDoubleBuffer().get(values);
    return values;
  }

  private static byte[] bytes(double[] values, int count) {
    byte[] bytes = new byte[count * Double.BYTES];
    ByteBuffer.wrap(bytes).asDoubleBuffer().put(values, 0, count);
    return bytes;
  }
}
