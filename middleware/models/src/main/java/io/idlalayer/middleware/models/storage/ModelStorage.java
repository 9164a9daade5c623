package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The storage medium, a folder or an object store, in which a {@code ModelStore} reads and writes.
 */
public interface ModelStorage extends AutoCloseable {
  /** Returns a source that reads from this storage. */
  ModelSource source();

  /** Returns a source that always reads from this storage and never from a cache. */
  ModelSource freshSource();

  /** Returns the storage of an application partition's models, for writes by one thread. */
  PartitionStorage partition(ApplicationPartition of);

  /** Returns the folder of this storage; empty if it is an object store. */
  Optional<Path> folder();

  /** Returns whether the storage has no application partition at all. */
  boolean isEmpty() throws IOException;

  /**
   * Returns the content of a small file that lies beside an application's models; empty if there is
   * no such file.
   */
  Optional<byte[]> note(String application, String name) throws IOException;

  /** Replaces a small file beside an application's models as a whole. */
  void writeNote(String application, String name, byte[] content) throws IOException;

  @Override
  void close();
}
