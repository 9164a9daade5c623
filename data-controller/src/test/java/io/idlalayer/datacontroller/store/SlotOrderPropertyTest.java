package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class SlotOrderPropertyTest {
  /** By stage, highest score first. */
  private record Ranking(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return index.stage(slot) == LifeStage.NEWBORN ? -1 : index.stage(slot).code();
    }

    @Override
    public long key(int slot) {
      return SlotOrder.descending(index.score(slot));
    }
  }

  private static SampleMetadata sample(long id, LifeStage stage, float score) {
    return SampleMetadata.newborn(new SampleIdentity(new ContentHash(id, id), 0, 1, 1), 1, id)
        .evaluated(stage, new Measures(0, score, 0, 0, 0, 0, 0), 0, 1);
  }

  private static float score(SplittableRandom random) {
    return random.nextInt(9) == 0 ? Float.NaN : random.nextInt(7) / 3f - 1;
  }

  @Property(tries = 200)
  void everyGroup_isSortedAndCounted_whateverChanges(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SampleIndex index = new SampleIndex();
    SlotOrder order = index.countedOrder(new Ranking(index));
    TreeSet<Long> stored = new TreeSet<>();
    for (int step = 0; step < 300; step++) {
      long id = 1L + random.nextInt(60);
      LifeStage stage = LifeStage.of((byte) random.nextInt(4));
      int slot = index.slotOf(id);
      if (slot == SampleIndex.ABSENT) {
        index.add(id, sample(id, stage, score(random)));
        stored.add(id);
      } else if (random.nextInt(4) == 0) {
        index.remove(slot);
        stored.remove(id);
      } else if (random.nextBoolean()) {
        index.stage(slot, stage);
      } else {
        index.replace(slot, sample(id, stage, score(random)));
      }
    }
    for (LifeStage stage : LifeStage.values()) {
      List<Long> expected = new ArrayList<>();
      if (stage != LifeStage.NEWBORN) {
        stored.stream()
            .filter(id -> index.stage(index.slotOf(id)) == stage)
            .sorted(
                Comparator.comparing((Long id) -> Float.isNaN(index.score(index.slotOf(id))))
                    .thenComparing(id -> -index.score(index.slotOf(id)))
                    .thenComparing(id -> id))
            .forEach(expected::add);
      }
      List<Long> walked = new ArrayList<>();
      List<Long> placed = new ArrayList<>();
      SlotOrder.Walk walk = order.walk(stage.code());
      for (int place = 0; place < order.size(stage.code()); place++) {
        walked.add(index.id(walk.next()));
        placed.add(index.id(order.at(stage.code(), place)));
      }
      assertThat(walk.next()).isEqualTo(SampleIndex.ABSENT);
      assertThat(walked).isEqualTo(expected);
      assertThat(placed).isEqualTo(expected);
    }
  }

  @Property(tries = 200)
  void replaceAll_isReplaceOneByOne(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SampleIndex together = new SampleIndex();
    SampleIndex single = new SampleIndex();
    SlotOrder one = together.countedOrder(new Ranking(together));
    SlotOrder other = single.countedOrder(new Ranking(single));
    for (long id = 1; id <= 150; id++) {
      SampleMetadata sample = sample(id, LifeStage.of((byte) random.nextInt(4)), score(random));
      together.add(id, sample);
      single.add(id, sample);
    }
    for (int round = 0; round < 6; round++) {
      int step = 1 + random.nextInt(20);
      MetadataBatch batch = new MetadataBatch(0);
      for (long id = 1L + random.nextInt(step); id <= 150; id += 1L + random.nextInt(step)) {
        boolean labeled = random.nextInt(9) > 0;
        SampleMetadata now = sample(id, LifeStage.of((byte) random.nextInt(4)), score(random));
        batch.put(id, labeled ? now : now.retracted(1));
        together.inTraining(together.slotOf(id), labeled);
        single.inTraining(single.slotOf(id), labeled);
      }
      together.replaceAll(batch);
      for (int i = 0; i < batch.size(); i++) {
        single.replace(single.slotOf(batch.id(i)), batch.metadata(i));
      }
      assertThat(walked(together, one)).isEqualTo(walked(single, other));
      assertThat(counts(together)).isEqualTo(counts(single));
    }
    for (long id = 1; id <= 150; id++) {
      SampleMetadata now = single.metadata(single.slotOf(id));
      assertThat(together.metadata(together.slotOf(id))).isEqualTo(now);
      assertThat(together.id(together.slotOf(now.identity().contentHash()))).isEqualTo(id);
    }
  }

  /** The ids of every group in order, by walking and by place. */
  private static List<Long> walked(SampleIndex index, SlotOrder order) {
    List<Long> ids = new ArrayList<>();
    for (int group = 0; group < order.groups(); group++) {
      SlotOrder.Walk walk = order.walk(group);
      for (int place = 0; place < order.size(group); place++) {
        ids.add(index.id(walk.next()));
        ids.add(index.id(order.at(group, place)));
      }
      assertThat(walk.next()).isEqualTo(SampleIndex.ABSENT);
    }
    return ids;
  }

  private static List<Long> counts(SampleIndex index) {
    List<Long> counts = new ArrayList<>();
    for (LifeStage stage : LifeStage.values()) {
      counts.add((long) index.count(stage));
    }
    counts.addAll(List.of((long) index.size(), index.bytes(), (long) index.unlabeled()));
    counts.addAll(List.of((long) index.locked(), index.lockedBytes()));
    return counts;
  }

  @Example
  void replaceAll_ofWhatIsNotStored_changesNothing() {
    SampleIndex index = new SampleIndex();
    index.add(1, sample(1, LifeStage.MATURE, 0.5f));
    MetadataBatch batch = new MetadataBatch(2);
    batch.put(1, sample(1, LifeStage.PRESERVE, 0.75f));
    batch.put(2, sample(2, LifeStage.PRESERVE, 0.75f));
    assertThatThrownBy(() -> index.replaceAll(batch))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sample 2");
    assertThat(index.metadata(index.slotOf(1))).isEqualTo(sample(1, LifeStage.MATURE, 0.5f));
  }

  @Example
  void anOrderThatComesLater_holdsWhatIsThere() {
    SampleIndex index = new SampleIndex();
    for (long id = 1; id <= 5_000; id++) {
      index.add(id, sample(id, LifeStage.MATURE, (float) (id % 100)));
    }
    index.remove(index.slotOf(99));
    SlotOrder order = index.countedOrder(new Ranking(index));
    assertThat(order.size(LifeStage.MATURE.code())).isEqualTo(4_999);
    assertThat(index.id(order.walk(LifeStage.MATURE.code()).next())).isEqualTo(199);
    assertThat(index.id(order.at(LifeStage.MATURE.code(), 4_998))).isEqualTo(5_000);
  }

  @Example
  void heap_isWithinTheBound_andKnown() {
    SampleIndex index = new SampleIndex();
    index.order(new Ranking(index));
    index.countedOrder(new Ranking(index));
    long[] counts = {1, 1_000, 100_000, 131_073};
    long id = 0;
    for (long count : counts) {
      while (id < count) {
        id++;
        index.add(
            id,
            SampleMetadata.newborn(new SampleIdentity(new ContentHash(id, id), id, 1, 1), 1, id)
                .evaluated(LifeStage.MATURE, Measures.NONE, 0, 1));
      }
      assertThat(index.heapBytes()).isLessThanOrEqualTo(SampleIndex.heapBytesFor(id, true, 2, 1));
    }
    assertThat(SampleIndex.heapBytesFor(1_000_000, false, 3, 0) / 1e6).isBetween(120.0, 160.0);
    assertThat(SampleIndex.heapBytesFor(SampleIndex.MOST_SAMPLES, true, 3, 1))
        .isBetween(50L << 30, 100L << 30);
  }
}
