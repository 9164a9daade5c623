package io.idlalayer.datacontroller.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.settings.DataSettings.Newborns;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LifetimeSelectionTest {
  private static final Ratios SHARES = new Ratios(0.5, 1, 0.25);

  private static LifetimeSelection selection(
      SampleIndex index, int budget, double steady, Newborns newborns) {
    return new LifetimeSelection(
        new Replay(Policy.FUZZY, SHARES, false, budget, steady, newborns), 7, index);
  }

  private static void add(SampleIndex index, long id, LifeStage stage) {
    SampleMetadata newborn =
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(id, id), 0, 1, 1), 1, id);
    index.add(
        id,
        stage == LifeStage.NEWBORN
            ? newborn
            : newborn.evaluated(stage, new Measures(0, 0, 0, 0, 0, 0, 0), 0, 1));
  }

  private static void feed(LifetimeSelection selection, int count, float loss) {
    for (int i = 0; i < count; i++) {
      selection.scored(loss);
    }
  }

  private static SampleIndex preserved(int count) {
    SampleIndex index = new SampleIndex();
    LongStream.rangeClosed(1, count).forEach(id -> add(index, id, LifeStage.PRESERVE));
    return index;
  }

  @Test
  void replay_isTheSteadyShareInQuietTimes_andTheBudgetAfterADrift() {
    SampleIndex index = preserved(1000);
    LifetimeSelection selection = selection(index, 100, 0.25, Newborns.ALL);
    assertThat(selection.replayed(1)).as("of a young model").hasSize(100);

    feed(selection, 2000, 0.4f);
    assertThat(selection.replayed(2)).as("steady").hasSize(25);
    feed(selection, 300, 1.5f);
    assertThat(selection.replayed(3)).as("after a drift").hasSize(100);
    feed(selection, 20_000, 0.4f);
    assertThat(selection.replayed(4)).as("steady again").hasSize(25);
    feed(selection, 1000, 0.1f);
    assertThat(selection.replayed(5)).as("while it gets better").hasSize(25);
  }

  @Test
  void fewWildLosses_areNoDrift() {
    SampleIndex index = preserved(1000);
    LifetimeSelection selection = selection(index, 100, 0, Newborns.ALL);
    feed(selection, 2000, 0.4f);
    selection.scored(1e6f);
    assertThat(selection.replayed(1)).isEmpty();
  }

  @Test
  void share_saysHowSlowlyAStageGrowsOld() {
    SampleIndex index = new SampleIndex();
    add(index, 1, LifeStage.PRESERVE);
    add(index, 2, LifeStage.NEWBORN);
    for (long id = 3; id <= 6; id++) {
      add(index, id, LifeStage.MATURE);
    }
    add(index, 7, LifeStage.DISCARD);
    // Ages by shares: 1 is 7, 3 is 10, 4 is 8, 5 is 6, 6 is 4, 7 is 4.
    assertThat(selection(index, 4, 1, Newborns.ALL).replayed(1)).containsExactly(1, 5, 6, 7);
  }

  @Property(tries = 200)
  void replay_isTheYoungestByShare(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 60) int budget) {
    SplittableRandom random = new SplittableRandom(seed);
    SampleIndex index = new SampleIndex();
    record Entry(long id, double age) {}
    List<Entry> all = new ArrayList<>();
    long newest = 0;
    for (long id = 1; id <= 100; id++) {
      LifeStage stage = LifeStage.of((byte) random.nextInt(4));
      add(index, id, stage);
      newest = stage == LifeStage.NEWBORN ? newest : id;
    }
    for (long id = 1; id <= 100; id++) {
      LifeStage stage = index.stage(index.slotOf(id));
      double share =
          switch (stage) {
            case PRESERVE -> 1;
            case MATURE -> 0.5;
            case DISCARD -> 0.25;
            case NEWBORN -> 0;
          };
      if (share > 0) {
        all.add(new Entry(id, (newest - id + 1) / share));
      }
    }
    long[] expected =
        all.stream()
            .sorted(Comparator.comparingDouble(Entry::age).thenComparingLong(Entry::id))
            .limit(budget)
            .mapToLong(Entry::id)
            .sorted()
            .toArray();
    assertThat(selection(index, budget, 1, Newborns.ALL).replayed(3)).isEqualTo(expected);
  }

  @Test
  void samplesThatWereNeverTrained_areNotReplayed() {
    SampleIndex index = new SampleIndex();
    index.add(
        1,
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(1, 1), 0, 1, 1), 1, 1)
            .passedOver(LifeStage.DISCARD));
    assertThat(selection(index, 4, 1, Newborns.ALL).replayed(1)).isEmpty();
  }

  @Test
  void newSamplesThatTheModelKnows_arePassedOver_butForAFew() {
    SampleIndex index = new SampleIndex();
    for (long id = 1; id <= 4000; id++) {
      add(index, id, LifeStage.NEWBORN);
      index.loss(index.slotOf(id), id <= 2000 ? 0.001f : 0.4f);
    }
    long[] all = LongStream.rangeClosed(1, 4000).toArray();
    LifetimeSelection selection = selection(index, 0, 1, Newborns.OPEN);
    assertThat(selection.passedOver(all)).as("of a young model").isEmpty();
    feed(selection, 2000, 0.4f);

    long[] passed = selection.passedOver(all);
    assertThat(Arrays.stream(passed).max().orElseThrow()).isLessThanOrEqualTo(2000);
    assertThat(passed.length / 2000.0).isCloseTo(0.84, within(0.03));
    assertThat(passed).isSorted().isEqualTo(selection.passedOver(all));
    assertThat(selection(index, 0, 1, Newborns.ALL).passedOver(all)).isEmpty();
  }

  @Test
  void passedOver_onlyNewSample_isTrained() {
    SampleIndex index = new SampleIndex();
    LifetimeSelection selection = selection(index, 0, 1, Newborns.OPEN);
    feed(selection, 2000, 0.4f);
    for (long id = 1; id <= 50; id++) {
      add(index, id, LifeStage.NEWBORN);
      index.loss(index.slotOf(id), 0);
      assertThat(selection.passedOver(new long[] {id})).isEmpty();
    }
  }

  @Test
  void wrongOnes_trainAllOnlyWhileTheLossRises() {
    LossTrend trend = new LossTrend();
    for (int i = 0; i < 2000; i++) {
      trend.add(0.4);
    }
    assertThat(TrainingProbability.chance(4f, trend)).isCloseTo(0.15, within(0.01));
    assertThat(TrainingProbability.chance(0.4f, trend)).isEqualTo(1);
    assertThat(TrainingProbability.chance(0f, trend)).isCloseTo(0.15, within(1e-9));
    assertThat(TrainingProbability.chance(Float.NaN, trend)).isEqualTo(1);
    for (int i = 0; i < 100; i++) {
      trend.add(1);
    }
    assertThat(trend.rising()).isTrue();
    assertThat(TrainingProbability.chance(4f, trend)).isEqualTo(1);
    assertThat(TrainingProbability.chance(0f, trend)).isCloseTo(0.15, within(1e-9));
  }

  @Test
  void memory_survivesARestart() {
    SampleIndex index = preserved(1000);
    LifetimeSelection selection = selection(index, 100, 0.25, Newborns.OPEN);
    feed(selection, 5000, 0.4f);
    feed(selection, 20, 1.5f);
    LifetimeSelection restored = selection(index, 100, 0.25, Newborns.OPEN);
    restored.restore(selection.snapshot());
    assertThat(restored.replayed(9)).isEqualTo(selection.replayed(9));
    assertThat(restored.snapshot()).isEqualTo(selection.snapshot());
    byte[] later = selection.snapshot();
    later[1 + later[0]] = 2;
    assertThatThrownBy(() -> restored.restore(later)).hasMessageContaining("version 2");
  }
}
