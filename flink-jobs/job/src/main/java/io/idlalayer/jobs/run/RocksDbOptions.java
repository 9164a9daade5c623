package io.idlalayer.jobs.run;

import java.util.Collection;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Options of RocksDB that Flink has no settings for. Flink creates it by its name, in the process
 * of the state.
 */
public final class RocksDbOptions implements RocksDBOptionsFactory {
  /**
   * Size in bytes at which RocksDB begins a new manifest, which lists its files; the default is 1
   * GiB. Each checkpoint holds a whole copy of the manifest.
   */
  static final long MANIFEST_BYTES = 128L << 10;

  /**
   * Share of a memtable (64 MiB, written to a file when full) that is used for a Bloom filter of
   * its keys, 330 kB. With it, lookups of absent keys, such as new ids, need not search the
   * memtable.
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
