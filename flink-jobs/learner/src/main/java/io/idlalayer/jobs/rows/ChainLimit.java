package io.idlalayer.jobs.rows;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.List;

/**
 * The limit on the length and size of a chain of versions with changed rows. At this limit, a
 * version with all rows is published again.
 */
public final class ChainLimit {
  /** Largest number of successive versions with only the changed rows. */
  public static final int MOST_CHANGES = 64;

  private ChainLimit() {}

  /**
   * Returns the size of all changes since the last version with all rows.
   *
   * @param chain versions up to the parent, oldest first; the first one has all rows
   * @param added size of the new changes in bytes
   */
  public static long changesBytes(List<ModelCheckpoint> chain, long added) {
    long bytes = added;
    for (ModelCheckpoint version : chain.subList(1, chain.size())) {
      bytes += rowBytes(version);
    }
    return bytes;
  }

  /**
   * Returns whether the next version has all rows.
   *
   * @param chain versions up to the parent, oldest first; the first one has all rows
   * @param changesBytes size of all changes since the last version with all rows, including the new
   *     changes
   */
  public static boolean reached(List<ModelCheckpoint> chain, long changesBytes) {
    return chain.size() > MOST_CHANGES || changesBytes >= rowBytes(chain.get(0));
  }

  /** Returns the size in bytes of the row file of a version. */
  public static long rowBytes(ModelCheckpoint version) {
    return version
        .manifest()
        .file(ModelManifest.ROWS_FILE)
        .map(ModelManifest.ModelFile::bytes)
        .orElse(0L);
  }
}
