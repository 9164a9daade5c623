package io.idlalayer.benchmarks.cache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * PageRank over blocks of edges that are sorted by their targets. With a block of edges an executor
 * reads the ranks of all their sources, block by block; blocks of ranks serve all executors, and
 * there are others in each round.
 */
final class BlockPageRank {
  static final double DAMPING = 0.85;

  private static final int EDGES_PER_BLOCK = 512;
  private static final int NODES_PER_BLOCK = 128;
  private static final int STEPS_MAX = 60;
  private static final double TOLERANCE = 1e-8;

  /**
   * A directed graph.
   *
   * @param nodes how many; they are numbered from 0 in the order of their names
   * @param edges source and target
   */
  record Graph(int nodes, List<int[]> edges) {
    /**
     * Reads a gzipped list of edges, {@code source TAB target} on each line; lines that begin with
     * # are comments.
     */
    static Graph read(Path file) throws IOException {
      List<int[]> named = new ArrayList<>();
      TreeMap<Integer, Integer> numbers = new TreeMap<>();
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(
                  new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.US_ASCII))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          if (!line.startsWith("#") && !line.isBlank()) {
            String[] fields = line.strip().split("\t");
            int[] edge = {Integer.parseInt(fields[0]), Integer.parseInt(fields[1])};
            named.add(edge);
            numbers.put(edge[0], 0);
            numbers.put(edge[1], 0);
          }
        }
      }
      int next = 0;
      for (var entry : numbers.entrySet()) {
        entry.setValue(next++);
      }
      List<int[]> edges =
          named.stream()
              .map(edge -> new int[] {numbers.get(edge[0]), numbers.get(edge[1])})
              .toList();
      return new Graph(numbers.size(), edges);
    }
  }

  private final BlockLog log;
  private final Graph graph;

  /** Pairs of source and target. */
  private final int[] edgeBlocks;

  private final int[] outDegrees;

  private BlockPageRank(BlockLog log, Graph graph) {
    this.log = log;
    this.graph = graph;
    outDegrees = new int[graph.nodes()];
    graph.edges().forEach(edge -> outDegrees[edge[0]]++);
    List<int[]> sorted = new ArrayList<>(graph.edges());
    sorted.sort(Comparator.comparingInt((int[] edge) -> edge[1]).thenComparingInt(e -> e[0]));
    edgeBlocks = new int[(sorted.size() + EDGES_PER_BLOCK - 1) / EDGES_PER_BLOCK];
    for (int i = 0; i < edgeBlocks.length; i++) {
      int to = Math.min(sorted.size(), (i + 1) * EDGES_PER_BLOCK);
      edgeBlocks[i] =
          log.add(
              sorted.subList(i * EDGES_PER_BLOCK, to).stream()
                  .flatMapToInt(Arrays::stream)
                  .asDoubleStream()
                  .toArray());
    }
  }

  static BlockRun run(Graph graph, int executors) {
    return new BlockPageRank(new BlockLog(executors), graph).run();
  }

  private BlockRun run() {
    double[] ranks = new double[graph.nodes()];
    Arrays.fill(ranks, 1.0 / ranks.length);
    double change = 1;
    int steps = 0;
    while (change > TOLERANCE && steps < STEPS_MAX) {
      double[] next = step(ranks);
      change = 0;
      for (int i = 0; i < ranks.length; i++) {
        change += Math.abs(next[i] - ranks[i]);
      }
      ranks = next;
      steps++;
    }
    int live = edgeBlocks.length + rankBlocks();
    return new BlockRun(
        "pagerank", log.executors(), live, steps, log.references(), new double[][] {ranks});
  }

  private int rankBlocks() {
    return (graph.nodes() + NODES_PER_BLOCK - 1) / NODES_PER_BLOCK;
  }

  private double[] step(double[] ranks) {
    double lost = 0;
    double[] shares = new double[ranks.length];
    for (int node = 0; node < ranks.length; node++) {
      if (outDegrees[node] == 0) {
        lost += ranks[node];
      } else {
        shares[node] = ranks[node] / outDegrees[node];
      }
    }
    int[] blocks = new int[rankBlocks()];
    for (int i = 0; i < blocks.length; i++) {
      int to = Math.min(shares.length, (i + 1) * NODES_PER_BLOCK);
      blocks[i] = log.add(Arrays.copyOfRange(shares, i * NODES_PER_BLOCK, to));
    }
    double[] next = new double[ranks.length];
    Arrays.fill(next, (1 - DAMPING + DAMPING * lost) / ranks.length);
    for (int i = 0; i < edgeBlocks.length; i++) {
      addShares(i % log.executors(), edgeBlocks[i], blocks, next);
    }
    log.barrier();
    return next;
  }

  /** What the edges of a block bring; each block of ranks that they need is read once. */
  private void addShares(int executor, int block, int[] rankBlocks, double[] next) {
    double[] edges = log.read(executor, block);
    double[][] read = new double[rankBlocks.length][];
    for (int i = 0; i < edges.length; i += 2) {
      int source = (int) edges[i];
      int from = source / NODES_PER_BLOCK;
      if (read[from] == null) {
        read[from] = log.read(executor, rankBlocks[from]);
      }
      next[(int) edges[i + 1]] += DAMPING * read[from][source % NODES_PER_BLOCK];
    }
  }
}
