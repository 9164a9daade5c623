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
   * Returns the contributions of a partition that follow another one, oldest first. Each has the
   * changes since the one before it.
   *
   * @param digest digest of the manifest of the last one
   * @param since digest of the one that they follow, which need not exist any more
   * @return an empty list if the last one does not follow it, or if some changes are not known
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the last one is
   *     missing or damaged
   */
  List<ModelCheckpoint> contributedSince(int partition, long version, String digest, String since)
      throws IOException;

  /**
   * Opens the changes that a contribution has, whether it has all rows too or not.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if they are missing or
   *     damaged; reading may throw it too
   */
  InputStream openChanges(ModelCheckpoint contribution) throws IOException;

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
