package io.idlalayer.jobs.run;

import java.util.Collection;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Options of RocksDB for which Flink has no settings. Flink creates this class by its name, in the
 * process that keeps the state.
 */
public final class RocksDbOptions implements RocksDBOptionsFactory {
  /**
   * Size in bytes at which RocksDB begins a new manifest. RocksDB's default is 1 GiB. A manifest
   * lists the files of RocksDB, and each checkpoint holds a whole copy of the manifest.
   */
  static final long MANIFEST_BYTES = 128L << 10;

  /**
   * Share of a memtable that is used for a Bloom filter of its keys: 330 kB of 64 MiB. A memtable
   * is a buffer in memory that RocksDB writes to a file when the buffer is full. With the filter,
   * lookups of absent keys, such as new ids, do not search the memtable.
   */
  static final double MEMTABLE_BLOOM_SHARE = 0.005;

  private static final long serialVersionUID = 1L;

  @Override
  public DBOptions createDBOptions(
      DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
    return currentOptions.setMaxManifestFileSize(MANIFEST_BYTES);
  }

  @Override
  public ColumnFamilyOptions createColumnOptions(
      ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
    return currentOptions
        .setMemtableWholeKeyFiltering(true)
        .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_SHARE);
  }
}
