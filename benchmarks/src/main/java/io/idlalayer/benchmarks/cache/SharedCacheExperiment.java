package io.idlalayer.benchmarks.cache;

import io.idlalayer.benchmarks.cache.BlockLog.Reference;
import io.idlalayer.middleware.cache.policy.GhostCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The experiments of Rang 2021 on the shared cache (E4.1 hit rate, E4.2 locality): k-means,
 * singular values and PageRank run over blocks of data, and what they read is replayed through one
 * cache for all executors and through one for each, of the same size together. SIMULATED: real
 * policies, no payloads, no time.
 */
public final class SharedCacheExperiment {
  private static final int[] PERCENTS = {4, 16, 32, 64};
  private static final int BLOCKS = 480;
  private static final long SEED = 1;

  private SharedCacheExperiment() {}

  /**
   * One replay.
   *
   * @param hitRatio hits of all reads
   * @param crossRatio hits, of all reads, on a block that another executor had brought in
   * @param locality share of the blocks brought in that were read again before they left
   */
  record Outcome(double hitRatio, double crossRatio, double locality) {}

  /** Runs the experiment with a gzipped list of edges, and prints a table. */
  public static void main(String[] args) throws IOException {
    BlockPageRank.Graph graph = BlockPageRank.Graph.read(Path.of(args[0]));
    System.out.println(
        "application executors live-blocks steps capacity% capacity caches policy"
            + " hit-ratio cross-hits locality");
    for (int executors : new int[] {2, 4}) {
      List<BlockRun> runs =
          List.of(
              BlockKMeans.run(BlockKMeans.input(BLOCKS, SEED), executors),
              BlockSingularValues.run(BlockSingularValues.input(BLOCKS, SEED), executors),
              BlockPageRank.run(graph, executors));
      for (BlockRun run : runs) {
        for (int percent : PERCENTS) {
          int capacity = capacity(run.liveBlocks(), percent);
          for (boolean shared : new boolean[] {false, true}) {
            for (PolicyName policy : PolicyName.values()) {
              print(run, percent, shared, policy, replay(run, capacity, shared, policy));
            }
          }
          belady(run, percent, capacity);
        }
      }
    }
  }

  /** Blocks of all caches together. */
  static int capacity(int liveBlocks, int percent) {
    return Math.round(liveBlocks * percent / 100f);
  }

  /** Blocks of each cache; together they are the capacity. */
  static int[] shares(int capacity, int caches) {
    int[] shares = new int[caches];
    for (int i = 0; i < caches; i++) {
      shares[i] = capacity / caches + (i < capacity % caches ? 1 : 0);
    }
    return shares;
  }

  static Outcome replay(BlockRun run, int capacity, boolean shared, PolicyName policy) {
    int[] shares = shares(capacity, shared ? 1 : run.executors());
    Replayed[] caches = new Replayed[shares.length];
    for (int i = 0; i < caches.length; i++) {
      caches[i] = new Replayed(policy, shares[i]);
    }
    for (Reference reference : run.references()) {
      caches[reference.executor() % caches.length].read(reference);
    }
    long stored = 0;
    long useful = 0;
    long hits = 0;
    long cross = 0;
    for (Replayed cache : caches) {
      stored += cache.stored;
      useful += cache.useful;
      hits += cache.hits;
      cross += cache.crossHits;
    }
    double reads = run.references().size();
    return new Outcome(hits / reads, cross / reads, (double) useful / Math.max(1, stored));
  }

  /** A cache and what is counted of it. */
  private static final class Replayed {
    private final GhostCache cache;
    private final Map<Integer, Integer> broughtInBy = new HashMap<>();
    private final Set<Integer> notReadAgain = new HashSet<>();
    private long stored;
    private long useful;
    private long hits;
    private long crossHits;

    Replayed(PolicyName policy, int capacity) {
      cache = new GhostCache(policy, capacity);
    }

    void read(Reference reference) {
      int block = reference.block();
      if (cache.reference(CacheReplay.mix(block))) {
        hits++;
        if (broughtInBy.getOrDefault(block, -1) != reference.executor()) {
          crossHits++;
        }
        if (notReadAgain.remove(block)) {
          useful++;
        }
      } else {
        stored++;
        broughtInBy.put(block, reference.executor());
        notReadAgain.add(block);
      }
    }
  }

  private static void print(
      BlockRun run, int percent, boolean shared, PolicyName policy, Outcome outcome) {
    System.out.printf(
        Locale.ROOT,
        "%s %s %s %.4f %.4f %.4f%n",
        row(run, percent),
        shared ? "shared" : "isolated",
        policy.key(),
        outcome.hitRatio(),
        outcome.crossRatio(),
        outcome.locality());
  }

  private static void belady(BlockRun run, int percent, int capacity) {
    long[] keys = run.references().stream().mapToLong(Reference::block).toArray();
    double ratio = (double) Belady.hits(keys, capacity) / keys.length;
    System.out.printf(Locale.ROOT, "%s shared belady %.4f - -%n", row(run, percent), ratio);
  }

  private static String row(BlockRun run, int percent) {
    return "%s %d %d %d %d %d"
        .formatted(
            run.name(),
            run.executors(),
            run.liveBlocks(),
            run.steps(),
            percent,
            capacity(run.liveBlocks(), percent));
  }
}
