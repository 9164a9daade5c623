package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.learner.publish.PublishedRows;
import io.idlalayer.jobs.mixing.MixingRows;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The row files of contributions and mixed versions on the heap. */
final class MemoryRows implements MixingRows {
  private final Path folder;
  private final boolean lateRowsDropped;
  private final Map<String, ModelCheckpoint> versions = new HashMap<>();
  private final Map<String, byte[]> files = new HashMap<>();

  /** Changes since the parent, of versions that have all rows beside them. */
  private final Map<String, byte[]> beside = new HashMap<>();

  private int open;
  private int mostOpen;

  /**
   * @param folder existing folder for temporary files
   * @param lateRowsDropped whether rows of a contribution that no version has contained are not
   *     read with the next one, which is an error
   */
  MemoryRows(Path folder, boolean lateRowsDropped) {
    this.folder = folder;
    this.lateRowsDropped = lateRowsDropped;
  }

  /** Keeps the row files of a version. */
  void put(ModelCheckpoint version, DraftRows rows) throws IOException {
    byte[] inMemory = rows.bytes();
    put(version, inMemory == null ? Files.readAllBytes(rows.file()) : inMemory, rows.since());
  }

  /**
   * Keeps the row files of a version.
   *
   * @param since changes since the parent, beside all rows; null if there are none
   */
  void put(ModelCheckpoint version, byte[] rows, byte @Nullable [] since) {
    versions.put(version.digest(), version);
    files.put(version.digest(), rows);
    if (since != null) {
      beside.put(version.digest(), since);
    }
  }

  /** Loses the row file of a version. */
  void lose(String digest) {
    files.remove(digest);
  }

  /** Returns the largest number of files that were open together. */
  int mostOpen() {
    return mostOpen;
  }

  @Override
  public List<ModelCheckpoint> contributedChain(int partition, long version, String digest)
      throws IOException {
    return chain(digest);
  }

  @Override
  public List<ModelCheckpoint> contributedSince(
      int partition, long version, String digest, String since) throws IOException {
    List<ModelCheckpoint> following = new ArrayList<>();
    String next = digest;
    while (!next.equals(since)) {
      ModelCheckpoint link = versions.get(next);
      boolean known = link != null && files.containsKey(next);
      if (!known && following.isEmpty()) {
        throw new CorruptModelException("the rows of %s are gone".formatted(next));
      }
      if (!known || (full(link) && !beside.containsKey(next))) {
        return List.of();
      }
      following.add(0, link);
      next = link.manifest().parentDigest();
    }
    return lateRowsDropped ? following.subList(following.size() - 1, following.size()) : following;
  }

  private static boolean full(ModelCheckpoint version) {
    return ModelManifest.FULL_ROWS.equals(version.manifest().attributes().get(ModelManifest.ROWS));
  }

  @Override
  public InputStream openChanges(ModelCheckpoint contribution) throws IOException {
    byte[] changes = beside.get(contribution.digest());
    return changes == null ? openRows(contribution) : opened(changes);
  }

  @Override
  public List<ModelCheckpoint> servedChain(ModelCheckpoint version) throws IOException {
    return chain(version.digest());
  }

  private List<ModelCheckpoint> chain(String digest) throws IOException {
    List<ModelCheckpoint> chain = new ArrayList<>();
    String next = digest;
    while (true) {
      ModelCheckpoint link = versions.get(next);
      if (link == null || !files.containsKey(next)) {
        throw new CorruptModelException("the rows of %s are gone".formatted(next));
      }
      chain.add(0, link);
      if (full(link)) {
        return chain;
      }
      next = link.manifest().parentDigest();
    }
  }

  @Override
  public InputStream openRows(ModelCheckpoint contribution) throws IOException {
    byte[] bytes = files.get(contribution.digest());
    if (bytes == null) {
      throw new CorruptModelException("the rows of %s are gone".formatted(contribution.digest()));
    }
    return opened(bytes);
  }

  private InputStream opened(byte[] bytes) {
    open++;
    mostOpen = Math.max(mostOpen, open);
    return new FilterInputStream(new ByteArrayInputStream(bytes)) {
      @Override
      public void close() {
        open--;
      }
    };
  }

  @Override
  public Path temporary() {
    return folder;
  }

  /** The rows of the contributions of one learner. */
  PublishedRows ofLearner() {
    return new PublishedRows() {
      @Override
      public List<ModelCheckpoint> chain(long version, String digest) throws IOException {
        return MemoryRows.this.chain(digest);
      }

      @Override
      public InputStream open(ModelCheckpoint version) throws IOException {
        return openRows(version);
      }

      @Override
      public Path folder() {
        return folder;
      }
    };
  }

  /** Returns all rows of a version as texts, by key. */
  Map<Long, String> texts(ModelCheckpoint version) throws IOException {
    return texts(version, 0);
  }

  /**
   * Returns the rows of a table that a version has, as texts, by key.
   *
   * @param index index of the table in the model
   */
  Map<Long, String> texts(ModelCheckpoint version, int index) throws IOException {
    List<RowFile.Reader> newestFirst = new ArrayList<>();
    for (ModelCheckpoint each : chain(version.digest())) {
      newestFirst.add(0, new RowFile.Reader(new ByteArrayInputStream(files.get(each.digest()))));
    }
    Map<Long, String> rows = new TreeMap<>();
    RowFile.merge(
        newestFirst,
        new RowFile.Sink() {
          private int table = -1;

          @Override
          public void table(RowFile.Table head) {
            table++;
          }

          @Override
          public void row(long key, float[] values, int at) {
            if (table == index) {
              rows.put(key, Arrays.toString(values));
            }
          }

          @Override
          public void deleted(long key) {
            throw new AssertionError("all rows have a deleted one");
          }

          @Override
          public void end() {}
        },
        true);
    return rows;
  }
}
