package io.idlalayer.jobs.learner.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Learners with a budget that share the process's hot cache. */
class SamplesClaimantTest {
  private static final int MIB = 1 << 20;
  private static final int MINUTES = 60;
  private static final int LOOKUPS = 1_000;
  private static final FastBudget BUDGET =
      new FastBudget(48 * MIB, 48 * MIB, List.of(FastUse.SAMPLES, FastUse.ROWS));

  private long nanos;

  /** The curve is that of about ten minutes, however many learners look at it. */
  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "1, 5", "3, 5"})
  void claim_anyNumberOfLearners_weighsReferencesByTheirAge(int dividing, int fixed) {
    try (HotCache cache = new HotCache(new CacheSettings(256L * MIB, PolicyName.LRU))) {
      List<CacheOwner> owners = new ArrayList<>();
      List<SamplesClaimant> claimants = new ArrayList<>();
      for (int i = 0; i < dividing; i++) {
        CacheOwner owner = cache.attach("divides-" + i, MIB);
        owners.add(owner);
        claimants.add(
            new SamplesClaimant(cache, owner, new StoreMeter(() -> nanos), BUDGET, () -> nanos));
      }
      for (int i = 0; i < fixed; i++) {
        owners.add(cache.attach("fixed-" + i, MIB));
      }
      for (int minute = 0; minute < MINUTES; minute++) {
        for (int lookup = 0; lookup < LOOKUPS; lookup++) {
          CacheOwner owner = owners.get(lookup % owners.size());
          if (cache.get(owner, 0, lookup % 100) == null) {
            cache.put(owner, 0, lookup % 100, new byte[100], Reuse.UNKNOWN);
          }
        }
        nanos += TimeUnit.MINUTES.toNanos(1);
        for (SamplesClaimant each : claimants) {
          each.claim(60, MIB);
        }
      }
      double all = LOOKUPS * RecentRate.KEEP / (1 - RecentRate.KEEP);
      assertThat(cache.hitCurve().references()).isCloseTo(all, within(0.01 * all));
    }
  }
}
