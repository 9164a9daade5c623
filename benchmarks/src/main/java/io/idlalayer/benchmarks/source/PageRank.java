package io.idlalayer.benchmarks.source;

import java.util.Arrays;

/**
 * Ranks of the nodes of a graph that grows by edges, by power iteration (Page 1999): a reader
 * follows an edge of the node with probability 0.85, else goes to any node; from a node without
 * edges to any node. Iteration starts from given ranks, so the closer these are, the sooner it
 * ends. One thread.
 */
final class PageRank {
  private static final double DAMPING = 0.85;

  /** Iteration ends when the ranks change by less, added up over all nodes. */
  private static final double TOLERANCE = 1e-8;

  private static final int MOST_ITERATIONS = 200;

  private final int[] outDegrees;
  private int[] from = new int[1024];
  private int[] to = new int[1024];
  private int edges;
  private int iterations;

  /**
   * @param nodes number of nodes, at least 1
   */
  PageRank(int nodes) {
    outDegrees = new int[nodes];
  }

  /** Returns equal ranks of all nodes. */
  static double[] equal(int nodes) {
    double[] ranks = new double[nodes];
    Arrays.fill(ranks, 1.0 / nodes);
    return ranks;
  }

  /** Adds the edge between two nodes, which are numbered from 0. */
  void add(int source, int target) {
    if (edges == from.length) {
      from = Arrays.copyOf(from, 2 * edges);
      to = Arrays.copyOf(to, 2 * edges);
    }
    from[edges] = source;
    to[edges] = target;
    edges++;
    outDegrees[source]++;
  }

  /** Number of iterations of the latest {@link #ranks}. */
  int iterations() {
    return iterations;
  }

  /**
   * Returns the ranks of all nodes, which add up to 1.
   *
   * @param start ranks to start from, which add up to 1; not changed
   */
  double[] ranks(double[] start) {
    double[] ranks = start.clone();
    double[] next = new double[ranks.length];
    iterations = 0;
    double change = Double.POSITIVE_INFINITY;
    while (change >= TOLERANCE && iterations < MOST_ITERATIONS) {
      iterate(ranks, next);
      change = distance(ranks, next);
      double[] swapped = ranks;
      ranks = next;
      next = swapped;
      iterations++;
    }
    return ranks;
  }

  private void iterate(double[] ranks, double[] next) {
    double anywhere = 1 - DAMPING;
    for (int node = 0; node < ranks.length; node++) {
      if (outDegrees[node] == 0) {
        anywhere += DAMPING * ranks[node];
      }
    }
    Arrays.fill(next, anywhere / ranks.length);
    for (int edge = 0; edge < edges; edge++) {
      next[to[edge]] += DAMPING * ranks[from[edge]] / outDegrees[from[edge]];
    }
  }

  /** Returns the differences of all ranks, added up: 0 to 2. */
  static double distance(double[] one, double[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += Math.abs(one[i] - other[i]);
    }
    return sum;
  }
}
