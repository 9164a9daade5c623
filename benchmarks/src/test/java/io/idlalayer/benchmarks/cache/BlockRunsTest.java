package io.idlalayer.benchmarks.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.cache.BlockLog.Reference;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runs whose reads are replayed through caches compute what plain code computes. */
final class BlockRunsTest {
  private static final int BLOCKS = 24;

  @TempDir Path folder;

  @Test
  void kMeans_untilItStandsStill_findsThePlainCentroids() {
    double[][] input = BlockKMeans.input(BLOCKS, 3);
    BlockRun run = BlockKMeans.run(input, 2);
    double[] plain = BlockKMeans.start(input);
    for (int step = 0; step < run.steps(); step++) {
      plain = plainRound(input, plain);
    }
    assertThat(run.steps()).isBetween(3, 29);
    assertThat(run.result()[0]).containsExactly(plain, within(1e-9));
    assertThat(run.references())
        .as("blocks were passed over")
        .hasSizeLessThan(2 * BLOCKS * run.steps());
  }

  private static double[] plainRound(double[][] input, double[] centroids) {
    int width = BlockKMeans.DIMENSIONS;
    double[] sums = new double[centroids.length];
    int[] counts = new int[BlockKMeans.CLUSTERS];
    for (double[] block : input) {
      for (int from = 0; from < block.length; from += width) {
        int nearest = 0;
        double least = Double.MAX_VALUE;
        for (int c = 0; c < counts.length; c++) {
          double distance = 0;
          for (int d = 0; d < width; d++) {
            distance += Math.pow(block[from + d] - centroids[c * width + d], 2);
          }
          if (distance < least) {
            least = distance;
            nearest = c;
          }
        }
        counts[nearest]++;
        for (int d = 0; d < width; d++) {
          sums[nearest * width + d] += block[from + d];
        }
      }
    }
    for (int i = 0; i < sums.length; i++) {
      sums[i] = counts[i / width] == 0 ? centroids[i] : sums[i] / counts[i / width];
    }
    return sums;
  }

  @Test
  void singularValues_areTheRootsOfTheEigenvaluesOfTheGramMatrix() {
    double[][] input = BlockSingularValues.input(BLOCKS, 5);
    BlockRun run = BlockSingularValues.run(input, 4);
    double[] eigenvalues = eigenvalues(gram(input));
    double[] values = run.result()[0];
    for (int i = 0; i < values.length; i++) {
      double expected = Math.sqrt(eigenvalues[eigenvalues.length - 1 - i]);
      assertThat(values[i]).isCloseTo(expected, within(1e-7 * expected));
    }
  }

  private static double[][] gram(double[][] input) {
    int n = BlockSingularValues.COLUMNS;
    double[][] gram = new double[n][n];
    for (double[] block : input) {
      for (int row = 0; row < block.length; row += n) {
        for (int a = 0; a < n; a++) {
          for (int b = 0; b < n; b++) {
            gram[a][b] += block[row + a] * block[row + b];
          }
        }
      }
    }
    return gram;
  }

