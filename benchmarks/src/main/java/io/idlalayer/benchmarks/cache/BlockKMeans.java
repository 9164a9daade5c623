package io.idlalayer.benchmarks.cache;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Lloyd's k-means over blocks of points. The centroids of a round are one block, which each
 * executor reads with each of its blocks. A block is passed over as long as a bound on distances
 * (Hamerly, 2010, here for a whole block) proves that none of its points changes its cluster.
 */
final class BlockKMeans {
  static final int CLUSTERS = 12;
  static final int DIMENSIONS = 8;
  static final int POINTS_PER_BLOCK = 256;

  private static final int STEPS_MAX = 30;

  private final BlockLog log;
  private final int[] blocks;
  private final double[][] sums;

  /** By how much the second nearest centroid is farther than the nearest, least of a block. */
  private final double[] slack;

  private BlockKMeans(BlockLog log, double[][] input) {
    this.log = log;
    blocks = Arrays.stream(input).mapToInt(log::add).toArray();
    sums = new double[input.length][CLUSTERS * (DIMENSIONS + 1)];
    slack = new double[input.length];
  }

  /**
   * Points of {@link #CLUSTERS} places; some blocks are tight around theirs, others are not.
   *
   * @return {@code blocks} rows of {@link #POINTS_PER_BLOCK} points, dimension by dimension
   */
  static double[][] input(int blocks, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] places = new double[CLUSTERS][DIMENSIONS];
    for (double[] place : places) {
      Arrays.setAll(place, i -> random.nextGaussian() * 4);
    }
    double[][] input = new double[blocks][POINTS_PER_BLOCK * DIMENSIONS];
    for (int block = 0; block < blocks; block++) {
      double spread = 0.1 + 1.4 * block / blocks;
      for (int i = 0; i < POINTS_PER_BLOCK; i++) {
        double[] place = places[(block + random.nextInt(3)) % CLUSTERS];
        for (int d = 0; d < DIMENSIONS; d++) {
          input[block][i * DIMENSIONS + d] = place[d] + spread * random.nextGaussian();
        }
      }
    }
    return input;
  }

  /** Where the search begins: points far apart in the input. */
  static double[] start(double[][] input) {
    double[] centroids = new double[CLUSTERS * DIMENSIONS];
    for (int c = 0; c < CLUSTERS; c++) {
      double[] block = input[c * input.length / CLUSTERS];
      System.arraycopy(block, c * DIMENSIONS, centroids, c * DIMENSIONS, DIMENSIONS);
    }
    return centroids;
  }

  static BlockRun run(double[][] input, int executors) {
    return new BlockKMeans(new BlockLog(executors), input).run(start(input));
  }

  private BlockRun run(double[] start) {
    double[] centroids = start;
    int steps = 0;
    double moved = 1;
    while (moved > 0 && steps < STEPS_MAX) {
      int shared = log.add(centroids);
      for (int i = 0; i < blocks.length; i++) {
        int executor = i % log.executors();
        if (slack[i] <= 0) {
          assign(i, log.read(executor, blocks[i]), log.read(executor, shared));
        }
      }
      log.barrier();
      double[] next = means(centroids);
      moved = farthest(centroids, next);
      for (int i = 0; i < slack.length; i++) {
        // The nearest may now be farther by this much, and the second nearest nearer.
        slack[i] -= 2 * moved;
      }
      centroids = next;
      steps++;
    }
    return new BlockRun(
        "k-means",
        log.executors(),
        blocks.length + 1,
        steps,
        log.references(),
        new double[][] {centroids});
  }

  private void assign(int block, double[] points, double[] centroids) {
    Arrays.fill(sums[block], 0);
    double least = Double.MAX_VALUE;
    for (int from = 0; from < points.length; from += DIMENSIONS) {
      double nearest = Double.MAX_VALUE;
      double second = Double.MAX_VALUE;
      int cluster = 0;
      for (int c = 0; c < CLUSTERS; c++) {
        double distance = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
          double difference = points[from + d] - centroids[c * DIMENSIONS + d];
          distance += difference * difference;
        }
        if (distance < nearest) {
          second = nearest;
          nearest = distance;
          cluster = c;
        } else {
          second = Math.min(second, distance);
        }
      }
      least = Math.min(least, Math.sqrt(second) - Math.sqrt(nearest));
      int into = cluster * (DIMENSIONS + 1);
      for (int d = 0; d < DIMENSIONS; d++) {
        sums[block][into + d] += points[from + d];
      }
      sums[block][into + DIMENSIONS]++;
    }
    slack[block] = least;
  }

  private double[] means(double[] centroids) {
    double[] next = centroids.clone();
    for (int c = 0; c < CLUSTERS; c++) {
      int from = c * (DIMENSIONS + 1);
      double count = 0;
      double[] sum = new double[DIMENSIONS];
      for (double[] block : sums) {
        count += block[from + DIMENSIONS];
        for (int d = 0; d < DIMENSIONS; d++) {
          sum[d] += block[from + d];
        }
      }
      for (int d = 0; d < DIMENSIONS && count > 0; d++) {
        next[c * DIMENSIONS + d] = sum[d] / count;
      }
    }
    return next;
  }

  /** How far the centroid moved that moved farthest. */
  private static double farthest(double[] before, double[] after) {
    double most = 0;
    for (int c = 0; c < CLUSTERS; c++) {
      double square = 0;
      for (int d = c * DIMENSIONS; d < (c + 1) * DIMENSIONS; d++) {
        square += (before[d] - after[d]) * (before[d] - after[d]);
      }
      most = Math.max(most, Math.sqrt(square));
    }
    return most;
  }
}
