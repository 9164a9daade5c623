package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ObservedStoreTest {
  private final ObservedStore store = new ObservedStore();

  @BeforeEach
  void tenSamplesOfWhichTheOddOnesAreMature() {
    MetadataBatch mature = new MetadataBatch(5);
    for (long id = 1; id <= 10; id++) {
      store.put(id, new byte[1], newborn(id));
      if (id % 2 == 1) {
        mature.put(id, newborn(id).evaluated(LifeStage.MATURE, Measures.NONE, 0, 1));
      }
    }
    store.at(7);
    store.updateMetadata(mature);
  }

  private static SampleMetadata newborn(long id) {
    return SampleMetadata.newborn(new SampleIdentity(new ContentHash(id, id), 0, 1, 0), 1, id);
  }

  @Test
  void stages_countsWhatIsStored() {
    store.remove(new long[] {1, 2});
    assertThat(store.stages()).isEqualTo(new StageCounts(4, 4, 0, 0));
  }

  @Test
  void eventOf_aSample_isTheOneItWasStoredWith() {
    store.put(11, new byte[1], newborn(11));
    store.at(9);
    store.updateMetadata(MetadataBatch.of(11, newborn(11)));
    assertThat(store.eventOf(11)).isEqualTo(7);
    assertThat(store.eventOf(10)).isZero();
    assertThat(store.newest()).isEqualTo(11);
    assertThatThrownBy(() -> store.eventOf(12)).hasMessageContaining("12");
  }
}
