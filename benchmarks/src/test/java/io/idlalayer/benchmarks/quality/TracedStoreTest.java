package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.quality.Contender.Draw;
import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TracedStoreTest {
  private static final Draw OF_ALL_MATURE = new Draw(Set.of(LifeStage.MATURE), Long.MAX_VALUE);

  private final TracedStore store = new TracedStore(4);

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
  void draw_ofAStage_takesOnlyItsSamplesAndEachInTime() {
    Set<Long> drawn = new HashSet<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 50; i++) {
      long[] ids = store.draw(OF_ALL_MATURE, 2, random);
      assertThat(ids).hasSize(2).isSorted().doesNotHaveDuplicates();
      drawn.add(ids[0]);
      drawn.add(ids[1]);
    }
    assertThat(drawn).containsExactlyInAnyOrder(1L, 3L, 5L, 7L, 9L);
  }

  @Test
  void draw_ofMoreThanThereAre_takesAll() {
    store.remove(new long[] {1, 2, 3});
    assertThat(store.draw(OF_ALL_MATURE, 9, new SplittableRandom(1))).containsExactly(5, 7, 9);
    assertThat(
            store.draw(
                new Draw(Set.of(LifeStage.PRESERVE), Long.MAX_VALUE), 9, new SplittableRandom(1)))
        .isEmpty();
  }

  @Test
  void draw_ofTheNewest_leavesOutTheOlder() {
    Draw newest = new Draw(Set.of(LifeStage.MATURE), 4);
    assertThat(store.draw(newest, 9, new SplittableRandom(1))).containsExactly(7, 9);
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

  @Test
  void lines_areOfTheWatchedSamplesOnly() {
    assertThat(store.lines()).hasSize(2);
    assertThat(store.lines().get(0)).startsWith("0,4,NEWBORN");
    SampleMetadata preserved =
        newborn(8).evaluated(LifeStage.PRESERVE, new Measures(0.5f, 1, 0.25f, 0, 0, 1, 1), 0, 2);
    store.updateMetadata(MetadataBatch.of(8, preserved));
    assertThat(store.lines().get(2)).isEqualTo("7,8,PRESERVE,1.0000,0.500000,0.25000,1,1,1");
  }
}
