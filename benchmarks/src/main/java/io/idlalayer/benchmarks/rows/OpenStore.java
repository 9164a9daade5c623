package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.store.RowStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Slow rows of the product's tables in a folder, until they are closed. */
interface OpenStore extends AutoCloseable {
  /** Which store. */
  enum Kind {
    /** The product's: keyed state of a job of Flink. */
    FLINK,
    /** RocksDB without Flink around it. */
    ROCKSDB
  }

  /** The rows; of one thread at a time. */
  RowStore store();

  @Override
  void close();

  /**
   * Opens an empty store.
   *
   * @param folder folder of its files, which is created and not deleted
   * @param memoryBytes memory of RocksDB: blocks, filters, and memtables
   * @throws IOException if the store cannot be opened
   */
  static OpenStore open(Kind kind, Path folder, long memoryBytes) throws IOException {
    Files.createDirectories(folder);
    return switch (kind) {
      case FLINK -> new KeyedRowStore(folder, memoryBytes);
      case ROCKSDB ->
          new RocksDbRowStore(folder, new RocksDbRowStore.Options(memoryBytes, true, true));
    };
  }
}
