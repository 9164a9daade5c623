package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.WorkFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What a search in RocksDB costs over the size of its block cache, with a filter and an index of
 * one block for each file, and with both in blocks of 4 KiB. All else is as Flink sets RocksDB up
 * for a job. Processor time of the thread; the files are in the page cache. REAL.
 */
@CommandLine.Command(name = "FilterExperiment", mixinStandardHelpOptions = true)
public final class FilterExperiment implements Callable<Integer> {
  private static final int KEY_BYTES = 19;
  private static final int VALUE_BYTES = 100;
  private static final double BLOOM_BITS = 10;
  private static final double SHARE_OF_FILTERS = 0.1;
  private static final long MIX = 0x9e3779b97f4a7c15L;

  @Option(names = "--rows", description = "of the store")
  private long rows = 20_000_000;

  @Option(names = "--cache", split = ",", description = "MiB of the block cache")
  private List<Long> caches = List.of(16L, 32L, 64L, 128L, 256L);

  @Option(names = "--seconds", description = "of one measurement; the first warms up")
  private double seconds = 3;

  @Option(names = "--repeats", description = "measurements that count")
  private int repeats = 3;

  @Option(names = "--slow", description = "folder for the files", required = true)
  private Path folder = Path.of("");

  /** Runs it. */
  public static void main(String[] arguments) {
    Experiment.run(new FilterExperiment(), arguments);
  }

  @Override
  public Integer call() throws IOException, RocksDBException {
    RocksDB.loadLibrary();
    Path whole = folder.resolve("whole");
    Path parts = folder.resolve("parts");
    try {
      fill(whole, false);
      fill(parts, true);
      System.out.println("| block cache, MiB | row | one block a file, us | blocks of 4 KiB, us |");
      System.out.println("|---|---|---|---|");
      for (long cache : caches) {
        for (boolean present : new boolean[] {false, true}) {
          System.out.printf(
              Locale.ROOT,
              "| %d | %s | %.1f | %.1f |%n",
              cache,
              present ? "there" : "missing",
              micros(whole, false, cache, present),
              micros(parts, true, cache, present));
        }
      }
      return 0;
    } finally {
      WorkFolder.delete(whole);
      WorkFolder.delete(parts);
    }
  }

  /** Returns the options that Flink uses, with and without {@code partitioned-index-filters}. */
  private static Options options(LRUCache cache, BloomFilter filter, boolean inParts) {
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setCacheIndexAndFilterBlocks(true)
            .setCacheIndexAndFilterBlocksWithHighPriority(true)
            .setPinL0FilterAndIndexBlocksInCache(true)
            .setFilterPolicy(filter);
    if (inParts) {
      tables
          .setIndexType(IndexType.kTwoLevelIndexSearch)
          .setPartitionFilters(true)
          .setPinTopLevelIndexAndFilter(true);
    }
    return new Options()
        .setCreateIfMissing(true)
        .setTableFormatConfig(tables)
        .setCompressionType(CompressionType.LZ4_COMPRESSION);
  }

  /** A search of a row in an open store. */
  private interface Use {
    void of(RocksDB db) throws RocksDBException;
  }

  private static void use(Path path, boolean inParts, long cacheBytes, boolean still, Use use)
      throws RocksDBException {
    try (LRUCache cache = new LRUCache(cacheBytes, -1, false, SHARE_OF_FILTERS);
        BloomFilter filter = new BloomFilter(BLOOM_BITS, false);
        Options options = options(cache, filter, inParts).setDisableAutoCompactions(still);
        RocksDB db = RocksDB.open(options, path.toString())) {
      use.of(db);
    }
  }

  private static byte[] key(byte[] key, long row) {
    ByteBuffer.wrap(key).putLong(KEY_BYTES - Long.BYTES, new SplittableRandom(row).nextLong());
    return key;
  }

  private void fill(Path path, boolean inParts) throws RocksDBException, IOException {
    Files.createDirectories(path);
    use(
        path,
        inParts,
        256L << 20,
        false,
        db -> {
          byte[] key = new byte[KEY_BYTES];
          byte[] value = new byte[VALUE_BYTES];
          SplittableRandom random = new SplittableRandom(1);
          try (WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
              FlushOptions flush = new FlushOptions()) {
            for (long row = 0; row < rows; row++) {
              random.nextBytes(value);
              db.put(unlogged, key(key, row), value);
            }
            db.flush(flush);
          }
        });
  }

  private double micros(Path path, boolean inParts, long cacheMebibytes, boolean present)
      throws RocksDBException {
    List<Double> measured = new ArrayList<>();
    use(
        path,
        inParts,
        cacheMebibytes << 20,
        true,
        db -> {
          SplittableRandom random = new SplittableRandom(MIX);
          for (int i = 0; i <= repeats; i++) {
            measured.add(micros(db, random, present));
          }
        });
    return Repeats.median(measured.stream().skip(1).mapToDouble(it -> it).toArray());
  }

  private double micros(RocksDB db, SplittableRandom random, boolean present)
      throws RocksDBException {
    byte[] key = new byte[KEY_BYTES];
    long start = System.nanoTime();
    long cpu = CpuTime.nanos();
    long searches = 0;
    while (System.nanoTime() - start < seconds * 1e9) {
      long row = random.nextLong(rows);
      if ((db.get(key(key, present ? row : rows + row)) != null) != present) {
        throw new IllegalStateException("row %,d is not what was written".formatted(row));
      }
      searches++;
    }
    return (CpuTime.nanos() - cpu) / 1e3 / searches;
  }
}
