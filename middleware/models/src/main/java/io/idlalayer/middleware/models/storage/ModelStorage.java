package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The storage in which a {@code ModelStore} reads and writes. */
public interface ModelStorage extends AutoCloseable {
  /** Returns a source that reads from this storage. */
  ModelSource source();

  /** Returns a source that reads from this storage and returns nothing from a cache. */
  ModelSource freshSource();

  /** Returns the models of an application partition, to be written by one thread. */
  PartitionStorage partition(ApplicationPartition of);

  /** Returns the folder; empty if it is none. */
  Optional<Path> folder();

  /** Returns whether there is no application partition at all. */
  boolean isEmpty() throws IOException;

  /** Returns a small file beside an application's models; empty if there is none. */
  Optional<byte[]> note(String application, String name) throws IOException;

  /** Replaces such a file as a whole. */
  void writeNote(String application, String name, byte[] content) throws IOException;

  @Override
  void close();
}