  /** Jacobi's rotations, ascending. */
  private static double[] eigenvalues(double[][] matrix) {
    int n = matrix.length;
    for (int sweep = 0; sweep < 12; sweep++) {
      for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
          double angle = Math.atan2(2 * matrix[p][q], matrix[q][q] - matrix[p][p]) / 2;
          double cos = Math.cos(angle);
          double sin = Math.sin(angle);
          for (int k = 0; k < n; k++) {
            double old = matrix[k][p];
            matrix[k][p] = cos * old - sin * matrix[k][q];
            matrix[k][q] = sin * old + cos * matrix[k][q];
          }
          for (int k = 0; k < n; k++) {
            double old = matrix[p][k];
            matrix[p][k] = cos * old - sin * matrix[q][k];
            matrix[q][k] = sin * old + cos * matrix[q][k];
          }
        }
      }
    }
    double[] values = new double[n];
    Arrays.setAll(values, i -> matrix[i][i]);
    Arrays.sort(values);
    return values;
  }

  private BlockPageRank.Graph graph() throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    StringBuilder text = new StringBuilder("# source target\n");
    for (int i = 0; i < 4_000; i++) {
      // Names with gaps; the last hundred nodes have no edge out.
      int source = 3 * random.nextInt(600);
      text.append(source).append('\t').append(3 * random.nextInt(700)).append('\n');
    }
    Path file = folder.resolve("edges.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
    }
    return BlockPageRank.Graph.read(file);
  }

  @Test
  void pageRank_ranks_areThoseOfThePlainIteration() throws Exception {
    BlockPageRank.Graph graph = graph();
    BlockRun run = BlockPageRank.run(graph, 2);
    int n = graph.nodes();
    int[] degrees = new int[n];
    graph.edges().forEach(edge -> degrees[edge[0]]++);
    double[] ranks = new double[n];
    Arrays.fill(ranks, 1.0 / n);
    for (int step = 0; step < run.steps(); step++) {
      double[] next = new double[n];
      for (int[] edge : graph.edges()) {
        next[edge[1]] += ranks[edge[0]] / degrees[edge[0]];
      }
      double lost = 0;
      for (int i = 0; i < n; i++) {
        lost += degrees[i] == 0 ? ranks[i] : 0;
      }
      for (int i = 0; i < n; i++) {
        next[i] = (1 - BlockPageRank.DAMPING + BlockPageRank.DAMPING * (next[i] * n + lost)) / n;
      }
      ranks = next;
    }
    assertThat(Arrays.stream(ranks).sum()).isCloseTo(1, within(1e-9));
    assertThat(run.result()[0]).containsExactly(ranks, within(1e-12));
  }

  @Test
  void run_blocksThatChange_areReadByAllExecutorsAndHitInASharedCacheOnly() throws Exception {
    for (BlockRun run :
        new BlockRun[] {
          BlockKMeans.run(BlockKMeans.input(BLOCKS, 3), 4),
          BlockSingularValues.run(BlockSingularValues.input(BLOCKS, 5), 4),
          BlockPageRank.run(graph(), 4)
        }) {
      Set<Integer> readers = new HashSet<>();
      Set<Integer> shared = new HashSet<>();
      int input = run.references().stream().mapToInt(Reference::block).min().orElseThrow();
      for (Reference reference : run.references()) {
        readers.add(reference.executor());
        if (reference.block() >= BLOCKS) {
          shared.add(reference.executor());
        }
      }
      assertThat(input).isZero();
      assertThat(readers).as(run.name()).hasSize(4).isEqualTo(shared);
      int capacity = SharedCacheExperiment.capacity(run.liveBlocks(), 64);
      assertThat(SharedCacheExperiment.replay(run, capacity, true, PolicyName.LRU).crossRatio())
          .as(run.name())
          .isPositive();
      assertThat(SharedCacheExperiment.replay(run, capacity, false, PolicyName.LRU).crossRatio())
          .isZero();
    }
  }

  @Test
  void barrier_readsOfExecutors_areInterleaved() {
    BlockLog log = new BlockLog(2);
    for (int i = 0; i < 3; i++) {
      log.add(new double[] {i});
    }
    assertThat(log.read(0, 2)).containsExactly(2);
    log.read(0, 1);
    log.read(1, 0);
    assertThat(log.references()).isEmpty();
    log.barrier();
    assertThat(log.references())
        .containsExactly(new Reference(0, 2), new Reference(1, 0), new Reference(0, 1));
  }

  @Test
  void shares_ofAnyCapacity_addUpToIt() {
    for (int percent : new int[] {4, 16, 32, 64}) {
      int capacity = SharedCacheExperiment.capacity(259, percent);
      assertThat(capacity).isCloseTo((int) (2.59 * percent), within(1));
      for (int caches = 1; caches <= 4; caches++) {
        int[] shares = SharedCacheExperiment.shares(capacity, caches);
        assertThat(Arrays.stream(shares).sum()).isEqualTo(capacity);
        assertThat(shares[0] - shares[caches - 1]).isBetween(0, 1);
      }
    }
    assertThat(SharedCacheExperiment.capacity(259, 4))
        .isLessThan(SharedCacheExperiment.capacity(259, 16));
  }
}
