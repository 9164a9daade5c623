package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is read and written behind the cache of rows. */
final class MeteredRowStoreTest {
  private long nanos;

  /** Each look at the clock is half a second later. */
  private final StoreMeter meter = new StoreMeter(() -> nanos += 500_000_000);

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
