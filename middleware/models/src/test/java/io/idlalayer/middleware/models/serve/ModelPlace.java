package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** A kind of place that has models; its files are in a folder of the test. */
public interface ModelPlace extends AutoCloseable {
  /** Returns a reader of the models in a folder. */
  ModelReader reader(Path folder) throws IOException;

  /** Returns what publishes into the folder. */
  ModelStore writer(Path folder, InstantSource clock) throws IOException;

  /** Returns the file of a version, or in one, that the writer names so. */
  Path file(Path folder, String location);

  /** Returns the file with the pointer. */
  Path pointer(Path folder, ModelPublisher publisher);

  /** Returns how many versions come while models are in use. */
  int swaps();

  /** Ends the servers and clients that it started. */
  @Override
  void close();
}
