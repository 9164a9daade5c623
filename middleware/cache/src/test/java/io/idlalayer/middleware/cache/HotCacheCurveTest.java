package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.policy.HitCurve;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HotCacheCurveTest {
  private static final int MIB = 1 << 20;

  private static boolean read(HotCache cache, CacheOwner owner, long id) {
    if (cache.get(owner, 0, id) != null) {
      return true;
    }
    cache.put(owner, 0, id, new byte[1000], Reuse.UNKNOWN);
    return false;
  }

  /** What the curve says of a size is what a cache of that size then does. */
  @ParameterizedTest
  @ValueSource(ints = {4, 64})
  void curve_foretellsOtherSizes(int ceilingMib) {
    long ceiling = (long) ceilingMib * MIB;
    int keys = (int) (ceiling / 1000);
    double[] shares = {0.25, 0.5, 0.75};
    double[] foretold = new double[shares.length];
    try (HotCache cache = new HotCache(new CacheSettings(ceiling, PolicyName.LRU))) {
      CacheOwner owner = cache.attach("a", ceiling / 2);
      cache.measure();
      cache.measure();
      SplittableRandom random = new SplittableRandom(1);
      for (int step = 0; step < 8 * keys; step++) {
        read(cache, owner, (long) (keys * Math.pow(random.nextDouble(), 3)));
      }
      HitCurve curve = cache.hitCurve();
      assertThat(curve.references()).isCloseTo(8.0 * keys, within(0.2 * keys));
      for (int i = 0; i < shares.length; i++) {
        foretold[i] = curve.hitRatio(shares[i] * ceiling);
        assertThat(cache.hitCurve(owner).hitRatio(shares[i] * ceiling)).isEqualTo(foretold[i]);
      }
      long start = Long.MAX_VALUE - 1;
      cache.fade(start);
      assertThat(cache.hitCurve().references()).isEqualTo(curve.references());
      cache.fade(start + TimeUnit.MINUTES.toNanos(2));
      cache.fade(start + TimeUnit.MINUTES.toNanos(1));
      cache.fade(start + TimeUnit.MINUTES.toNanos(2));
      assertThat(cache.hitCurve().references() / curve.references()).isCloseTo(0.81, within(1e-9));
    }
    for (int i = 0; i < shares.length; i++) {
      try (HotCache cache = new HotCache(new CacheSettings(ceiling, PolicyName.LRU))) {
        CacheOwner owner = cache.attach("a", (long) (shares[i] * ceiling));
        SplittableRandom random = new SplittableRandom(1);
        for (int step = 0; step < 8 * keys; step++) {
          read(cache, owner, (long) (keys * Math.pow(random.nextDouble(), 3)));
        }
        assertThat(foretold[i]).isCloseTo(owner.usage().hitRatio(), within(0.04));
      }
    }
  }

  @Test
  void curve_isEmpty_untilMeasured() {
    try (HotCache cache = new HotCache(new CacheSettings(MIB, PolicyName.LRU))) {
      CacheOwner owner = cache.attach("a", MIB);
      read(cache, owner, 1);
      assertThat(cache.hitCurve().references()).isZero();
      assertThat(cache.hitCurve().hitRatio(MIB)).isZero();
    }
  }

  @Test
  void cacheWithoutDonations_stillMeasuresWhatDonationsWouldBring() {
    try (HotCache cache = new HotCache(new CacheSettings(MIB, PolicyName.LRU))) {
      CacheOwner owner = cache.attach("a", 0);
      cache.measure();
      for (int step = 0; step < 1000; step++) {
        assertThat(read(cache, owner, step % 10)).isFalse();
      }
      assertThat(cache.hitCurve().hitRatio(MIB)).isCloseTo(0.99, within(1e-9));
    }
  }

  @Test
  void readersAreToldApart_andForgottenWhenTheyLeave() {
    try (HotCache cache = new HotCache(new CacheSettings(MIB, PolicyName.LRU))) {
      CacheOwner a = cache.attach("a", MIB / 2);
      CacheOwner b = cache.attach("b", MIB / 2);
      cache.measure();
      for (int step = 0; step < 640; step++) {
        read(cache, a, step % 10);
        read(cache, b, step % 10);
        read(cache, b, step % 10);
      }
      assertThat(cache.hitCurve(a).references()).isEqualTo(640);
      assertThat(cache.hitCurve(b).references()).isEqualTo(1280);
      assertThat(cache.hitCurve(b).hitRatio(MIB)).isEqualTo(1);
      assertThat(cache.hitCurve().references()).isEqualTo(1920);
      cache.detach(b);
      CacheOwner heir = cache.attach("c", 0);
      assertThat(cache.hitCurve(heir).references()).isZero();
      assertThat(cache.hitCurve().references()).isEqualTo(640);
    }
  }
}
