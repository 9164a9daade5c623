package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HotSampleStoreTest extends SampleStoreContract {
  private final HotCache cache = new HotCache(new CacheSettings(1 << 16, PolicyName.ADAPTIVE));
  private final CacheOwner owner = cache.attach("learner", 1 << 16);
  private final FakeSampleStore durable = new FakeSampleStore();

  /** Remembers which payloads were read. */
  private static final class FakeSampleStore implements SampleStore {
    final InMemorySampleStore store = new InMemorySampleStore();
    final List<Long> read = new ArrayList<>();

    @Override
    public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
      store.put(sampleId, payload, metadata);
    }

    @Override
    public void updateMetadata(MetadataBatch changed) {
      store.updateMetadata(changed);
    }

    @Override
    public List<byte[]> payloads(long[] ascendingIds) {
      for (long id : ascendingIds) {
        read.add(id);
      }
      return store.payloads(ascendingIds);
    }

    @Override
    public void remove(long[] ascendingIds) {
      store.remove(ascendingIds);
    }

    @Override
    public void forEachMetadata(MetadataVisitor visitor) {
      store.forEachMetadata(visitor);
    }
  }

  @Override
  protected SampleStore open() {
    return new HotSampleStore(durable, new PrivatePayloads(cache, owner));
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private static SampleMetadata in(LifeStage stage) {
    return metadata(4).evaluated(stage, Measures.NONE, 0, 1);
  }

  @Test
  void newSamplesAreHot_discardedOnesLeave_theRestIsReadInOnePass() {
    SampleStore store = open();
    for (long id = 1; id <= 4; id++) {
      store.put(id, new byte[] {(byte) id}, in(LifeStage.NEWBORN));
    }
    store.payloads(new long[] {1, 2, 3, 4});
    assertThat(durable.read).isEmpty();

    MetadataBatch moved = new MetadataBatch(3);
    moved.put(2L, in(LifeStage.DISCARD));
    moved.put(3L, in(LifeStage.PRESERVE));
    moved.put(4L, in(LifeStage.DISCARD));
    store.updateMetadata(moved);
    List<byte[]> payloads = store.payloads(new long[] {1, 2, 3, 4});
    assertThat(durable.read).containsExactly(2L, 4L);
    assertThat(payloads)
        .extracting(payload -> payload[0])
        .containsExactly((byte) 1, (byte) 2, (byte) 3, (byte) 4);
    assertThat(owner.usage().hits()).isEqualTo(6);
    assertThat(owner.usage().misses()).isEqualTo(2);
  }

  @Test
  void sampleWithoutALabel_isOnlyStored_untilItsLabelComes() {
    SampleStore store = open();
    SampleMetadata labeled = metadata(4);
    SampleMetadata waiting = metadata(5);

    store.put(1, new byte[] {1}, waiting);
    assertThat(cache.stats().blocks()).isZero();
    store.put(1, new byte[] {2}, labeled);
    assertThat(cache.stats().blocks()).isOne();
    assertThat(store.payloads(new long[] {1}).get(0)).containsExactly(2);
    assertThat(durable.read).isEmpty();

    store.put(1, new byte[] {3}, waiting);
    assertThat(store.payloads(new long[] {1}).get(0)).containsExactly(3);
    assertThat(durable.read).containsExactly(1L);
  }

  @Test
  void prefetch_readsOnlyWhatIsCold() {
    HotSampleStore store = new HotSampleStore(durable, new PrivatePayloads(cache, owner));
    for (long id = 1; id <= 6; id++) {
      durable.store.put(id, new byte[] {(byte) id}, in(LifeStage.PRESERVE));
    }
    store.put(7, new byte[] {7}, in(LifeStage.NEWBORN));

    assertThat(store.prefetch(new long[] {1, 2})).isEqualTo(2);
    assertThat(store.prefetch(new long[] {1, 2, 3, 7})).isEqualTo(1);
    assertThat(store.prefetch(new long[] {1, 2, 3, 7})).isZero();
    assertThat(durable.read).containsExactly(1L, 2L, 3L);
    store.payloads(new long[] {1, 2, 3, 7});
    assertThat(durable.read).hasSize(3);
  }

  @Test
  void storesOfOneCache_neverMeet_andCloseLeavesNothing() {
    HotSampleStore one = new HotSampleStore(durable, new PrivatePayloads(cache, owner));
    HotSampleStore other =
        new HotSampleStore(new InMemorySampleStore(), new PrivatePayloads(cache, owner));
    one.put(1, new byte[] {1}, in(LifeStage.NEWBORN));
    other.put(1, new byte[] {2}, in(LifeStage.NEWBORN));

    assertThat(one.payloads(new long[] {1}).get(0)).containsExactly(1);
    assertThat(other.payloads(new long[] {1}).get(0)).containsExactly(2);
    one.close();
    other.close();
    assertThat(cache.stats().blocks()).isZero();
  }
}
