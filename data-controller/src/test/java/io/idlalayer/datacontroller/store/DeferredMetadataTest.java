package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class DeferredMetadataTest extends SampleStoreContract {
  private final InMemorySampleStore durable = new InMemorySampleStore();

  @Override
  protected DeferredMetadata open() {
    return new DeferredMetadata(durable);
  }

  private Map<Long, SampleMetadata> written() {
    Map<Long, SampleMetadata> all = new TreeMap<>();
    durable.forEachMetadata(all::put);
    return all;
  }

  @Test
  void updateMetadata_severalTimes_writesTheLastOne() {
    DeferredMetadata store = open();
    for (long id = 1; id <= 3; id++) {
      store.put(id, new byte[] {1}, metadata(id));
    }
    store.updateMetadata(MetadataBatch.of(3, metadata(30)));
    store.updateMetadata(MetadataBatch.of(1, metadata(10)));
    store.updateMetadata(MetadataBatch.of(3, metadata(31)));
    assertThat(written()).containsEntry(1L, metadata(1)).containsEntry(3L, metadata(3));

    store.write();
    assertThat(written()).isEqualTo(Map.of(1L, metadata(10), 2L, metadata(2), 3L, metadata(31)));
    store.put(3, new byte[] {2}, metadata(33));
    store.write();
    assertThat(written()).as("nothing is written again").containsEntry(3L, metadata(33));
  }

  @Test
  void putAndRemove_afterAChange_makeItVoid() {
    DeferredMetadata store = open();
    store.put(1, new byte[] {1}, metadata(1));
    store.put(2, new byte[] {1}, metadata(2));
    store.updateMetadata(MetadataBatch.of(1, metadata(10)));
    store.updateMetadata(MetadataBatch.of(2, metadata(20)));
    store.put(1, new byte[] {2}, metadata(11));
    store.remove(new long[] {2});
    store.write();
    assertThat(written()).isEqualTo(Map.of(1L, metadata(11)));
  }

  @Test
  void updateMetadata_ofMoreSamplesThanMayWait_writesThem() {
    DeferredMetadata store = open();
    int samples = DeferredMetadata.MOST_WAITING + 1;
    MetadataBatch changed = new MetadataBatch(samples);
    for (long id = 1; id <= samples; id++) {
      store.put(id, new byte[0], metadata(id));
      changed.put(id, metadata(id + 1));
    }
    store.updateMetadata(changed);
    assertThat(written()).hasSize(samples).containsEntry(7L, metadata(8));
  }

  @Test
  void write_thatFails_isTriedAgain() {
    DeferredMetadata store = open();
    store.put(1, new byte[0], metadata(1));
    store.updateMetadata(MetadataBatch.of(1, metadata(10)));
    durable.remove(new long[] {1});
    assertThatThrownBy(store::write).isInstanceOf(SampleStoreException.class);
    durable.put(1, new byte[0], metadata(1));
    store.write();
    assertThat(written()).isEqualTo(Map.of(1L, metadata(10)));
  }
}
