package io.idlalayer.datacontroller.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class StageSelectionTest {
  private static DataSettings.Replay settings(Ratios ratios, int budget) {
    return DataSettings.Replay.of(DataSettings.Policy.STAGE_SHARES, ratios, false, budget);
  }

  private static void add(SampleIndex index, long id, LifeStage stage, float score) {
    index.add(
        id,
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(id, id), 0, 1, 1), 1, id)
            .evaluated(stage, new Measures(0, score, 0, 0, 0, 0, 0), 0, 1));
  }

  @Test
  void of_sharesAboveTheLimit_trimsDiscardThenMatureThenPreserve() {
    Ratios all = new Ratios(1, 1, 1);
    assertThat(ReplayPlan.of(all, 5, 4, 3, 100)).isEqualTo(new ReplayPlan(5, 4, 3));
    assertThat(ReplayPlan.of(all, 5, 4, 3, 10)).isEqualTo(new ReplayPlan(5, 4, 1));
    assertThat(ReplayPlan.of(all, 5, 4, 3, 7)).isEqualTo(new ReplayPlan(3, 4, 0));
    assertThat(ReplayPlan.of(all, 5, 4, 3, 2)).isEqualTo(new ReplayPlan(0, 2, 0));
    assertThat(ReplayPlan.of(all, 5, 4, 3, 0)).isEqualTo(new ReplayPlan(0, 0, 0));
    assertThat(ReplayPlan.of(new Ratios(0.5, 1, 0), 5, 4, 3, 100))
        .isEqualTo(new ReplayPlan(3, 4, 0));
  }

  @Test
  void replayed_exampleOfFigure53_takesPreserveAndMature() {
    SampleIndex index = new SampleIndex();
    add(index, 1, LifeStage.PRESERVE, 0.9f);
    add(index, 2, LifeStage.PRESERVE, 0.8f);
    add(index, 3, LifeStage.MATURE, 0.5f);
    add(index, 4, LifeStage.DISCARD, 0.1f);
    add(index, 5, LifeStage.DISCARD, 0.05f);
    StageSelection selector = new StageSelection(settings(new Ratios(1, 1, 0), 5), 1, index);
    assertThat(selector.replayed(1)).containsExactly(1L, 2L, 3L);
  }

  @Property(tries = 300)
  void replayed_scoresInAnySlots_takesTheBest(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 120) int count) {
    SplittableRandom random = new SplittableRandom(seed);
    SampleIndex index = new SampleIndex();
    record Entry(long id, float score) {}
    List<Entry> mature = new ArrayList<>();
    for (long id = 1; id <= count; id++) {
      float score = random.nextInt(8) / 8f;
      add(index, id, LifeStage.MATURE, score);
      mature.add(new Entry(id, score));
    }
    int take = (int) Math.round(0.3 * count);
    long[] expected =
        mature.stream()
            .sorted(
                Comparator.comparingDouble((Entry e) -> -e.score()).thenComparingLong(Entry::id))
            .limit(take)
            .mapToLong(Entry::id)
            .sorted()
            .toArray();
    StageSelection selector =
        new StageSelection(settings(new Ratios(0.3, 0, 0), 1000), seed, index);
    assertThat(selector.replayed(1)).isEqualTo(expected);
  }

  @Test
  void replayed_shareOfDiscard_isRandomButRepeatable() {
    SampleIndex one = new SampleIndex();
    SampleIndex other = new SampleIndex();
    for (long id = 1; id <= 100; id++) {
      add(one, id, LifeStage.DISCARD, 0);
      add(other, 101 - id, LifeStage.DISCARD, 0);
    }
    DataSettings.Replay tenth = settings(new Ratios(0, 0, 0.1), 1000);
    StageSelection selector = new StageSelection(tenth, 3, one);
    long[] drawn = selector.replayed(1);
    assertThat(drawn).hasSize(10).isEqualTo(new StageSelection(tenth, 3, other).replayed(1));
    assertThat(selector.replayed(2)).isNotEqualTo(drawn);
  }
}
