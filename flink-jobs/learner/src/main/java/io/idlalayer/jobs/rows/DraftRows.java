package io.idlalayer.jobs.rows;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of embedding tables that a version is published with. Closing them deletes the temporary
 * file.
 *
 * @param kind kind of the row file, as in the manifest
 * @param changed rows that were changed or deleted since the parent, as far as that is known
 * @param changes number of versions with changes, this one included; 0 if it has all rows
 * @param changesBytes size of these changes
 * @param bytes content of the file; null if the file is on the medium
 * @param file the file; null if it is in memory
 */
public record DraftRows(
    String kind,
    long changed,
    long changes,
    long changesBytes,
    byte @Nullable [] bytes,
    @Nullable Path file)
    implements AutoCloseable {
  /** Name of the manifest's count of rows that the update changed or deleted. */
  public static final String CHANGED = "rowsChanged";

  /** Name of the manifest's count of versions with changes since the last one with all rows. */
  public static final String CHAIN = "rowChanges";

  /** Name of the manifest's count of bytes in the changes of these versions. */
  public static final String CHAIN_BYTES = "rowChangesBytes";

  /** Returns all rows of a version. */
  public static DraftRows full(long changed, byte @Nullable [] bytes, @Nullable Path file) {
    return new DraftRows(ModelManifest.FULL_ROWS, changed, 0, 0, bytes, file);
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
  }

  @Override
  public void close() throws IOException {
    Path temporary = file;
    if (temporary != null) {
      Files.deleteIfExists(temporary);
    }
  }
}
