package io.idlalayer.benchmarks.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;

/**
 * Block references of the dissertation's three applications, made by running them: k-means, power
 * iteration for singular values, PageRank. Each executor owns a share of the data in blocks and
 * reads them in every iteration; blocks that all executors need (centroids, vectors, ranks) are
 * read by each. The executors' references are interleaved block by block.
 */
final class BlockWorkloads {
  /** A reference: an executor reads a block. */
  record Reference(int executor, int block) {}

  /** A log of references, and how many blocks there are. */
  record Log(String name, int executors, int blocks, List<Reference> references) {}

  private static final int ROWS_PER_BLOCK = 256;
  private static final int ITERATIONS = 10;

  private BlockWorkloads() {}

  private static Log interleaved(String name, List<List<Integer>> byExecutor) {
    List<Reference> references = new ArrayList<>();
    int longest = byExecutor.stream().mapToInt(List::size).max().orElse(0);
    int blocks = 0;
    for (int i = 0; i < longest; i++) {
      for (int executor = 0; executor < byExecutor.size(); executor++) {
        if (i < byExecutor.get(executor).size()) {
          int block = byExecutor.get(executor).get(i);
          references.add(new Reference(executor, block));
          blocks = Math.max(blocks, block + 1);
        }
      }
    }
    return new Log(name, byExecutor.size(), blocks, references);
  }

  /**
   * k-means in mini-batches until points stop moving: blocks whose points all keep their centroid
   * for two rounds are read every other round only, as bounds on distances allow.
   */
  static Log kMeans(int executors, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int clusters = 12;
    int blocks = 480;
    double[][] centres = new double[clusters][2];
    double[][] points = new double[blocks * ROWS_PER_BLOCK][];
    for (int i = 0; i < points.length; i++) {
      // Blocks come from a few places each, so that some settle before others.
      int place = (i / ROWS_PER_BLOCK + random.nextInt(3)) % clusters;
      points[i] =
          new double[] {
            Math.cos(place) * 5 + random.nextGaussian(), Math.sin(place) * 5 + random.nextGaussian()
          };
    }
    for (int c = 0; c < clusters; c++) {
      centres[c] = points[random.nextInt(points.length)].clone();
    }
    int[] assigned = new int[points.length];
    int[] quiet = new int[blocks];
    List<List<Integer>> logs = empty(executors);
    for (int round = 0; round < ITERATIONS; round++) {
      double[][] sums = new double[clusters][3];
      for (int block = 0; block < blocks; block++) {
        int executor = block % executors;
        boolean settled = quiet[block] >= 2 && (round + block) % 2 == 0;
        if (!settled) {
          logs.get(executor).add(block);
          // The centroids, read anew for every block.
          logs.get(executor).add(blocks + executor);
          quiet[block] = assign(points, assigned, centres, block) ? 0 : quiet[block] + 1;
        }
        sum(points, assigned, sums, block);
      }
      for (int c = 0; c < clusters; c++) {
        if (sums[c][2] > 0) {
          centres[c] = new double[] {sums[c][0] / sums[c][2], sums[c][1] / sums[c][2]};
        }
      }
    }
    return interleaved("k-means", logs);
  }

  private static boolean assign(double[][] points, int[] assigned, double[][] centres, int block) {
    boolean moved = false;
    for (int i = block * ROWS_PER_BLOCK; i < (block + 1) * ROWS_PER_BLOCK; i++) {
      int nearest = 0;
      double least = Double.MAX_VALUE;
      for (int c = 0; c < centres.length; c++) {
        double x = points[i][0] - centres[c][0];
        double y = points[i][1] - centres[c][1];
        if (x * x + y * y < least) {
          least = x * x + y * y;
          nearest = c;
        }
      }
      moved |= assigned[i] != nearest;
      assigned[i] = nearest;
    }
    return moved;
  }

  private static void sum(double[][] points, int[] assigned, double[][] sums, int block) {
    for (int i = block * ROWS_PER_BLOCK; i < (block + 1) * ROWS_PER_BLOCK; i++) {
      double[] into = sums[assigned[i]];
      into[0] += points[i][0];
      into[1] += points[i][1];
      into[2]++;
    }
  }

  /** Power iteration with deflation: every iteration reads the matrix forwards, then backwards. */
  static Log singularValues(int executors) {
    int blocks = 400;
    int vectors = 8;
    List<List<Integer>> logs = empty(executors);
    for (int round = 0; round < ITERATIONS; round++) {
      // A v, then its transpose: the second pass runs back over what was read last.
      for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < blocks; i++) {
          int block = pass == 0 ? i : blocks - 1 - i;
          List<Integer> log = logs.get(block % executors);
          log.add(block);
          log.add(blocks + (round + pass) % vectors);
        }
      }
    }
    return interleaved("svd", logs);
  }

  /** PageRank over a graph: an edge block, then the rank blocks of the nodes that it points to. */
  static Log pageRank(int executors, Path graph) throws IOException {
    List<int[]> edges = new ArrayList<>();
    try (var in = new GZIPInputStream(Files.newInputStream(graph))) {
      for (String line :
          new String(in.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII).split("\n")) {
        if (!line.startsWith("#") && !line.isBlank()) {
          String[] fields = line.strip().split("\t");
          edges.add(new int[] {Integer.parseInt(fields[0]), Integer.parseInt(fields[1])});
        }
      }
    }
    int edgesPerBlock = 512;
    int nodesPerBlock = 128;
    int edgeBlocks = (edges.size() + edgesPerBlock - 1) / edgesPerBlock;
    List<List<Integer>> logs = empty(executors);
    for (int round = 0; round < ITERATIONS; round++) {
      for (int block = 0; block < edgeBlocks; block++) {
        List<Integer> log = logs.get(block % executors);
        log.add(block);
        int[] targets =
            edges
                .subList(block * edgesPerBlock, Math.min(edges.size(), (block + 1) * edgesPerBlock))
                .stream()
                .mapToInt(edge -> edge[1] / nodesPerBlock)
                .toArray();
        Arrays.sort(targets);
        int last = -1;
        for (int target : targets) {
          if (target != last) {
            log.add(edgeBlocks + target);
            last = target;
          }
        }
      }
    }
    return interleaved("pagerank", logs);
  }

  private static List<List<Integer>> empty(int executors) {
    List<List<Integer>> logs = new ArrayList<>();
    for (int i = 0; i < executors; i++) {
      logs.add(new ArrayList<>());
    }
    return logs;
  }
}
