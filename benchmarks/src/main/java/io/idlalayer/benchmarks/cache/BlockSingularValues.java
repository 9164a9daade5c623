package io.idlalayer.benchmarks.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The largest singular values of a matrix by power iteration, one after the other. A step computes
 * {@code u = A v}, reading the matrix forwards, then {@code v = A' u}, reading it backwards. With a
 * block of the matrix an executor reads the vector {@code v}, or the part of {@code u} that it
 * needs; parts of {@code u} serve blocks of all executors.
 */
final class BlockSingularValues {
  static final int COLUMNS = 64;
  static final int ROWS_PER_BLOCK = 32;
  static final int VALUES = 3;

  private static final int U_PER_BLOCK = 2048;
  private static final int STEPS_MAX = 60;
  private static final double TOLERANCE = 1e-10;

  private final BlockLog log;
  private final int[] blocks;

  private BlockSingularValues(BlockLog log, double[][] input) {
    this.log = log;
    blocks = Arrays.stream(input).mapToInt(log::add).toArray();
  }

  /**
   * A matrix whose columns shrink by a third from one to the next, turned a little.
   *
   * @return {@code blocks} blocks of {@link #ROWS_PER_BLOCK} rows
   */
  static double[][] input(int blocks, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] input = new double[blocks][ROWS_PER_BLOCK * COLUMNS];
    for (double[] block : input) {
      for (int i = 0; i < block.length; i++) {
        int column = i % COLUMNS;
        double before = column == 0 ? 0 : block[i - 1];
        block[i] = random.nextGaussian() * Math.pow(2.0 / 3, column) + before / 10;
      }
    }
    return input;
  }

  static BlockRun run(double[][] input, int executors) {
    return new BlockSingularValues(new BlockLog(executors), input).run();
  }

  private BlockRun run() {
    List<double[]> vectors = new ArrayList<>();
    double[] values = new double[VALUES];
    int steps = 0;
    for (int i = 0; i < VALUES; i++) {
      double[] v = new double[COLUMNS];
      Arrays.fill(v, 1);
      orthonormalize(v, vectors);
      double change = 1;
      for (int step = 0; step < STEPS_MAX && change > TOLERANCE; step++) {
        double[] u = forwards(v);
        values[i] = norm(u);
        double[] next = backwards(u);
        orthonormalize(next, vectors);
        change = 0;
        for (int c = 0; c < COLUMNS; c++) {
          change = Math.max(change, Math.abs(next[c] - v[c]));
        }
        v = next;
        steps++;
      }
      vectors.add(v);
    }
    int live = blocks.length + 1 + partsOfU();
    return new BlockRun(
        "svd", log.executors(), live, steps, log.references(), new double[][] {values});
  }

  private int partsOfU() {
    return (blocks.length * ROWS_PER_BLOCK + U_PER_BLOCK - 1) / U_PER_BLOCK;
  }

  private double[] forwards(double[] vector) {
    int shared = log.add(vector);
    double[] u = new double[blocks.length * ROWS_PER_BLOCK];
    for (int i = 0; i < blocks.length; i++) {
      int executor = i % log.executors();
      double[] rows = log.read(executor, blocks[i]);
      double[] v = log.read(executor, shared);
      for (int r = 0; r < ROWS_PER_BLOCK; r++) {
        double sum = 0;
        for (int c = 0; c < COLUMNS; c++) {
          sum += rows[r * COLUMNS + c] * v[c];
        }
        u[i * ROWS_PER_BLOCK + r] = sum;
      }
    }
    log.barrier();
    return u;
  }

  private double[] backwards(double[] u) {
    int[] parts = new int[partsOfU()];
    for (int p = 0; p < parts.length; p++) {
      int to = Math.min(u.length, (p + 1) * U_PER_BLOCK);
      parts[p] = log.add(Arrays.copyOfRange(u, p * U_PER_BLOCK, to));
    }
    double[] v = new double[COLUMNS];
    for (int i = blocks.length - 1; i >= 0; i--) {
      int executor = i % log.executors();
      double[] rows = log.read(executor, blocks[i]);
      int first = i * ROWS_PER_BLOCK;
      double[] part = log.read(executor, parts[first / U_PER_BLOCK]);
      for (int r = 0; r < ROWS_PER_BLOCK; r++) {
        double factor = part[first % U_PER_BLOCK + r];
        for (int c = 0; c < COLUMNS; c++) {
          v[c] += rows[r * COLUMNS + c] * factor;
        }
      }
    }
    log.barrier();
    return v;
  }

  private static void orthonormalize(double[] vector, List<double[]> others) {
    for (double[] other : others) {
      double product = 0;
      for (int c = 0; c < COLUMNS; c++) {
        product += vector[c] * other[c];
      }
      for (int c = 0; c < COLUMNS; c++) {
        vector[c] -= product * other[c];
      }
    }
    double norm = norm(vector);
    for (int c = 0; c < COLUMNS; c++) {
      vector[c] /= norm;
    }
  }

  private static double norm(double[] vector) {
    double sum = 0;
    for (double each : vector) {
      sum += each * each;
    }
    return Math.sqrt(sum);
  }
}
