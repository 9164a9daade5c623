package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * What a learner needs of the rows of published versions. Called by the trainer thread, but for
 * {@link #folder}, which any thread may call.
 */
public interface PublishedRows {
  /**
   * The versions whose rows together are those of a version, verified, oldest first.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one is missing,
   *     damaged or another one than expected
   */
  List<ModelCheckpoint> chain(long version, String digest) throws IOException;

  /** Opens the rows of a version; they are verified when the end is read. */
  InputStream open(ModelCheckpoint version) throws IOException;

  /**
   * A folder for temporary files, on the medium of the versions. What is left there of an earlier
   * learner is deleted by the first call.
   */
  Path folder() throws IOException;
}
