package io.idlalayer.benchmarks.sharing;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The block references of one process of an iterative job, as the jobs of the source make them. The
 * process with number p has p + 1 parts of the blocks, so that some have more than others. Blocks
 * below {@link #SHARED_BLOCKS} are those of all processes: centroids, vectors and ranks.
 */
enum BlockWorkload {
  /** K-means: each iteration reads all points once, and the centroids beside them. */
  KMEANS {
    @Override
    int write(int[] into, int at, Part part, int iteration, SplittableRandom random) {
      int next = at;
      for (int i = 0; i < part.blocks(); i++) {
        next = put(into, next, part.first() + i);
        if (i % POINTS_PER_CENTROID == 0) {
          next = put(into, next, random.nextInt(CENTROIDS));
        }
      }
      return next;
    }
  },
  /**
   * Singular values by power iteration: rows forwards, then backwards, and pieces of the vector.
   */
  SVD {
    @Override
    int write(int[] into, int at, Part part, int iteration, SplittableRandom random) {
      int next = at;
      for (int i = 0; i < part.blocks(); i++) {
        int row = iteration % 2 == 0 ? i : part.blocks() - 1 - i;
        next = put(into, next, part.first() + row);
        next = put(into, next, i % VECTOR_BLOCKS);
      }
      return next;
    }
  },
  /** PageRank: edges once in each iteration, and ranks of pages, some of which all others name. */
  PAGERANK {
    @Override
    int write(int[] into, int at, Part part, int iteration, SplittableRandom random) {
      int next = at;
      for (int i = 0; i < part.blocks(); i++) {
        next = put(into, next, part.first() + i);
        for (int link = 0; link < LINKS_PER_EDGE_BLOCK; link++) {
          double skewed = Math.pow(random.nextDouble(), RANK_SKEW);
          next = put(into, next, (int) (skewed * SHARED_BLOCKS));
        }
      }
      return next;
    }
  };

  /** Number of blocks that all processes read. */
  static final int SHARED_BLOCKS = 256;

  private static final int CENTROIDS = 8;
  private static final int POINTS_PER_CENTROID = 8;
  private static final int VECTOR_BLOCKS = 64;
  private static final int LINKS_PER_EDGE_BLOCK = 3;
  private static final double RANK_SKEW = 4;
  private static final int REFERENCES_PER_BLOCK_MAX = 1 + LINKS_PER_EDGE_BLOCK;

  /** The blocks that only one process reads. */
  record Part(int first, int blocks) {
    /**
     * Returns the part of a process.
     *
     * @param blocks blocks of all parts together
     */
    static Part of(int process, int processes, int blocks) {
      long shares = processes * (processes + 1L) / 2;
      long before = process * (process + 1L) / 2;
      int from = (int) (blocks * before / shares);
      int to = (int) (blocks * (before + process + 1) / shares);
      return new Part(SHARED_BLOCKS + from, to - from);
    }
  }

  private static int put(int[] into, int at, int block) {
    into[at] = block;
    return at + 1;
  }

  abstract int write(int[] into, int at, Part part, int iteration, SplittableRandom random);

  /** Returns the blocks that a process refers to in one iteration, in order. */
  int[] iteration(Part part, int iteration, long seed) {
    int[] references = new int[part.blocks() * REFERENCES_PER_BLOCK_MAX];
    SplittableRandom random = new SplittableRandom(seed + 31L * iteration + part.first());
    int end = write(references, 0, part, iteration, random);
    return Arrays.copyOf(references, end);
  }
}
