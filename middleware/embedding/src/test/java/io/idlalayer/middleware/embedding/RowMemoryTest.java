package io.idlalayer.middleware.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What tables take of DRAM, and that they take no more. */
final class RowMemoryTest {
  private static final long MIB = 1L << 20;

  private static RowSettings settings(long fastBytes) {
    return new RowSettings(fastBytes, RowPolicyName.FREQUENCY, 1, 1_000_000, Expiry.NEVER);
  }

  @Test
  void bytes_ofAnyFastBytes_areThoseOfTheDocument() {
    assertThat(RowMemory.of(settings(256 * MIB), false).bytes()).isEqualTo((256 + 64) * MIB);
    assertThat(RowMemory.of(settings(256 * MIB), true).bytes()).isEqualTo((256 + 64 + 128) * MIB);
    assertThat(RowMemory.of(settings(100 * MIB), false).bytes()).isEqualTo((128 + 64) * MIB);
    assertThat(RowMemory.of(settings(10 * MIB), false).bytes()).isEqualTo((20 + 10) * MIB);
    Admission filtered = new Admission(2, Admission.Counter.BLOOM, Admission.Bloom.DEFAULT);
    RowSettings settings =
        new RowSettings(
            10 * MIB, RowSettings.UNBOUNDED, RowPolicyName.SIMPLE, filtered, 100, Expiry.NEVER);
    assertThat(RowMemory.of(settings, false).filter()).isBetween(64 * MIB, 66 * MIB);
  }

  /** Rows that come and go, in batches that are far larger than what may wait. */
  @Property(tries = 60)
  void usage_inAnyHistory_isWithinTheBound(
      @ForAll long seed,
      @ForAll RowPolicyName policy,
      @ForAll @IntRange(min = 1_000, max = 60_000) int fastBytes,
      @ForAll @IntRange(min = 1, max = 40) int dim) {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(
                new EmbeddingPlan.Table("ids", dim, new RowLayout(dim, RowUpdater.ADAM)),
                new EmbeddingPlan.Table("small", 1, new RowLayout(1, RowUpdater.SGD))),
            List.of(
                new EmbeddingPlan.Feature(0, Pooling.SUM, 0),
                new EmbeddingPlan.Feature(1, Pooling.SUM, dim)),
            dim + 1,
            dim + 1);
    RowSettings settings = new RowSettings(fastBytes, policy, 1, 1_000_000, Expiry.NEVER);
    RowTables tables =
        new RowTables(plan, new RowRule(0.1, 0.5, 7), settings, new InMemoryRowStore());
    RowMemory bound = RowMemory.of(settings, false);
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 12; step++) {
      List<IdLists> samples = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        samples.add(IdLists.single(2 + random.nextInt(900), 2 + random.nextInt(900)));
      }
      if (random.nextBoolean()) {
        tables.gather(samples);
      } else {
        RowBatch batch = tables.gatherToTrain(samples, List.of());
        batch.update(samples, new float[plan.width() * samples.size()]);
        tables.commit(batch, 1_000);
      }
      assertThat(tables.usage().fastBytes()).isLessThanOrEqualTo(bound.rows() + bound.toWrite());
    }
  }
}
