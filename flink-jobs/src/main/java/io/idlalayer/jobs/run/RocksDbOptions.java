package io.idlalayer.jobs.run;

import java.util.Collection;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/**
 * Options of RocksDB that Flink has no settings for. Flink makes it by its name, in the process of
 * the state.
 */
public final class RocksDbOptions implements RocksDBOptionsFactory {
  /**
   * RocksDB notes each of its files in its manifest and begins a new one at this size, 1 GiB unless
   * it is told otherwise. Each checkpoint holds a whole copy of it.
   */
  static final long MANIFEST_BYTES = 128L << 10;

  private static final long serialVersionUID = 1L;

  @Override
  public DBOptions createDBOptions(
      DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
    return currentOptions.setMaxManifestFileSize(MANIFEST_BYTES);
  }

  @Override
  public ColumnFamilyOptions createColumnOptions(
      ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
    return currentOptions;
  }
}
