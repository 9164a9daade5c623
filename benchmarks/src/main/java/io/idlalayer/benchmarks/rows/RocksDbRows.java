package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * Rows in RocksDB, as a program without the product's tables has them: MultiGet and WriteBatch, no
 * write-ahead log. Memory, filters and all else are as Flink sets RocksDB up for a job. One thread.
 */
final class RocksDbRows implements AutoCloseable {
  private static final double BLOOM_BITS = 10;

  /** Flink's value for a job. */
  private static final double MEMTABLE_BLOOM_SHARE = 0.005;

  /** The part of the cache that is kept for filters and indexes. */
  private static final double SHARE_OF_FILTERS = 0.1;

  private static final int FILES_AT_ONCE = 2;

  static {
    RocksDB.loadLibrary();
  }

  private final LRUCache blocks;
  private final WriteBufferManager unwritten;
  private final BloomFilter filter = new BloomFilter(BLOOM_BITS, false);
  private final Options options;
  private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
  private final RocksDB db;

  /**
   * Opens or creates.
   *
   * @throws RowStoreException if that fails
   */
  RocksDbRows(Path folder, long memoryBytes) {
    // Half of the memory for what is not in a file yet, but that may be exceeded by half (Flink).
    blocks = new LRUCache(memoryBytes * 5 / 6, -1, false, SHARE_OF_FILTERS);
    unwritten = new WriteBufferManager(memoryBytes / 3, blocks);
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(blocks)
            .setCacheIndexAndFilterBlocks(true)
            .setCacheIndexAndFilterBlocksWithHighPriority(true)
            .setPinL0FilterAndIndexBlocksInCache(true)
            .setIndexType(IndexType.kTwoLevelIndexSearch)
            .setPartitionFilters(true)
            .setPinTopLevelIndexAndFilter(true)
            .setFilterPolicy(filter);
    options =
        new Options()
            .setCreateIfMissing(true)
            .setWriteBufferManager(unwritten)
            .setMaxBackgroundJobs(FILES_AT_ONCE)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setTableFormatConfig(tables)
            .setMemtableWholeKeyFiltering(true)
            .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_SHARE);
    try {
      db = RocksDB.open(options, folder.toString());
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not open " + folder, failed);
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /** Reads rows at once, and gives those that are there to a reader. */
  void read(long[] rowKeys, int count, RowStore.RowReader reader) {
    if (count == 0) {
      return;
    }
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = bytes(rowKeys[i]);
    }
    try {
      List<byte[]> rows = db.multiGetAsList(Arrays.asList(keys));
      for (int i = 0; i < count; i++) {
        byte[] row = rows.get(i);
        if (row != null) {
          reader.row(i, row);
        }
      }
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not read", failed);
    }
  }

  /** Reads one row; null if it is not there. */
  byte @Nullable [] get(long rowKey) {
    try {
      return db.get(bytes(rowKey));
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not read", failed);
    }
  }

  /** Writes rows by their row keys. */
  void write(Map<Long, byte[]> rows) {
    try (WriteBatch batch = new WriteBatch()) {
      for (Map.Entry<Long, byte[]> row : rows.entrySet()) {
        batch.put(bytes(row.getKey()), row.getValue());
      }
      db.write(unlogged, batch);
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not write", failed);
    }
  }

  @Override
  public void close() {
    db.close();
    unlogged.close();
    options.close();
    filter.close();
    unwritten.close();
    blocks.close();
  }
}
