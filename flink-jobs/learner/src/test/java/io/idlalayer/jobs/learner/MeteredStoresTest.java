package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.jobs.learner.update.MeteredSampleStore;
import io.idlalayer.jobs.learner.update.StoreMeter;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.ContentHash;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is read and written behind the caches of samples and rows. */
final class MeteredStoresTest {
  private long nanos;

  /** Each look at the clock is half a second later. */
  private final StoreMeter meter = new StoreMeter(() -> nanos += 500_000_000);

  @Test
  void samples_payloadsAreCounted_andTheTimeOfReads() {
    MeteredSampleStore store = new MeteredSampleStore(new InMemorySampleStore(), meter);
    SampleMetadata any =
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(1, 2), 3, 10, 1), 1, 1_000);
    store.put(1, new byte[10], any);
    store.put(2, new byte[20], any);
    assertThat(meter.status()).isEqualTo(new StoreTraffic(0, 30, 0));
    assertThat(store.payloads(new long[] {1, 2})).hasSize(2);
    assertThat(store.payloads(new long[] {})).isEmpty();
    assertThat(meter.status()).isEqualTo(new StoreTraffic(30, 30, 0.5));
  }

  @Test
  void rows_entriesAndChangesAreCounted_andTheTimeOfReads() {
    InMemoryRowStore inner = new InMemoryRowStore();
    MeteredRowStore store = new MeteredRowStore(inner, meter);
    store.write(Map.of(5L, new byte[100], 6L, new byte[50]));
    store.changes().append(1, new byte[7]);
    store.history().append(1, new byte[1_000]);
    assertThat(meter.status()).isEqualTo(new StoreTraffic(0, 157, 0));
    int[] found = {0};
    store.read(new long[] {5, 9}, 2, (i, row) -> found[0]++);
    store.read(new long[] {}, 0, (i, row) -> found[0]++);
    assertThat(found[0]).isEqualTo(1);
    assertThat(meter.status()).isEqualTo(new StoreTraffic(100, 157, 0.5));
    assertThat(inner.changes().entries()).hasSize(1);
    store.changes().forget(1, 1);
    assertThat(inner.changes().entries()).isEmpty();
  }
}
