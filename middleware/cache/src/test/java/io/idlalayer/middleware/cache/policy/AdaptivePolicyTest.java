package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On references of every kind the adaptive policy does about as well as the best of the others. */
class AdaptivePolicyTest {
  private static final int REFERENCES = 60_000;

  private static long[] sequence(IntUnaryOperator key) {
    return sequence(REFERENCES, key);
  }

  private static long[] sequence(int references, IntUnaryOperator key) {
    long[] hashes = new long[references];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = FakeCache.hashOf("key" + key.applyAsInt(i));
    }
    return hashes;
  }

  private static long[] workload(String name) {
    SplittableRandom random = new SplittableRandom(7);
    return switch (name) {
      case "zipf" -> sequence(i -> zipf(random, 2000));
      case "zipf-scans" -> sequence(i -> i % 1000 < 300 ? 10_000 + i : zipf(random, 2000));
      case "phases" -> sequence(i -> zipf(random, 2000) + (i < REFERENCES / 2 ? 0 : 5000));
      case "loop" -> sequence(i -> i % 500);
      case "loop-zipf" -> sequence(i -> i % 2 == 0 ? i / 2 % 300 : 1000 + zipf(random, 2000));
      case "visits" -> sequence(i -> i / 3 - random.nextInt(1 + Math.min(i / 3, 120)));
      case "loop-then-recency" ->
          sequence(i -> i < REFERENCES / 2 ? i % 500 : 9000 + i / 4 - random.nextInt(60));
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Returns the key of a sweep over {@code keys} keys, again and again, by its pattern. */
  private static int swept(String pattern, int i, int keys) {
    return switch (pattern) {
      case "loop" -> i % keys;
      case "up-and-down" -> i / keys % 2 == 0 ? i % keys : keys - 1 - i % keys;
      case "zig-zag" -> Math.min(i % (2 * keys - 2), 2 * keys - 2 - i % (2 * keys - 2));
      case "up-and-down-then-loop" ->
          swept(i / (2 * keys) % 4 < 2 ? "up-and-down" : "loop", i, keys);
      default -> throw new IllegalArgumentException(pattern);
    };
  }

  private static long[] shortWorkload(String name, int references, int capacity) {
    SplittableRandom random = new SplittableRandom(9);
    return switch (name) {
      case "zipf" -> sequence(references, i -> zipf(random, 4 * capacity));
      case "zipf-scans" ->
          sequence(
              references,
              i -> i % (2 * capacity) < capacity / 2 ? 100_000 + i : zipf(random, 4 * capacity));
      case "uniform" -> sequence(references, i -> random.nextInt(2 * capacity));
      case "phases" ->
          sequence(references, i -> i / (references / 4) * 100_000 + zipf(random, 3 * capacity));
      case "visits" ->
          sequence(references, i -> i / 3 - random.nextInt(1 + Math.min(i / 3, capacity)));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static double shareOfBest(long[] hashes, int capacity) {
    int best =
        Arrays.stream(PolicyName.values())
            .filter(name -> name != PolicyName.ADAPTIVE)
            .mapToInt(name -> hits(name, hashes, capacity))
            .max()
            .orElseThrow();
    return best == 0 ? 1 : (double) hits(PolicyName.ADAPTIVE, hashes, capacity) / best;
  }

  private static int zipf(SplittableRandom random, int keys) {
    return (int) Math.floor(Math.pow(keys, random.nextDouble())) - 1;
  }

  private static int hits(PolicyName name, long[] hashes, int capacity) {
    GhostCache cache = new GhostCache(name, capacity);
    int hits = 0;
    for (long hash : hashes) {
      if (cache.reference(hash)) {
        hits++;
      }
    }
    return hits;
  }

  @ParameterizedTest
  @CsvSource({
    "zipf, 100", "zipf, 400", "zipf-scans, 100", "zipf-scans, 400", "phases, 100", "phases, 400",
    "loop, 100", "loop, 400", "loop-zipf, 100", "loop-zipf, 400", "visits, 100", "visits, 400",
    "loop-then-recency, 100", "loop-then-recency, 400"
  })
  void adaptive_isWithinThreePercentOfTheBest(String workload, int capacity) {
    assertThat(shareOfBest(workload(workload), capacity)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @CsvSource({"loop, 0.97", "up-and-down, 0.97", "zig-zag, 0.97", "up-and-down-then-loop, 0.95"})
  void adaptive_onSweepsOverMoreThanTheCache_isNearTheBest(String pattern, double least) {
    for (int capacity : new int[] {64, 100, 256, 700}) {
      for (double ratio : new double[] {1.1, 1.25, 1.5, 2, 3, 4, 8}) {
        int keys = (int) (ratio * capacity);
        for (int sweeps : new int[] {3, 4, 10, 25}) {
          long[] hashes = sequence(keys * sweeps, i -> swept(pattern, i, keys));
          assertThat(shareOfBest(hashes, capacity))
              .as("%d sweeps over %d keys, capacity %d", sweeps, keys, capacity)
              .isGreaterThanOrEqualTo(least);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1.5, 100", "2, 100", "3, 100", "2, 400", "3, 400"})
  void adaptive_onSkewBetweenSweeps_isWithinThreePercentOfTheBest(double ratio, int capacity) {
    SplittableRandom random = new SplittableRandom(5);
    int keys = (int) (ratio * capacity);
    long[] hashes =
        sequence(
            i -> i % 2 == 0 ? swept("up-and-down", i / 2, keys) : 100_000 + zipf(random, 2000));

    assertThat(shareOfBest(hashes, capacity)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @CsvSource({
    "zipf, 0.97",
    "zipf-scans, 0.97",
    "uniform, 0.95",
    "phases, 0.965",
    // Counts lead at the start, which is wrong here and takes a while to be seen.
    "visits, 0.90"
  })
  void adaptive_onShortStreams_isNearTheBest(String workload, double least) {
    for (int capacity : new int[] {64, 256, 1000}) {
      for (int references : new int[] {2000, 4000, 8000}) {
        assertThat(shareOfBest(shortWorkload(workload, references, capacity), capacity))
            .as("%d references, capacity %d", references, capacity)
            .isGreaterThanOrEqualTo(least);
      }
    }
  }

  @Test
  void sampledGhosts_findTheLeaderToo() {
    PolicyTournament.Budget small = new PolicyTournament.Budget(64, 32);
    long[] loop = sequence(i -> i % 900);
    FakeHashes cache = new FakeHashes(450, small);
    int hits = 0;
    for (long hash : loop) {
      if (cache.reference(hash)) {
        hits++;
      }
    }

    // The recency policies never hit a loop that is twice as long as the cache.
    assertThat(hits(PolicyName.LRU, loop, 450)).isZero();
    assertThat(hits).isGreaterThan(REFERENCES * 40 / 100);
  }

  /** A cache of bare hashes over an adaptive policy with a budget of ghosts. */
  private static final class FakeHashes implements Residents {
    private final KeyTable table = new KeyTable();
    private final long[] hashes;
    private final AdaptivePolicy policy;
    private int used;

    FakeHashes(int capacity, PolicyTournament.Budget budget) {
      hashes = new long[capacity];
      policy = new AdaptivePolicy(this, budget);
      policy.ensure(capacity);
      policy.capacity(capacity);
    }

    @Override
    public long hash(int slot) {
      return hashes[slot];
    }

    @Override
    public int slot(long hash) {
      return table.get(hash);
    }

    boolean reference(long hash) {
      int slot = table.get(hash);
      if (slot != KeyTable.ABSENT) {
        policy.hit(slot);
        return true;
      }
      policy.missed(hash, Reuse.UNKNOWN);
      if (used < hashes.length) {
        slot = used++;
      } else {
        slot = policy.victim();
        policy.removed(slot);
        table.remove(hashes[slot]);
      }
      hashes[slot] = hash;
      table.put(hash, slot);
      policy.inserted(slot, Reuse.UNKNOWN);
      return false;
    }
  }
}
