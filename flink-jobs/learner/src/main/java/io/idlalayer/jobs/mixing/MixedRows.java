package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.rows.ChainLimit;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.modelcontroller.mixing.SharedRows;
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
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the row file of a mixed version from the row files of contributions: what has changed
 * since the contributions that its parent contains, or all rows. For each partition, the version
 * has exactly those rows of the contribution whose keys are in the partition's range. Each
 * partition has its own row for ids without a row; the version has this row from the partition
 * whose range includes its key. Rows of tables that every partition uses come from the mixed model,
 * see {@link SharedRows}.
 *
 * <p>Files are merged as streams, one partition after the other, because the keys of the partitions
 * ascend in this order. So the rows are never all in memory, and at most {@link
 * ChainLimit#MOST_CHANGES} + 1 files are open. For one thread.
 */
final class MixedRows {
  private static final Logger LOG = LoggerFactory.getLogger(MixedRows.class);

  private final MixingRows place;
  private final KeyRanges ranges;
  private final EmbeddingPlan plan;
  private final int partitioned;
  private final RowFile.Table table;

  /**
   * @param ranges which partition has the row of an id
   * @param plan the tables of the model
   * @param partitioned index of the table whose rows are divided between the partitions
   */
  MixedRows(MixingRows place, KeyRanges ranges, EmbeddingPlan plan, int partitioned) {
    this.place = place;
    this.ranges = ranges;
    this.plan = plan;
    this.partitioned = partitioned;
    table = RowFile.Table.of(plan.tables().get(partitioned));
  }

  /**
   * Thrown if the rows of a contribution are deleted or damaged. The learner of the contribution
   * still has the rows, and its next contribution has all rows.
   */
  static final class LostRowsException extends IOException {
    private static final long serialVersionUID = 1L;

    private LostRowsException(Contributor contributor, IOException why) {
      super(
          "the rows of contribution %d of partition %d cannot be read: %s"
              .formatted(contributor.version(), contributor.partition(), why.getMessage()),
          why);
    }
  }

  /**
   * The row files of a partition that are merged.
   *
   * @param files contributions, oldest first
   * @param whole whether all rows of the partition are merged, and not only the changes of each
   *     contribution
   */
  private record Part(Contributor contributor, List<ModelCheckpoint> files, boolean whole) {
    long bytes() {
      return files.stream()
          .mapToLong(each -> whole ? ChainLimit.rowBytes(each) : changesBytes(each))
          .sum();
    }

    private static long changesBytes(ModelCheckpoint contribution) {
      return contribution
          .manifest()
          .file(DraftRows.SINCE_FILE)
          .map(ModelManifest.ModelFile::bytes)
          .orElseGet(() -> ChainLimit.rowBytes(contribution));
    }
  }

  /**
   * Prepares the rows of a version.
   *
   * @param names entries of the version about each learner, in the order of partitions
   * @param parent the version relative to which changes are written; null to write all rows
   * @param shared rows of the tables that every partition uses; null if there are none
   * @throws LostRowsException if rows are deleted or damaged
   * @throws IOException if the medium fails
   */
  DraftRows prepare(
      List<Contributor> names, @Nullable ModelCheckpoint parent, @Nullable SharedRows shared)
      throws IOException {
    DraftRows changed = parent == null ? null : changed(names, parent, shared);
    return changed == null ? whole(names, shared) : changed;
  }

  /**
   * Prepares the rows that have changed since a version; null if the next version must have all
   * rows.
   */
  private @Nullable DraftRows changed(
      List<Contributor> names, ModelCheckpoint parent, @Nullable SharedRows shared)
      throws IOException {
    List<ModelCheckpoint> chain = servedChain(parent);
    List<Part> changes = chain.isEmpty() ? null : changes(names, parent);
    if (changes == null) {
      return null;
    }
    SharedChanges others = SharedChanges.since(parent, shared);
    long bytes = changes.stream().mapToLong(Part::bytes).sum() + others.bytes();
    if (ChainLimit.reached(chain, ChainLimit.changesBytes(chain, bytes))) {
      return null;
    }
    try {
      Written done = write(changes, others, RowFile.Kind.DELTA);
      return DraftRows.changes(
          done.entries(),
          chain,
          ChainLimit.changesBytes(chain, Files.size(done.file())),
          null,
          done.file());
    } catch (LostRowsException unknown) {
      LOG.warn("the next version has all rows: {}", unknown.getMessage());
      return null;
    }
  }

  private DraftRows whole(List<Contributor> names, @Nullable SharedRows shared) throws IOException {
    List<Part> all = new ArrayList<>();
    for (Contributor each : names) {
      if (!each.digest().isEmpty()) {
        all.add(new Part(each, chain(each), true));
      }
    }
    return DraftRows.full(0, null, write(all, SharedChanges.all(shared), RowFile.Kind.FULL).file());
  }

  /** Returns the chain of a version; an empty list if the chain is incomplete. */
  private List<ModelCheckpoint> servedChain(ModelCheckpoint version) throws IOException {
    try {
      return place.servedChain(version);
    } catch (CorruptModelException broken) {
      LOG.warn("the next version has all rows: {}", broken.getMessage());
      return List.of();
    }
  }

  private List<ModelCheckpoint> chain(Contributor of) throws IOException {
    try {
      return place.contributedChain(of.partition(), of.version(), of.digest());
    } catch (CorruptModelException gone) {
      throw new LostRowsException(of, gone);
    }
  }

  /** Returns the changes since a version; null if they are not known for some partition. */
  private @Nullable List<Part> changes(List<Contributor> names, ModelCheckpoint since)
      throws IOException {
    Map<Integer, Contributor> before =
        MixedVersion.of(since.manifest()).map(MixedVersion::contributors).orElse(List.of()).stream()
            .collect(Collectors.toMap(Contributor::partition, Function.identity()));
    List<Part> changes = new ArrayList<>();
    for (Contributor now : names) {
      Contributor was = before.remove(now.partition());
      String digest = was == null ? "" : was.digest();
      if (now.digest().equals(digest)) {
        continue;
      }
      if (now.digest().isEmpty()) {
        return null;
      }
      if (digest.isEmpty()) {
        // A version without a contribution of a learner has no rows of this learner.
        changes.add(new Part(now, chain(now), true));
        continue;
      }
      List<ModelCheckpoint> following = following(now, digest);
      if (following.isEmpty()) {
        return null;
      }
      changes.add(new Part(now, following, false));
    }
    return before.values().stream().allMatch(each -> each.digest().isEmpty()) ? changes : null;
  }

  private List<ModelCheckpoint> following(Contributor now, String since) throws IOException {
    try {
      return place.contributedSince(now.partition(), now.version(), now.digest(), since);
    } catch (CorruptModelException gone) {
      throw new LostRowsException(now, gone);
    }
  }

  private record Written(Path file, long entries) {}

  private Written write(List<Part> parts, SharedChanges others, RowFile.Kind kind)
      throws IOException {
    Path file = place.temporary().resolve("mixed-" + UUID.randomUUID());
    boolean done = false;
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
      RowFile.Writer writer = new RowFile.Writer(out, kind, plan.tables().size());
      long entries = 0;
      for (int index = 0; index < plan.tables().size(); index++) {
        if (index != partitioned) {
          entries += others.write(plan, index, writer);
          continue;
        }
        writer.table(table);
        for (Part part : parts) {
          entries += merge(part, writer);
        }
        writer.end();
      }
      writer.flush();
      done = true;
      return new Written(file, entries);
    } finally {
      if (!done) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Writes the rows of a partition whose keys are in its range; returns their number. */
  private long merge(Part part, RowFile.Writer to) throws IOException {
    List<InputStream> open = new ArrayList<>();
    try {
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (ModelCheckpoint each : part.files()) {
        InputStream in = open(part, each);
        open.add(in);
        newestFirst.add(0, new RowFile.Reader(in));
      }
      Own own = new Own(part.contributor().partition(), to);
      RowFile.merge(newestFirst, own, part.whole());
      if (own.others > 0) {
        LOG.warn(
            "{} rows in contribution {} of partition {} belong to other partitions, and are left"
                + " out",
            own.others,
            part.contributor().version(),
            part.contributor().partition());
      }
      return own.entries;
    } catch (CorruptModelException damaged) {
      throw new LostRowsException(part.contributor(), damaged);
    } catch (IOException failed) {
      requireWhole(part);
      throw failed;
    } finally {
      for (InputStream in : open) {
        in.close();
      }
    }
  }

  private InputStream open(Part part, ModelCheckpoint contribution) throws IOException {
    return part.whole() ? place.openRows(contribution) : place.openChanges(contribution);
  }

  /** Reads the files once more, to find out whether files are damaged or the medium fails. */
  private void requireWhole(Part part) throws IOException {
    for (ModelCheckpoint each : part.files()) {
      try (InputStream in = open(part, each)) {
        in.transferTo(OutputStream.nullOutputStream());
      } catch (CorruptModelException damaged) {
        throw new LostRowsException(part.contributor(), damaged);
      }
    }
  }

  /**
   * Passes on the rows of one partition whose keys are in its range. Rows of other tables in its
   * contributions are left out, because the served rows of these tables are mixed from all
   * partitions.
   */
  private final class Own implements RowFile.Sink {
    private final int partition;
    private final RowFile.Writer to;
    private int tables;
    private boolean passes;
    private long entries;
    private long others;

    Own(int partition, RowFile.Writer to) {
      this.partition = partition;
      this.to = to;
    }

    @Override
    public void table(RowFile.Table found) throws IOException {
      int index = tables++;
      RowFile.checkTable(plan, index, found);
      passes = index == partitioned;
    }

    private boolean has(long key) {
      if (!passes) {
        return false;
      }
      if (ranges.of(key) == partition) {
        entries++;
        return true;
      }
      if (key != IdLists.UNKNOWN) {
        others++;
      }
      return false;
    }

    @Override
    public void row(long key, float[] values, int at) throws IOException {
      if (has(key)) {
        to.row(key, values, at);
      }
    }

    @Override
    public void deleted(long key) throws IOException {
      if (has(key)) {
        to.deleted(key);
      }
    }

    @Override
    public void end() {}
  }
}
