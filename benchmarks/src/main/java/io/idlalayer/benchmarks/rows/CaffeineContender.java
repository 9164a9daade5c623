package io.idlalayer.benchmarks.rows;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Caffeine in front of RocksDB, as a program without these tables would have it: looks up row by
 * row, or asks for a batch's rows at once and reads those that are missing by one MultiGet. Its own
 * upkeep runs in the same thread, so that all contenders have one core. Rows are written through.
 */
final class CaffeineContender implements RowsContender {
  private static final int MEASUREMENTS = 5;

  /** More than the ids of a batch; the lower bits of a row key make room for an index. */
  private static final long INDICES = 1L << 24;

  private final BenchTable table;
  private final EmbeddingPlan.Table keys;
  private final RocksDbRows store;
  private final boolean together;
  private final Cache<Long, float[]> cache;
  private final int entryBytes;
  private long hits;
  private long reads;

  /**
   * @param together whether the rows of a batch are read in one call
   * @param fastBytes DRAM budget
   * @param entryBytes bytes that a row takes there, see {@link #entryBytes(int)}
   */
  CaffeineContender(
      BenchTable table, RocksDbRows store, boolean together, long fastBytes, int entryBytes) {
    this.table = table;
    this.store = store;
    this.together = together;
    this.entryBytes = entryBytes;
    keys = table.plan().tables().get(0);
    cache =
        Caffeine.newBuilder()
            .maximumWeight(fastBytes)
            .weigher((Long key, float[] row) -> entryBytes)
            .executor(Runnable::run)
            .build();
  }

  /**
   * What a row really takes in such a cache: the median of several measurements of the heap, as
   * other things may be collected meanwhile.
   */
  static int entryBytes(int dim) {
    double[] measured = new double[MEASUREMENTS];
    Arrays.setAll(measured, i -> measured(dim));
    return (int) Repeats.median(measured);
  }

  private static int measured(int dim) {
    int entries = 200_000;
    Cache<Long, float[]> filled =
        Caffeine.newBuilder()
            .maximumWeight(Long.MAX_VALUE >> 1)
            .weigher((Long key, float[] row) -> 1)
            .executor(Runnable::run)
            .build();
    long before = usedBytes();
    for (long key = 0; key < entries; key++) {
      filled.put(BenchTable.key((int) key), new float[dim]);
    }
    long after = usedBytes();
    long bytes = (after - before) / entries;
    if (filled.estimatedSize() != entries) {
      throw new IllegalStateException("the cache has lost entries");
    }
    return Math.toIntExact(bytes);
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Override
  public String name() {
    return together ? "Caffeine + MultiGet" : "Caffeine + get";
  }

  @Override
  public void lookup(IdBatch batch, float[] sums) {
    if (together) {
      sum(batch, sums, rows(batch));
      return;
    }
    int dim = table.dim();
    for (int i = 0; i < batch.ids().length; i++) {
      add(row(batch.ids()[i]), sums, i / batch.accesses() * dim);
    }
  }

  private float[] row(int id) {
    reads++;
    hits++;
    return Objects.requireNonNull(
        cache.get(
            BenchTable.key(id),
            key -> {
              hits--;
              return table.floats(Objects.requireNonNull(store.get(keys.rowKey(key))));
            }));
  }

  /** The rows of a batch by key, each once. */
  private Map<Long, float[]> rows(IdBatch batch) {
    Map<Long, float[]> rows = new HashMap<>(2 * batch.ids().length);
    long[] missingKeys = new long[batch.ids().length];
    long[] order = new long[missingKeys.length];
    int count = 0;
    for (int id : batch.ids()) {
      Long key = BenchTable.key(id);
      if (!rows.containsKey(key)) {
        float[] row = cache.getIfPresent(key);
        rows.put(key, row);
        reads++;
        if (row == null) {
          missingKeys[count] = key;
          order[count] = ((keys.rowKey(key) ^ Long.MIN_VALUE) & -INDICES) | count;
          count++;
        } else {
          hits++;
        }
      }
    }
    // MultiGet is faster in the order of the store.
    Arrays.sort(order, 0, count);
    long[] missing = new long[count];
    for (int i = 0; i < count; i++) {
      missing[i] = keys.rowKey(missingKeys[(int) (order[i] & (INDICES - 1))]);
    }
    store.read(
        missing,
        count,
        (i, bytes) -> {
          long key = missingKeys[(int) (order[i] & (INDICES - 1))];
          float[] row = table.floats(bytes);
          rows.put(key, row);
          cache.put(key, row);
        });
    return rows;
  }

  private void sum(IdBatch batch, float[] sums, Map<Long, float[]> rows) {
    for (int i = 0; i < batch.ids().length; i++) {
      float[] row = Objects.requireNonNull(rows.get(BenchTable.key(batch.ids()[i])));
      add(row, sums, i / batch.accesses() * table.dim());
    }
  }

  private static void add(float[] row, float[] sums, int to) {
    for (int k = 0; k < row.length; k++) {
      sums[to + k] += row[k];
    }
  }

  @Override
  public void train(IdBatch batch, float[] sums, float[] gradients) {
    Map<Long, float[]> rows;
    if (together) {
      rows = rows(batch);
    } else {
      rows = new HashMap<>();
      for (int id : batch.ids()) {
        rows.computeIfAbsent(BenchTable.key(id), key -> row(id));
      }
    }
    sum(batch, sums, rows);
    int dim = table.dim();
    Map<Long, float[]> steps = new HashMap<>();
    for (int i = 0; i < batch.ids().length; i++) {
      float[] step = steps.computeIfAbsent(BenchTable.key(batch.ids()[i]), key -> new float[dim]);
      int from = i / batch.accesses() * dim;
      for (int k = 0; k < dim; k++) {
        step[k] += gradients[from + k];
      }
    }
    float rate = (float) BenchTable.RULE.learningRate();
    Map<Long, byte[]> written = new LinkedHashMap<>();
    steps.forEach(
        (key, step) -> {
          float[] row = Objects.requireNonNull(rows.get(key));
          for (int k = 0; k < dim; k++) {
            row[k] -= rate * step[k];
          }
          written.put(keys.rowKey(key), table.row(key, Arrays.copyOf(row, dim)));
        });
    store.write(written);
  }

  @Override
  public Reads reads() {
    return new Reads(hits, 0, reads);
  }

  @Override
  public long fastBytes() {
    return cache.estimatedSize() * entryBytes;
  }

  @Override
  public long residentRows() {
    return cache.estimatedSize();
  }
}
