package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReuseDistancesTest {
  private static final int OWNER = 0;

  private static long hash(long key) {
    long mixed = (key ^ (key >>> 33)) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ (mixed >>> 33);
  }

  private static HitCurve curve(ReuseDistances measured, ReuseDistances.Shape shape, int owner) {
    double[] distances = new double[shape.buckets()];
    double references = measured.addTo(owner, distances);
    return new HitCurve(shape.grainBytes(), distances, references);
  }

  /** Whether the keys referenced since, and this one, fit: a stack, newest last. */
  private static final class Stack {
    private final List<int[]> entries = new ArrayList<>();
    private final long[] hitsByCapacity;

    Stack(int capacities) {
      hitsByCapacity = new long[capacities];
    }

    void reference(int key, int bytes, boolean counted) {
      long between = 0;
      for (int i = entries.size() - 1; i >= 0; i--) {
        if (entries.get(i)[0] == key) {
          for (int c = 0; counted && c < hitsByCapacity.length; c++) {
            hitsByCapacity[c] += between + bytes <= c ? 1 : 0;
          }
          entries.remove(i);
          break;
        }
        between += entries.get(i)[1];
      }
      entries.add(new int[] {key, bytes});
    }

    void forget(int key) {
      entries.removeIf(entry -> entry[0] == key);
    }
  }

  @Property(tries = 300)
  void unsampled_areTheStackDistances(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int keys) {
    SplittableRandom random = new SplittableRandom(seed);
    ReuseDistances.Shape shape = new ReuseDistances.Shape(64, 1, 300, 1);
    ReuseDistances measured = new ReuseDistances(shape);
    Stack stack = new Stack(301);
    int references = 0;
    for (int step = 0; step < 700; step++) {
      int key = random.nextInt(keys);
      int bytes = random.nextInt(1, 12);
      switch (random.nextInt(12)) {
        case 0 -> {
          measured.forgotten(hash(key));
          stack.forget(key);
        }
        case 1 -> {
          measured.replaced(hash(key), bytes);
          stack.reference(key, bytes, false);
        }
        default -> {
          measured.referenced(hash(key), OWNER, bytes, 1);
          stack.reference(key, bytes, true);
          references++;
        }
      }
    }
    HitCurve curve = curve(measured, shape, OWNER);
    assertThat(curve.references()).isEqualTo(references);
    for (int capacity = 0; capacity <= 300; capacity++) {
      assertThat(curve.hitRatio(capacity))
          .isCloseTo((double) stack.hitsByCapacity[capacity] / references, within(1e-12));
    }
  }

  private static long zipf(SplittableRandom random, int keys, double skew) {
    // Inverse of the continuous distribution: near enough, and quick.
    double power = 1 - skew;
    double top = Math.pow(keys, power);
    return (long) Math.pow(1 + random.nextDouble() * (top - 1), 1 / power);
  }

  @Test
  void sampled_areNearTheHitsOfARealCache() {
    int blocks = 20_000;
    ReuseDistances.Shape shape = new ReuseDistances.Shape(4096, 100, blocks, 1);
    for (double skew : new double[] {0.7, 0.9, 1.1}) {
      ReuseDistances measured = new ReuseDistances(shape);
      int[] capacities = {500, 2_000, 5_000, 10_000};
      GhostCache[] real = new GhostCache[capacities.length];
      for (int i = 0; i < real.length; i++) {
        real[i] = new GhostCache(PolicyName.LRU, capacities[i]);
      }
      long[] hits = new long[real.length];
      SplittableRandom random = new SplittableRandom(7);
      int references = 400_000;
      for (int step = 0; step < references; step++) {
        long hash = hash(zipf(random, blocks, skew));
        measured.referenced(hash, OWNER, 100, 1);
        for (int i = 0; i < real.length; i++) {
          hits[i] += real[i].reference(hash) ? 1 : 0;
        }
      }
      HitCurve curve = curve(measured, shape, OWNER);
      for (int i = 0; i < real.length; i++) {
        // Few keys fit into little memory, and the sample holds even fewer of them.
        double error = capacities[i] < 1_000 ? 0.05 : 0.03;
        assertThat(curve.hitRatio(100.0 * capacities[i]))
            .as("skew %s, %d blocks", skew, capacities[i])
            .isCloseTo((double) hits[i] / references, within(error));
      }
      assertThat(measured.size()).isLessThanOrEqualTo(4096);
    }
  }

  @Test
  void loop_hitsNothingUntilItFitsWhole() {
    ReuseDistances.Shape shape = new ReuseDistances.Shape(512, 1000, 8, 1);
    ReuseDistances measured = new ReuseDistances(shape);
    for (int step = 0; step < 50_000; step++) {
      measured.referenced(hash(step % 4_000), OWNER, 1, 1);
    }
    HitCurve curve = curve(measured, shape, OWNER);

    assertThat(curve.hitRatio(3_000)).isLessThan(0.1);
    assertThat(curve.hitRatio(5_000)).isGreaterThan(0.85);
  }

  @Test
  void endlessNewKeys_neitherGrowTheMetadata_norHideTheOthers() {
    ReuseDistances.Shape shape = new ReuseDistances.Shape(512, 100, 100, 1);
    ReuseDistances measured = new ReuseDistances(shape);
    measured.referenced(hash(-1), OWNER, 10, 1);
    long metadataBytes = measured.metadataBytes();
    long fresh = 0;
    for (int step = 0; step < 400_000; step++) {
      measured.referenced(hash(-1 - step % 100), OWNER, 10, 1);
      measured.referenced(hash(fresh++), OWNER, 10, 1);
    }
    HitCurve curve = curve(measured, shape, OWNER);

    assertThat(measured.metadataBytes()).isLessThanOrEqualTo(metadataBytes + 12L * 4096);
    assertThat(curve.hitRatio(1_000)).isLessThan(0.1);
    assertThat(curve.hitRatio(4_000)).isCloseTo(0.5, within(0.05));
    assertThat(curve.hitRatio(10_000)).isCloseTo(0.5, within(0.05));
  }

  @Test
  void owners_areMeasuredApart_onOneStack() {
    ReuseDistances.Shape shape = new ReuseDistances.Shape(512, 1, 100, 1);
    ReuseDistances measured = new ReuseDistances(shape);
    for (int step = 0; step < 1000; step++) {
      measured.referenced(hash(1), 0, 1, 1);
      for (int other = 0; other < 9; other++) {
        measured.referenced(hash(100 + other), 3, 1, 1);
      }
    }
    assertThat(curve(measured, shape, 0).references()).isEqualTo(1000);
    assertThat(curve(measured, shape, 3).references()).isEqualTo(9000);
    assertThat(curve(measured, shape, 0).hitRatio(9)).isZero();
    assertThat(curve(measured, shape, 0).hitRatio(10)).isCloseTo(0.999, within(1e-9));
    assertThat(curve(measured, shape, 7).references()).isZero();

    measured.fade(0.5);
    assertThat(curve(measured, shape, 3).references()).isEqualTo(4500);
    assertThat(curve(measured, shape, 0).hitRatio(10)).isCloseTo(0.999, within(1e-9));
    measured.left(3);
    assertThat(curve(measured, shape, 3).hitRatio(100)).isZero();
    assertThat(curve(measured, shape, 0).references()).isEqualTo(500);
  }

  @Test
  void parts_countSoManyTimes() {
    ReuseDistances.Shape shape = new ReuseDistances.Shape(512, 1, 500, 8);
    ReuseDistances measured = new ReuseDistances(shape);
    // Keys that are all sampled: one of eight is, in a cache of eight parts.
    long[] keys =
        java.util.stream.LongStream.range(0, 1000)
            .map(ReuseDistancesTest::hash)
            .filter(hash -> (hash >>> 20 & 7) == 0)
            .limit(4)
            .toArray();
    for (int step = 0; step < 1000; step++) {
      measured.referenced(keys[step % 4], OWNER, 2, 1);
      for (int other = 0; other < 7; other++) {
        measured.referenced(1L << 20, OWNER, 2, 1);
      }
    }
    // Three sampled keys between stand for 24 in this part, and for 192 in all: 8 x (3 x 8 + 1) x
    // 2.
    assertThat(curve(measured, shape, OWNER).references()).isEqualTo(8000);
    assertThat(curve(measured, shape, OWNER).hitRatio(399)).isZero();
    assertThat(curve(measured, shape, OWNER).hitRatio(400)).isCloseTo(0.996, within(1e-9));
  }

  @Test
  void curve_isLinearWithinABucket_andConstantBeyond() {
    HitCurve curve = new HitCurve(10, new double[] {4, 2}, 10);
    assertThat(curve.hitRatio(-1)).isZero();
    assertThat(curve.hitRatio(0)).isZero();
    assertThat(curve.hitRatio(5)).isCloseTo(0.2, within(1e-12));
    assertThat(curve.hitRatio(10)).isCloseTo(0.4, within(1e-12));
    assertThat(curve.hitRatio(15)).isCloseTo(0.5, within(1e-12));
    assertThat(curve.hitRatio(1e30)).isCloseTo(0.6, within(1e-12));
    assertThat(curve.hitRatio(Double.NaN)).isZero();
    assertThat(new HitCurve(10, new double[] {0}, 0).hitRatio(10)).isZero();
    assertThatThrownBy(() -> new HitCurve(0, new double[] {0}, 0)).hasMessageContaining("grain");
    assertThatThrownBy(() -> new ReuseDistances.Shape(1, 1, 1, 1)).hasMessageContaining("1 keys");
  }
}
