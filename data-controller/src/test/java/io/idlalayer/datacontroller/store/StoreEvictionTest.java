package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import org.junit.jupiter.api.Test;

/** Which samples leave; nothing here deletes any. */
final class StoreEvictionTest {
  private final SampleIndex index = new SampleIndex();

  private StoreEviction eviction(int maxSamples, long maxBytes) {
    return new StoreEviction(
        TestSettings.of(new DataSettings.Ratios(1, 1, 1), 10, maxSamples, maxBytes, 10), index);
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
}
