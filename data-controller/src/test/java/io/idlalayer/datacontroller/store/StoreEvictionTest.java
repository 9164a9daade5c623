package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which samples leave; nothing here deletes any. */
final class StoreEvictionTest {
  private final SampleIndex index = new SampleIndex();

  private StoreEviction eviction(int maxSamples, long maxBytes) {
    return eviction(DataSettings.Eviction.STAGES, maxSamples, maxBytes);
  }

  private StoreEviction eviction(DataSettings.Eviction how, int maxSamples, long maxBytes) {
    DataSettings settings =
        TestSettings.of(new DataSettings.Ratios(1, 1, 1), 10, maxSamples, maxBytes, 10);
    return new StoreEviction(
        new DataSettings(settings.staging(), settings.replay(), maxSamples, maxBytes, 10, how),
        index);
  }

  private void add(long id, LifeStage stage, float score, float label) {
    SampleIdentity identity = new SampleIdentity(new ContentHash(id, id), id, 10, label);
    SampleMetadata newborn = SampleMetadata.newborn(identity, 1, id);
    Measures measures = new Measures(0, score, 0, 0, 0, 0.5f, 0.5f);
    index.add(id, stage == LifeStage.NEWBORN ? newborn : newborn.evaluated(stage, measures, 0, 1));
  }

  private void addOneOfEach() {
    add(1, LifeStage.PRESERVE, 0.9f, 1);
    add(2, LifeStage.MATURE, 0.5f, 1);
    add(3, LifeStage.NEWBORN, 0, 1);
    add(4, LifeStage.MATURE, 0.4f, 1);
    add(5, LifeStage.DISCARD, 0.1f, 1);
    add(6, LifeStage.NEWBORN, 0, Float.NaN);
  }

  @Test
  void toEvict_whatFits_isNothing() {
    addOneOfEach();
    assertThat(eviction(7, 1_000).toEvict(10)).isEmpty();
  }

  @Test
  void toEvict_tooManySamples_isDiscardThenTheLowestScoreAndDeletesNothing() {
    addOneOfEach();
    assertThat(eviction(6, 1_000).toEvict(10)).containsExactly(5);
    assertThat(eviction(5, 1_000).toEvict(10)).containsExactly(4, 5);
    assertThat(eviction(3, 1_000).toEvict(10)).containsExactly(1, 2, 4, 5);
    assertThat(index.size()).isEqualTo(6);
  }

  @Test
  void toEvict_moreThanMayGo_isAllButWhatWaitsForItsTraining() {
    addOneOfEach();
    assertThat(eviction(1, 1_000).toEvict(10)).containsExactly(1, 2, 4, 5, 6);
    assertThat(eviction(1, 1_000).full(10)).isTrue();
  }

  @Test
  void toEvict_tooManyBytes_countsThoseOfTheSampleThatIsReplacedAsGone() {
    addOneOfEach();
    StoreEviction eviction = eviction(100, 60);
    assertThat(eviction.toEvict(10)).containsExactly(5);
    assertThat(eviction.toEvict(10, index.require(6))).isEmpty();
    assertThat(eviction.toEvict(50, index.require(6))).containsExactly(1, 2, 4, 5);
  }

  @Test
  void toEvict_aSampleInTraining_stays() {
    addOneOfEach();
    index.inTraining(index.require(5), true);
    assertThat(eviction(6, 1_000).toEvict(10)).containsExactly(4);
  }

  @Test
  void toEvict_byAge_isTheOldestWhateverItsStage() {
    addOneOfEach();
    assertThat(eviction(DataSettings.Eviction.OLDEST, 6, 1_000).toEvict(10)).containsExactly(1);
    assertThat(eviction(DataSettings.Eviction.OLDEST, 4, 1_000).toEvict(10))
        .containsExactly(1, 2, 4);
    assertThat(eviction(DataSettings.Eviction.OLDEST, 2, 1_000).toEvict(10))
        .containsExactly(1, 2, 4, 5, 6);
  }

  @Test
  void toEvict_byAge_isFirstWhatCannotTrainAnyMore() {
    addOneOfEach();
    SampleIdentity identity = new SampleIdentity(new ContentHash(7, 7), 7, 10, 1);
    index.add(7, SampleMetadata.newborn(identity, 1, 7).passedOver(LifeStage.DISCARD));
    assertThat(eviction(DataSettings.Eviction.OLDEST, 7, 1_000).toEvict(10)).containsExactly(7);
    assertThat(eviction(DataSettings.Eviction.OLDEST, 6, 1_000).toEvict(10)).containsExactly(1, 7);
  }

  @Test
  void toEvict_atRandom_goesByAFixedNumberOfEachSample() {
    for (long id = 1; id <= 200; id++) {
      add(id, LifeStage.MATURE, 0.5f, 1);
    }
    StoreEviction eviction = eviction(DataSettings.Eviction.RANDOM, 101, 1_000_000);
    long[] gone = eviction.toEvict(10);
    assertThat(gone).hasSize(101).isSorted();
    assertThat(Arrays.stream(gone).filter(id -> id <= 100).count()).isBetween(35L, 65L);
    assertThat(eviction.toEvict(10)).isEqualTo(gone);
  }
}
