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
    long[] hashes = new long[REFERENCES];
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
    long[] hashes = workload(workload);
    int best =
        Arrays.stream(PolicyName.values())
            .filter(name -> name != PolicyName.ADAPTIVE)
            .mapToInt(name -> hits(name, hashes, capacity))
            .max()
            .orElseThrow();

    assertThat(hits(PolicyName.ADAPTIVE, hashes, capacity)).isGreaterThanOrEqualTo(best * 97 / 100);
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
