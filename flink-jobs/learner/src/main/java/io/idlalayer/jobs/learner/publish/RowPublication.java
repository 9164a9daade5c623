package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.rows.ChainLimit;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates the row file of a version: the changes since its parent, or all rows. All rows are merged
 * as streams from the files of the parent's chain, or come from the learner itself if the chain is
 * incomplete. Called by the trainer thread.
 */
final class RowPublication {
  private final PublishedRows place;
  private final long otherRowsUpTo;

  /**
   * @param otherRowsUpTo last version whose rows are of other tables; 0 if there is none
   */
  RowPublication(PublishedRows place, long otherRowsUpTo) {
    this.place = place;
    this.otherRowsUpTo = otherRowsUpTo;
  }

  /**
   * Prepares the rows of an accepted model for its version: the changes, or all rows.
   *
   * @param parent version from which the model was trained; 0 if there is none
   * @param changes changes since the parent, as {@link RowFile}; empty if they are unknown
   * @param begun whether the tables began with the rows of a file, so that the changes since the
   *     beginning are not all rows
   * @param full file with all rows, which the learner has written; null if the learner was not
   *     asked to write them
   * @throws FullRowsNeededException if the learner must write all rows
   * @throws IOException if the medium fails
   */
  DraftRows prepare(
      long parent, String parentDigest, byte[] changes, boolean begun, @Nullable Path full)
      throws IOException {
    long changed = changes.length == 0 ? 0 : RowChanges.entries(changes);
    if (full != null) {
      return DraftRows.full(changed, null, full);
    }
    if (changes.length == 0) {
      throw new FullRowsNeededException("it is not known which rows have changed");
    }
    if (parent == 0 && begun) {
      throw new FullRowsNeededException("the first rows are those of a file");
    }
    if (parent == 0) {
      return DraftRows.full(changed, RowChanges.full(changes), null);
    }
    if (parent <= otherRowsUpTo) {
      throw new FullRowsNeededException("the rows of version " + parent + " are of other tables");
    }
    List<ModelCheckpoint> chain;
    try {
      chain = place.chain(parent, parentDigest);
    } catch (IOException unreadable) {
      // Damaged or unreadable rows must not keep new models from being published.
      throw new FullRowsNeededException(String.valueOf(unreadable.getMessage()));
    }
    long changesBytes = ChainLimit.changesBytes(chain, changes.length);
    if (ChainLimit.reached(chain, changesBytes)) {
      return DraftRows.full(changed, null, merged(chain, changes)).beside(changes);
    }
    return DraftRows.changes(changed, chain, changesBytes, changes, null);
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
