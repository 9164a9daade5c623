package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What every sample store promises. */
public abstract class SampleStoreContract {
  /** An empty store. */
  protected abstract SampleStore open() throws Exception;

  protected static SampleMetadata metadata(long seed) {
    return new SampleMetadata(
        new SampleIdentity(
            new ContentHash(seed, ~seed), seed * 3, 10, seed % 2 == 0 ? seed % 5 : Float.NaN),
        new SampleLifecycle(
            LifeStage.of((byte) (seed & 3)),
            (int) (1 + seed),
            1_000 + seed,
            2,
            (int) seed,
            1,
            (int) seed + 7),
        new Measures(seed / 2f, seed / 1000f, Float.NaN, seed / 3f, Float.NaN, 0.25f, 0.75f));
  }

  private static Map<Long, SampleMetadata> all(SampleStore store) {
    Map<Long, SampleMetadata> all = new TreeMap<>();
    store.forEachMetadata(all::put);
    return all;
  }

  @Test
  void put_newSamples_areThere() throws Exception {
    SampleStore store = open();
    store.put(5, new byte[] {1, 2}, metadata(5));
    store.put(7, new byte[0], metadata(7));
    assertThat(store.payloads(new long[] {5, 7})).containsExactly(new byte[] {1, 2}, new byte[0]);
    assertThat(all(store)).isEqualTo(Map.of(5L, metadata(5), 7L, metadata(7)));
    assertThat(store.payloads(new long[0])).isEmpty();
  }

  @Test
  void put_sameIdAgain_replaces() throws Exception {
    SampleStore store = open();
    store.put(5, new byte[] {1}, metadata(5));
    store.put(5, new byte[] {9}, metadata(6));
    assertThat(store.payloads(new long[] {5})).containsExactly(new byte[] {9});
    assertThat(all(store)).isEqualTo(Map.of(5L, metadata(6)));
  }

  @Test
  void updateMetadata_leavesThePayload() throws Exception {
    SampleStore store = open();
    store.put(1, new byte[] {1}, metadata(1));
    store.put(2, new byte[] {2}, metadata(2));
    store.updateMetadata(MetadataBatch.of(2, metadata(20)));
    assertThat(all(store)).isEqualTo(Map.of(1L, metadata(1), 2L, metadata(20)));
    assertThat(store.payloads(new long[] {2})).containsExactly(new byte[] {2});
  }

  @Test
  void forEachMetadata_visitorReplaces_visitsEachOnce() throws Exception {
    SampleStore store = open();
    for (long id = 1; id <= 300; id++) {
      store.put(id, new byte[] {1}, metadata(id));
    }
    Map<Long, SampleMetadata> visited = new TreeMap<>();
    store.forEachMetadata(
        (id, metadata) -> {
          assertThat(visited.put(id, metadata)).isNull();
          store.put(id, new byte[] {2, 3}, metadata(id + 1_000));
        });
    assertThat(visited).hasSize(300).containsEntry(7L, metadata(7));
    assertThat(all(store)).hasSize(300).containsEntry(300L, metadata(1_300));
    assertThat(store.payloads(new long[] {42})).containsExactly(new byte[] {2, 3});
  }

  @Test
  void payloads_unknownId_isNamed() throws Exception {
    SampleStore store = open();
    store.put(1, new byte[] {1}, metadata(1));
    assertThatThrownBy(() -> store.payloads(new long[] {1, 42}))
        .isInstanceOf(SampleStoreException.class)
        .hasMessageContaining("42");
  }

  @Test
  void remove_twice_isHarmless() throws Exception {
    SampleStore store = open();
    store.put(1, new byte[] {1}, metadata(1));
    store.put(2, new byte[] {2}, metadata(2));
    store.remove(new long[] {1, 3});
    store.remove(new long[] {1});
    assertThat(all(store).keySet()).containsExactly(2L);
    assertThatThrownBy(() -> store.payloads(new long[] {1}))
        .isInstanceOf(SampleStoreException.class);
  }

  @Test
  void randomSteps_agreeWithAMap() throws Exception {
    SampleStore store = open();
    TreeMap<Long, SampleMetadata> model = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(11);
    for (int step = 0; step < 3_000; step++) {
      long id = random.nextInt(300);
      switch (random.nextInt(3)) {
        case 0 -> {
          store.put(id, new byte[] {(byte) id}, metadata(step));
          model.put(id, metadata(step));
        }
        case 1 -> {
          if (model.containsKey(id)) {
            store.updateMetadata(MetadataBatch.of(id, metadata(step + 1)));
            model.put(id, metadata(step + 1));
          }
        }
        default -> {
          store.remove(new long[] {id});
          model.remove(id);
        }
      }
    }
    assertThat(all(store)).isEqualTo(model);
  }
}
