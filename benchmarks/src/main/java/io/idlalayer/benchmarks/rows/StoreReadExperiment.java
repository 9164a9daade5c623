package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.tensors.Medians;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What it takes to read random rows from the product's store, from RocksDB without Flink by get and
 * by MultiGet, in any order and in that of the store. REAL: wall time.
 */
@CommandLine.Command(name = "StoreReadExperiment", mixinStandardHelpOptions = true)
public final class StoreReadExperiment implements Callable<Integer> {
  private static final int BATCHES_OF_A_TURN = 10;
  private static final int WARM_UPS = 4;

  @Option(names = "--rows", description = "of the store, of 16 floats")
  private int rows = 1_000_000;

  @Option(names = "--batch", description = "rows that are asked for at once")
  private int batch = 8_000;

  @Option(names = "--turns", description = "that count; four before them do not")
  private int turns = 7;

  @Option(names = "--store-memory", description = "MiB for RocksDB (default 256)")
  private long storeMemory = 256;

  /** One way to read. */
  private interface Way {
    /** Reads rows, and says how many were there. */
    int read(long[] rowKeys);
  }

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StoreReadExperiment()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("idla-reads");
    long memory = storeMemory << 20;
    BenchTable table = new BenchTable(rows, 16);
    Path packed = Files.createDirectories(folder.resolve("lz4"));
    Path plain = Files.createDirectories(folder.resolve("plain"));
    try (OpenStore keyed = OpenStore.open(OpenStore.Kind.FLINK, folder.resolve("keyed"), memory);
        RocksDbRowStore lz4 =
            new RocksDbRowStore(packed, new RocksDbRowStore.Options(memory, true, true));
        RocksDbRowStore loose =
            new RocksDbRowStore(plain, new RocksDbRowStore.Options(memory, true, false))) {
      for (RowStore each : List.of(keyed.store(), lz4, loose)) {
        table.fill(each);
      }
      measure(table, ways(keyed.store(), lz4, loose));
    } finally {
      RowsCommand.delete(folder);
    }
    return 0;
  }

  private Map<String, Way> ways(RowStore keyed, RocksDbRowStore lz4, RocksDbRowStore loose) {
    Map<String, Way> ways = new LinkedHashMap<>();
    ways.put("keyed state, one row a call, any order", keys -> oneByOne(keyed, keys));
    ways.put("keyed state, as the product asks", keys -> together(keyed, keys));
    for (RocksDbRowStore each : List.of(lz4, loose)) {
      String name = each == lz4 ? "RocksDB, LZ4, " : "RocksDB, uncompressed, ";
      ways.put(name + "get, any order", keys -> gets(each, keys));
      ways.put(name + "get, in order", keys -> gets(each, ascending(keys)));
      ways.put(name + "MultiGet, any order", keys -> together(each, keys));
      ways.put(name + "MultiGet, in order", keys -> together(each, ascending(keys)));
    }
    return ways;
  }

  private static int oneByOne(RowStore store, long[] keys) {
    int[] found = {0};
    long[] key = {0};
    for (long each : keys) {
      key[0] = each;
      store.read(key, 1, (i, row) -> found[0]++);
    }
    return found[0];
  }

  private static int together(RowStore store, long[] keys) {
    int[] found = {0};
    store.read(keys, keys.length, (i, row) -> found[0]++);
    return found[0];
  }

  private static int gets(RocksDbRowStore store, long[] keys) {
    int found = 0;
    for (long key : keys) {
      found += store.get(key) == null ? 0 : 1;
    }
    return found;
  }

  private static long[] ascending(long[] keys) {
    long[] sorted = keys.clone();
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(sorted);
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] ^= Long.MIN_VALUE;
    }
    return sorted;
  }

  private void measure(BenchTable table, Map<String, Way> ways) {
    EmbeddingPlan.Table keys = table.plan().tables().get(0);
    SplittableRandom random = new SplittableRandom(1);
    Map<String, double[]> nanos = new LinkedHashMap<>();
    for (int turn = -WARM_UPS; turn < turns; turn++) {
      for (Map.Entry<String, Way> way : ways.entrySet()) {
        double took = 0;
        for (int i = 0; i < BATCHES_OF_A_TURN; i++) {
          long[] asked =
              random
                  .ints(batch, 0, rows)
                  .mapToLong(id -> keys.rowKey(BenchTable.key(id)))
                  .toArray();
          long begin = System.nanoTime();
          int found = way.getValue().read(asked);
          took += System.nanoTime() - begin;
          if (found != batch) {
            throw new IllegalStateException(
                "%s: %d of %d rows".formatted(way.getKey(), found, batch));
          }
        }
        if (turn >= 0) {
          nanos.computeIfAbsent(way.getKey(), name -> new double[turns])[turn] =
              took / BATCHES_OF_A_TURN / batch;
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%,d rows of 16 floats, %,d random ones at once, %d MiB for RocksDB:%n%n",
        rows,
        batch,
        storeMemory);
    System.out.println("| REAL | ns for a row | 95 % |");
    System.out.println("|---|---|---|");
    nanos.forEach(
        (name, each) -> {
          double[] interval = Medians.interval(each);
          System.out.printf(
              Locale.ROOT,
              "| %s | %.0f | %.0f..%.0f |%n",
              name,
              Medians.of(each),
              interval[0],
              interval[1]);
        });
  }
}
