package io.idlalayer.benchmarks.rows;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * Rows in RocksDB without Flink around it, for programs without the product's tables: MultiGet and
 * WriteBatch, no write-ahead log. Memory, filters and all else are as Flink sets RocksDB up for a
 * job, unless {@link Options} say otherwise. One thread.
 */
final class RocksDbRowStore implements RowStore, OpenStore {
  /** RocksDB's memory in a job, by the settings of {@code FlinkSettings} and Flink. */
  static final long MEMORY_BYTES = 256L << 20;

  private static final double BLOOM_BITS = 10;

  /** The share that a job uses. */
  private static final double MEMTABLE_BLOOM_SHARE = 0.005;

  /** Share of the cache for filters and indexes. */
  private static final double SHARE_OF_FILTERS = 0.1;

  private static final int FILES_AT_ONCE = 2;

  static {
    RocksDB.loadLibrary();
  }

  /**
   * The options of RocksDB.
   *
   * @param memoryBytes memory of blocks, filters and memtables
   * @param filters whether files and memtables have Bloom filters of ten bits for each row
   * @param compressed whether blocks are compressed, by LZ4
   */
  record Options(long memoryBytes, boolean filters, boolean compressed) {
    /** The options of a job. */
    static final Options OF_A_JOB = new Options(MEMORY_BYTES, true, true);
  }

  private final LRUCache blocks;
  private final WriteBufferManager unwritten;
  private final ColumnFamilyOptions familyOptions;
  private final DBOptions options;
  private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
  private final List<ColumnFamilyHandle> families = new ArrayList<>();
  private final RocksDB db;

  /**
   * Opens or creates.
   *
   * @throws RowStoreException if that fails
   */
  RocksDbRowStore(Path folder, Options set) {
    // Half of the memory for what is not in a file yet, but that may be exceeded by half (Flink).
    blocks = new LRUCache(set.memoryBytes() * 5 / 6, -1, false, SHARE_OF_FILTERS);
    unwritten = new WriteBufferManager(set.memoryBytes() / 3, blocks);
    options =
        new DBOptions()
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setWriteBufferManager(unwritten)
            .setMaxBackgroundJobs(FILES_AT_ONCE);
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(blocks)
            .setCacheIndexAndFilterBlocks(true)
            .setCacheIndexAndFilterBlocksWithHighPriority(true)
            .setPinL0FilterAndIndexBlocksInCache(true)
            .setIndexType(IndexType.kTwoLevelIndexSearch)
            .setPartitionFilters(set.filters())
            .setPinTopLevelIndexAndFilter(true);
    if (set.filters()) {
      tables.setFilterPolicy(new BloomFilter(BLOOM_BITS, false));
    }
    familyOptions =
        new ColumnFamilyOptions()
            .setCompressionType(
                set.compressed() ? CompressionType.LZ4_COMPRESSION : CompressionType.NO_COMPRESSION)
            .setTableFormatConfig(tables);
    if (set.filters()) {
      familyOptions
          .setMemtableWholeKeyFiltering(true)
          .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_SHARE);
    }
    try {
      db =
          RocksDB.open(
              options,
              folder.toString(),
              List.of(
                  new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions),
                  new ColumnFamilyDescriptor("log".getBytes(UTF_8), familyOptions),
                  new ColumnFamilyDescriptor("history".getBytes(UTF_8), familyOptions)),
              families);
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not open " + folder, failed);
    }
  }

  @Override
  public RowStore store() {
    return this;
  }

  private ColumnFamilyHandle rowFamily() {
    return families.get(0);
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
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

  @Override
  public void write(Map<Long, byte[]> rows) {
    try (WriteBatch batch = new WriteBatch()) {
      for (Map.Entry<Long, byte[]> row : rows.entrySet()) {
        batch.put(rowFamily(), bytes(row.getKey()), row.getValue());
      }
      db.write(unlogged, batch);
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not write", failed);
    }
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    try {
      for (int i = 0; i < count; i++) {
        db.delete(rowFamily(), unlogged, bytes(rowKeys[i]));
      }
    } catch (RocksDBException failed) {
      throw new RowStoreException("RocksDB does not delete", failed);
    }
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return entries(rowFamily());
  }

  @Override
  public RowLog changes() {
    return new Log(families.get(1));
  }

  @Override
  public RowLog history() {
    return new Log(families.get(2));
  }

  /** A log in a column family. */
  private final class Log implements RowLog {
    private final ColumnFamilyHandle family;

    Log(ColumnFamilyHandle family) {
      this.family = family;
    }

    @Override
    public void append(long number, byte[] entry) {
      try {
        db.put(family, unlogged, bytes(number), entry);
      } catch (RocksDBException failed) {
        throw new RowStoreException("RocksDB does not write", failed);
      }
    }

    @Override
    public Iterable<Map.Entry<Long, byte[]>> entries() {
      return () -> RocksDbRowStore.this.entries(family);
    }

    @Override
    public void forget(long from, long upTo) {
      try {
        db.deleteRange(family, unlogged, bytes(from), bytes(upTo + 1));
      } catch (RocksDBException failed) {
        throw new RowStoreException("RocksDB does not delete", failed);
      }
    }
  }

  @Override
  public void writeFilter(Map<Long, byte[]> blocks) {
    throw new UnsupportedOperationException("the benchmarks admit every id");
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    throw new UnsupportedOperationException("the benchmarks admit every id");
  }

  @Override
  public void clearFilter() {
    throw new UnsupportedOperationException("the benchmarks admit every id");
  }

  private Iterator<Map.Entry<Long, byte[]>> entries(ColumnFamilyHandle family) {
    RocksIterator at = db.newIterator(family);
    at.seekToFirst();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        if (at.isOwningHandle() && !at.isValid()) {
          at.close();
        }
        return at.isOwningHandle();
      }

      @Override
      public Map.Entry<Long, byte[]> next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        Map.Entry<Long, byte[]> entry = Map.entry(ByteBuffer.wrap(at.key()).getLong(), at.value());
        at.next();
        return entry;
      }
    };
  }

  @Override
  public void close() {
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    unlogged.close();
    options.close();
    familyOptions.close();
    unwritten.close();
    blocks.close();
  }
}
