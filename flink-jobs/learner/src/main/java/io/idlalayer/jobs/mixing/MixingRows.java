package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** The port to the row files of contributions and of the mixed versions. For one thread. */
public interface MixingRows {
  /**
   * Returns the contributions of a partition whose row files together have all rows of one of them,
   * oldest first; the first one has all rows, the others changes.
   *
   * @param digest digest of the manifest of the contribution
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one of them is missing
   *     or damaged
   */
  List<ModelCheckpoint> contributedChain(int partition, long version, String digest)
      throws IOException;

  /**
   * Returns the mixed versions whose row files together have all rows of one that serves, verified,
   * oldest first.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one of them is missing
   *     or damaged
   */
  List<ModelCheckpoint> servedChain(ModelCheckpoint version) throws IOException;

  /**
   * Opens the row file of a contribution; the stream verifies it at its end.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if it is missing
   */
  InputStream openRows(ModelCheckpoint contribution) throws IOException;

  /**
   * Returns a folder for temporary files, on the storage medium of the versions. The first call
   * deletes what an earlier mixer left there.
   */
  Path temporary() throws IOException;
}
