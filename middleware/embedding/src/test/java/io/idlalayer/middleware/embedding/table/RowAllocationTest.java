package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No object is made for each row: not by a mini-batch, and of rows that are in DRAM not by a lookup
 * or a commit either, which take what the arrays of their copies take.
 */
final class RowAllocationTest {
  private static final int DIM = 16;
  private static final int ROWS = 20_000;
  private static final int WARM_UPS = 60;

  /** The least that an object takes. */
  private static final int OBJECT_BYTES = 16;

  private static final RowLayout LAYOUT = new RowLayout(DIM, RowUpdater.ADAGRAD);
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(new EmbeddingPlan.Table("ids", DIM, LAYOUT)),
          List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)),
          DIM,
          DIM);

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final InMemoryRowStore store = new InMemoryRowStore();
  private final RowTables tables =
      new RowTables(
          PLAN,
          new RowRule(0.1, 0.5, 7),
          new RowSettings(64L << 20, RowPolicyName.FREQUENCY, 1, 1_000_000, Expiry.NEVER),
          store);

  private static List<IdLists> samples(int count) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // Each of them once, in no order.
      samples.add(new IdLists(new long[] {2 + (i * 7_919L) % count}, new int[] {1}));
    }
    return samples;
  }

  /** Bytes that this thread allocates in a call, after it was compiled. */
  private long allocated(Runnable call) {
    for (int i = 0; i < WARM_UPS; i++) {
      call.run();
    }
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      call.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  private RowBatch trained(List<IdLists> samples) {
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    batch.update(samples, new float[samples.size() * DIM]);
    return batch;
  }

  @Test
  void miniBatch_ofAnyRows_makesNoObjectForARow() {
    List<IdLists> samples = samples(ROWS);
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    float[] errors = new float[ROWS * DIM];
    float[] input = new float[ROWS * DIM];
    long update = allocated(() -> batch.update(samples, errors));
    long lookup =
        allocated(
            () -> {
              for (int i = 0; i < ROWS; i++) {
                batch.fill(samples.get(i), input, i * DIM);
              }
            });
    assertThat(update).isLessThan(ROWS);
    assertThat(lookup).isLessThan(ROWS);
  }

  @Test
  void gather_ofResidentRows_takesTheBytesOfItsArraysOnly() {
    List<IdLists> samples = samples(ROWS);
    tables.commit(trained(samples), 1_000);
    assertThat(tables.usage(StoreTraffic.NONE).hotRows()).isEqualTo(ROWS);
    long bytes = allocated(() -> tables.gather(samples));
    assertThat(tables.usage(StoreTraffic.NONE).misses()).as("reads of the store").isZero();
    // Weights; of the set: keys twice as it grows, index, five numbers and three marks; of the
    // read: row keys and positions; of the samples: places.
    long arrays = ROWS * (DIM * 4L + 2 * 8 + 2 * 4 * 4 + 6 * 4 + 3 + 8 + 4 + 4 + 16);
    assertThat(bytes).isLessThan(arrays + ROWS * OBJECT_BYTES);
  }

  @Test
  void commit_ofResidentRows_takesTheBytesOfTheLogOnly() {
    List<IdLists> samples = samples(ROWS);
    tables.commit(trained(samples), 1_000);
    RowBatch batch = trained(samples);
    long bytes = allocated(() -> tables.commit(batch, 2_000));
    long entry = (long) ROWS * (Long.BYTES + Integer.BYTES + StoredRow.bytes(LAYOUT.stride()));
    // The entry grows by doubling from 4 KiB on; then it is copied, here by the store once more.
    long grown = 4_096;
    for (long capacity = 4_096; capacity < entry; capacity *= 2) {
      grown += 2 * capacity;
    }
    assertThat(bytes).isGreaterThan(entry).isLessThan(grown + 2 * entry + ROWS * OBJECT_BYTES);
  }
}
