package io.idlalayer.jobs.rows;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of embedding tables that a version is published with. Closing them deletes the temporary
 * file.
 *
 * @param kind kind of the row file, as in the manifest
 * @param changed rows that were changed or deleted since the parent, as far as that is known
 * @param changes number of versions with changes in the chain, including this version; 0 if this
 *     version has all rows
 * @param changesBytes size of these changes in bytes
 * @param bytes content of the file; null if the file is on the medium
 * @param file the file; null if it is in memory
 * @param since changes since the parent, stored in addition to all rows; null if the row file
 *     itself has the changes, or if they are unknown or not wanted
 */
public record DraftRows(
    String kind,
    long changed,
    long changes,
    long changesBytes,
    byte @Nullable [] bytes,
    @Nullable Path file,
    byte @Nullable [] since)
    implements AutoCloseable {
  /** Name of the manifest's count of rows that the update changed or deleted. */
  public static final String CHANGED = "rowsChanged";

  /** Name of the manifest's count of versions with changes since the last one with all rows. */
  public static final String CHAIN = "rowChanges";

  /** Name of the manifest's count of bytes in the changes of these versions. */
  public static final String CHAIN_BYTES = "rowChangesBytes";

  /** Name of the file with the changes since the parent in a version that also has all rows. */
  public static final String SINCE_FILE = "row-changes.bin";

  /** Returns all rows of a version. */
  public static DraftRows full(long changed, byte @Nullable [] bytes, @Nullable Path file) {
    return new DraftRows(ModelManifest.FULL_ROWS, changed, 0, 0, bytes, file, null);
  }

  /**
   * Returns the rows that a version changes or deletes.
   *
   * @param chain versions up to the parent
   */
  public static DraftRows changes(
      long changed,
      List<ModelCheckpoint> chain,
      long changesBytes,
      byte @Nullable [] bytes,
      @Nullable Path file) {
    return new DraftRows(
        ModelManifest.ROW_CHANGES, changed, chain.size(), changesBytes, bytes, file, null);
  }

  /**
   * Returns whether a version contains the changes since its parent, whether or not it also has all
   * rows.
   */
  public static boolean hasChanges(ModelManifest manifest) {
    return ModelManifest.ROW_CHANGES.equals(manifest.attributes().get(ModelManifest.ROWS))
        || manifest.file(SINCE_FILE).isPresent();
  }

  /** Returns all rows, and in addition the changes since the parent. */
  public DraftRows beside(byte @Nullable [] changesSince) {
    return new DraftRows(kind, changed, changes, changesBytes, bytes, file, changesSince);
  }

  /** Adds the rows to the parts of a version's draft: counts, attributes and files. */
  public void addTo(
      Map<String, Long> counts,
      Map<String, String> attributes,
      Map<String, byte[]> files,
      Map<String, Path> copied) {
    attributes.put(ModelManifest.ROWS, kind);
    counts.put(CHANGED, changed);
    counts.put(CHAIN, changes);
    counts.put(CHAIN_BYTES, changesBytes);
    byte[] inMemory = bytes;
    Path onMedium = file;
    if (inMemory != null) {
      files.put(ModelManifest.ROWS_FILE, inMemory);
    }
    if (onMedium != null) {
      copied.put(ModelManifest.ROWS_FILE, onMedium);
    }
    byte[] beside = since;
    if (beside != null) {
      files.put(SINCE_FILE, beside);
    }
  }

  @Override
  public void close() throws IOException {
    Path temporary = file;
    if (temporary != null) {
      Files.deleteIfExists(temporary);
    }
  }
}
