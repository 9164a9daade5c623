package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates the row file of a version: the changes since its parent, or all rows. All rows are merged
 * as streams from the files of the parent's chain, or come from the learner itself if that chain is
 * not whole. Called by the trainer thread.
 */
final class RowPublication {
  /** Largest number of successive versions with only the changed rows. */
  static final int MOST_CHANGES = 64;

  /** Name of the manifest's count of rows that the update changed or deleted. */
  static final String CHANGED = "rowsChanged";

  /** Name of the manifest's count of versions with changes since the last one with all rows. */
  static final String CHAIN = "rowChanges";

  /** Name of the manifest's count of bytes in the changes of these versions. */
  static final String CHAIN_BYTES = "rowChangesBytes";

  private final PublishedRows place;
  private final long otherRowsUpTo;

  /**
   * @param otherRowsUpTo last version whose rows are of other tables; 0 for none
   */
  RowPublication(PublishedRows place, long otherRowsUpTo) {
    this.place = place;
    this.otherRowsUpTo = otherRowsUpTo;
  }

  /**
   * The rows of embedding tables that a version is published with. Closing them deletes the
   * temporary file.
   *
   * @param kind kind of the row file, as in the manifest
   * @param changes number of versions with changes, this one included; 0 if it has all rows
   * @param changesBytes size of these changes
   * @param bytes content of the file; null if the file is on the medium
   * @param file the file; null if it is in memory
   */
  record Rows(
      String kind,
      long changed,
      long changes,
      long changesBytes,
      byte @Nullable [] bytes,
      @Nullable Path file)
      implements AutoCloseable {

    static Rows full(long changed, byte @Nullable [] bytes, @Nullable Path file) {
      return new Rows(ModelManifest.FULL_ROWS, changed, 0, 0, bytes, file);
    }

    /** Adds the rows to the parts of a version's draft: counts, attributes and files. */
    void addTo(
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

  /**
   * Prepares the rows of an accepted model for its version: the changes, or all rows.
   *
   * @param full file with all rows, which the learner has written; null if it was not asked to
   * @throws FullRowsNeededException if the learner must write all rows
   * @throws IOException if the medium fails
   */
  Rows prepare(AcceptedModel accepted, @Nullable Path full) throws IOException {
    byte[] changes = accepted.rowChanges();
    long parent = accepted.training().parentVersion();
    long changed = changes.length == 0 ? 0 : RowChanges.entries(changes);
    if (full != null) {
      return Rows.full(changed, null, full);
    }
    if (changes.length == 0) {
      throw new FullRowsNeededException("it is not known which rows have changed");
    }
    if (parent == 0 && accepted.artifact().files().containsKey(ModelArtifact.START_FILE)) {
      throw new FullRowsNeededException("the first rows are those of a file");
    }
    if (parent == 0) {
      return Rows.full(changed, RowChanges.full(changes), null);
    }
    if (parent <= otherRowsUpTo) {
      throw new FullRowsNeededException("the rows of version " + parent + " are of other tables");
    }
    List<ModelCheckpoint> chain;
    try {
      chain = place.chain(parent, accepted.lineage().parentDigest());
    } catch (IOException unreadable) {
      // Damaged or unreadable rows must not keep new models from being published.
      throw new FullRowsNeededException(String.valueOf(unreadable.getMessage()));
    }
    long changesBytes = changes.length;
    for (ModelCheckpoint version : chain.subList(1, chain.size())) {
      changesBytes += rowBytes(version);
    }
    if (chain.size() > MOST_CHANGES || changesBytes >= rowBytes(chain.get(0))) {
      return Rows.full(changed, null, merged(chain, changes));
    }
    return new Rows(ModelManifest.ROW_CHANGES, changed, chain.size(), changesBytes, changes, null);
  }

  private static long rowBytes(ModelCheckpoint version) {
    return version
        .manifest()
        .file(ModelManifest.ROWS_FILE)
        .map(ModelManifest.ModelFile::bytes)
        .orElse(0L);
  }

  private Path merged(List<ModelCheckpoint> chain, byte[] changes) throws IOException {
    Path file = place.folder().resolve("merged-" + UUID.randomUUID());
    List<InputStream> open = new ArrayList<>();
    boolean done = false;
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (ModelCheckpoint version : chain) {
        InputStream in = place.open(version);
        open.add(in);
        newestFirst.add(0, new RowFile.Reader(in));
      }
      newestFirst.add(0, new RowFile.Reader(new ByteArrayInputStream(changes)));
      RowFile.merge(newestFirst, out);
      done = true;
      return file;
    } catch (IOException failed) {
      refuseDamaged(chain);
      throw failed;
    } finally {
      for (InputStream in : open) {
        in.close();
      }
      if (!done) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Refuses versions whose files were damaged after they had been verified. */
  private void refuseDamaged(List<ModelCheckpoint> chain) throws IOException {
    for (ModelCheckpoint version : chain) {
      try (InputStream in = place.open(version)) {
        in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException unreadable) {
        throw new FullRowsNeededException(String.valueOf(unreadable.getMessage()));
      }
    }
  }
}
