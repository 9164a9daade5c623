package io.idlalayer.benchmarks.rows;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Hit rates of policies on the same ids with the same bytes of DRAM. Both see each id of a batch
 * once. Exact counts, no times; what store the rows come from does not matter.
 */
final class HitRates {
  private final BenchTable table;
  private final int[] ids;
  private final int batch;
  private final int from;

  /**
   * @param ids that are looked up
   * @param batch ids that are looked up together
   * @param from first that counts
   */
  HitRates(BenchTable table, int[] ids, int batch, int from) {
    this.table = table;
    this.ids = ids;
    this.batch = batch;
    this.from = from;
  }

  /**
   * What was counted.
   *
   * @param rows that fit
   */
  record Outcome(double hitRate, long rows) {}

  /** Measures the product's tables. */
  Outcome tables(RowPolicyName policy, long fastBytes) {
    TablesContender tables =
        new TablesContender(
            policy.name(), table, policy, fastBytes, ForgetfulStore.withAllRows(table));
    float[] sum = new float[batch * table.dim()];
    RowsContender.Reads before = RowsContender.Reads.NONE;
    for (int at = 0; at + batch <= ids.length; at += batch) {
      if (at <= from) {
        before = tables.reads();
      }
      tables.lookup(IdBatch.of(Arrays.copyOfRange(ids, at, at + batch), 1), sum);
    }
    RowsContender.Reads counted = tables.reads().since(before);
    // Each batch reads the row of unknown ids too, which is no lookup of the stream.
    int batches = ids.length / batch - from / batch;
    return new Outcome(
        (double) (counted.hits() - batches) / (counted.all() - batches),
        tables.residentRows() - tables.bufferedRows());
  }

  /**
   * Measures Caffeine (W-TinyLFU).
   *
   * @param rows number of rows that fit
   */
  Outcome caffeine(long rows) {
    Cache<Integer, Boolean> cache =
        Caffeine.newBuilder().maximumSize(rows).executor(Runnable::run).build();
    long hits = 0;
    long reads = 0;
    for (int at = 0; at + batch <= ids.length; at += batch) {
      for (int id : unique(at)) {
        boolean hit = cache.getIfPresent(id) != null;
        if (!hit) {
          cache.put(id, true);
        }
        if (at >= from) {
          reads++;
          hits += hit ? 1 : 0;
        }
      }
    }
    return new Outcome((double) hits / reads, rows);
  }

  /** Measures a cache that holds the most frequent of the counted ids from the start. */
  Outcome ideal(long rows) {
    int[] uses = new int[Arrays.stream(ids).max().orElse(0) + 1];
    long reads = 0;
    for (int at = 0; at + batch <= ids.length; at += batch) {
      if (at >= from) {
        Set<Integer> own = unique(at);
        reads += own.size();
        own.forEach(id -> uses[id]++);
      }
    }
    Arrays.sort(uses);
    long hits =
        IntStream.range((int) Math.max(0, uses.length - rows), uses.length)
            .mapToLong(i -> uses[i])
            .sum();
    return new Outcome((double) hits / reads, rows);
  }

  private Set<Integer> unique(int at) {
    Set<Integer> own = new HashSet<>(2 * batch);
    for (int i = at; i < at + batch; i++) {
      own.add(ids[i]);
    }
    return own;
  }
}
