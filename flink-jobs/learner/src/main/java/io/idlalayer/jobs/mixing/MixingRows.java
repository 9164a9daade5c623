package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The interface to the row files of contributions and of the mixed versions. Confined to one
 * thread.
 */
public interface MixingRows {
  /**
   * Returns the contributions of a partition whose row files together have all rows of a given
   * contribution, oldest first. The first contribution has all rows, the others have changes.
   *
   * @param digest digest of the manifest of the contribution
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if a contribution is
   *     missing or damaged
   */
  List<ModelCheckpoint> contributedChain(int partition, long version, String digest)
      throws IOException;

  /**
   * Returns the contributions of a partition that follow a given contribution, oldest first. Each
   * has the changes since the contribution before it.
   *
   * @param digest digest of the manifest of the last contribution
   * @param since digest of the contribution that they follow, which need not exist any more
   * @return the contributions; an empty list if the last contribution does not follow {@code
   *     since}, or if some changes are not known
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the last contribution
   *     is missing or damaged
   */
  List<ModelCheckpoint> contributedSince(int partition, long version, String digest, String since)
      throws IOException;

  /**
   * Opens the changes that a contribution has, whether or not it also has all rows.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the changes are
   *     missing or damaged; reading can also throw this exception
   */
  InputStream openChanges(ModelCheckpoint contribution) throws IOException;

  /**
   * Returns the verified mixed versions whose row files together have all rows of a version that
   * serves, oldest first.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one of the versions is
   *     missing or damaged
   */
  List<ModelCheckpoint> servedChain(ModelCheckpoint version) throws IOException;

  /**
   * Opens the row file of a contribution; the stream verifies it at its end.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if the row file is
   *     missing
   */
  InputStream openRows(ModelCheckpoint contribution) throws IOException;

  /**
   * Returns a folder for temporary files, on the storage medium of the versions. The first call
   * deletes what an earlier mixer left there.
   */
  Path temporary() throws IOException;
}
