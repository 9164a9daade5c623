package io.idlalayer.jobs.learner.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.ContentHash;
import org.junit.jupiter.api.Test;

/** What is read and written behind the cache of samples. */
final class MeteredSampleStoreTest {
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
}
