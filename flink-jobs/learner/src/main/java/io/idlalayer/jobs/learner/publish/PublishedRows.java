package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The port to the rows of embedding tables in published versions. The trainer thread calls it;
 * {@link #folder} can be called by any thread.
 */
public interface PublishedRows {
  /**
   * Returns the chain of versions whose row files together contain all rows of a version, verified,
   * oldest first.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if a version is missing,
   *     damaged or not the expected one
   */
  List<ModelCheckpoint> chain(long version, String digest) throws IOException;

  /** Opens the row file of a version; the stream verifies it at its end. */
  InputStream open(ModelCheckpoint version) throws IOException;

  /**
   * Returns a folder for temporary files, on the storage medium of the versions. The first call
   * deletes what an earlier learner left there.
   */
  Path folder() throws IOException;
}
