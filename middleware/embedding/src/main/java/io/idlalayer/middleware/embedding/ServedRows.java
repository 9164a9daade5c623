package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one version of a model, to predict with. Immutable and safe for many threads. The
 * next version shares what has not changed: the rows of a full file, the base, are never copied,
 * only those that changed since, the overlay. When the overlay of a table is larger than a quarter
 * of its base, the two become a new base.
 *
 * <p>An id without a row uses the row of unknown ids, and zeros if there is none.
 */
public final class ServedRows implements IdVectors {
  /** A larger part of the base is not kept beside it. */
  private static final int OVERLAY_SHARE = 4;

  private final EmbeddingPlan plan;
  private final List<Table> tables;
  private final LongAdder unknown;

  /** A table: what is in the overlay is newer than the base. */
  private static final class Table {
    final RowPages base;
    final RowPages overlay;
    private final long rows;

    /** Holds the row of unknown ids. */
    private final float[] unknownPage;

    private final int unknownAt;

    Table(RowPages base, RowPages overlay, long rows, int weights) {
      this.base = base;
      this.overlay = overlay;
      this.rows = rows;
      float[][] page = {new float[weights]};
      int at = find(IdLists.UNKNOWN, page);
      unknownPage = page[0];
      unknownAt = at == RowPages.NONE ? 0 : at;
    }

    /**
     * Where the weights of an id begin, or {@link RowPages#NONE}.
     *
     * @param page takes the array that they are in
     */
    int find(long key, float[][] page) {
      int changed = overlay.find(key);
      if (changed != RowPages.NONE && overlay.deleted(changed)) {
        return RowPages.NONE;
      }
      RowPages in = changed == RowPages.NONE ? base : overlay;
      int slot = changed == RowPages.NONE ? base.find(key) : changed;
      if (slot == RowPages.NONE) {
        return RowPages.NONE;
      }
      page[0] = in.page(slot);
      return in.at(slot);
    }
  }

  private ServedRows(EmbeddingPlan plan, List<Table> tables, LongAdder unknown) {
    this.plan = plan;
    this.tables = List.copyOf(tables);
    this.unknown = unknown;
  }

  /** The same rows, which go on counting unknown ids where those of another version are. */
  public ServedRows countingAfter(ServedRows before) {
    return new ServedRows(plan, tables, before.unknown);
  }

  /**
   * Reads the rows of a version from the files of its chain.
   *
   * @param newestFirst the oldest is a full one
   * @throws IOException if a file is damaged, is of other tables than the plan, or comes where it
   *     must not
   */
  public static ServedRows read(EmbeddingPlan plan, List<RowFile.Reader> newestFirst)
      throws IOException {
    RowFile.Reader oldest = newestFirst.get(newestFirst.size() - 1);
    if (oldest.kind() != RowFile.Kind.FULL) {
      throw new IOException("the oldest file has changes only");
    }
    Builder builder = new Builder(plan, null);
    RowFile.merge(newestFirst, builder, true);
    return builder.rows();
  }

  /**
   * The rows of a later version. These stay as they are.
   *
   * @param newestFirst what has changed since this version
   * @throws IOException if a file is damaged, is of other tables than the plan, or is a full one
   */
  public ServedRows next(List<RowFile.Reader> newestFirst) throws IOException {
    for (RowFile.Reader each : newestFirst) {
      if (each.kind() != RowFile.Kind.DELTA) {
        throw new IOException("a full file follows another; only changes may");
      }
    }
    if (newestFirst.isEmpty()) {
      return this;
    }
    Builder builder = new Builder(plan, this);
    RowFile.merge(newestFirst, builder, false);
    return builder.rows();
  }

  /** Fills tables with the entries of files. */
  private static final class Builder implements RowFile.Sink {
    private final EmbeddingPlan plan;
    private final @Nullable ServedRows before;
    private final List<Table> made = new ArrayList<>();
    private RowPages target;

    /**
     * @param before whose rows are changed; null for none
     */
    Builder(EmbeddingPlan plan, @Nullable ServedRows before) {
      this.plan = plan;
      this.before = before;
      target = new RowPages(1);
    }

    ServedRows rows() throws IOException {
      if (made.size() != plan.tables().size()) {
        throw new IOException(
            "it has %d tables instead of %d".formatted(made.size(), plan.tables().size()));
      }
      ServedRows old = before;
      return new ServedRows(plan, made, old == null ? new LongAdder() : old.unknown);
    }

    @Override
    public void table(RowFile.Table table) throws IOException {
      int next = made.size();
      if (next >= plan.tables().size()
          || !RowFile.Table.of(plan.tables().get(next)).equals(table)) {
        throw new IOException("its %s is not in the model".formatted(table));
      }
      ServedRows old = before;
      target =
          old == null ? new RowPages(table.weights()) : new RowPages(old.tables.get(next).overlay);
    }

    @Override
    public void row(long key, float[] values, int at) throws IOException {
      target.put(key, values, at);
    }

    @Override
    public void deleted(long key) throws IOException {
      target.delete(key);
    }

    @Override
    public void end() throws IOException {
      int weights = plan.tables().get(made.size()).layout().weights();
      ServedRows old = before;
      if (old == null) {
        made.add(new Table(target, new RowPages(weights), target.size(), weights));
        return;
      }
      RowPages base = old.tables.get(made.size()).base;
      made.add(
          (long) target.size() * OVERLAY_SHARE > base.size()
              ? rebased(base, target, weights)
              : new Table(base, target, rows(base, target), weights));
    }

    private static long rows(RowPages base, RowPages overlay) {
      long rows = base.size();
      for (int slot = 0; slot < overlay.size(); slot++) {
        boolean was = base.find(overlay.key(slot)) != RowPages.NONE;
        boolean is = !overlay.deleted(slot);
        if (was != is) {
          rows += is ? 1 : -1;
        }
      }
      return rows;
    }

    private static Table rebased(RowPages base, RowPages overlay, int weights) throws IOException {
      RowPages merged = new RowPages(weights);
      for (int slot = 0; slot < base.size(); slot++) {
        if (overlay.find(base.key(slot)) == RowPages.NONE) {
          merged.put(base.key(slot), base.page(slot), base.at(slot));
        }
      }
      for (int slot = 0; slot < overlay.size(); slot++) {
        if (!overlay.deleted(slot)) {
          merged.put(overlay.key(slot), overlay.page(slot), overlay.at(slot));
        }
      }
      return new Table(merged, new RowPages(weights), merged.size(), weights);
    }
  }

  @Override
  public void fill(IdLists ids, float[] input, int at) {
    if (ids.features() != plan.features().size()) {
      throw new IllegalArgumentException(
          "the sample has ids of %d features, the model takes %d"
              .formatted(ids.features(), plan.features().size()));
    }
    float[][] page = new float[1][];
    for (int f = 0; f < plan.features().size(); f++) {
      EmbeddingPlan.Feature feature = plan.features().get(f);
      EmbeddingPlan.Table shape = plan.tables().get(feature.table());
      Table table = tables.get(feature.table());
      float share = feature.pooling().share(ids, f);
      for (int use = ids.from(f); use < ids.to(f); use++) {
        checkRow(shape, ids.key(use));
        int row = find(table, ids.key(use), page);
        float[] values = page[0];
        Pooling.add(values, row, shape.vector(), share, input, at + feature.from());
        Pooling.add(values, row + shape.vector(), shape.wide(), share, input, at + plan.wideFrom());
      }
    }
  }

  private static void checkRow(EmbeddingPlan.Table table, long key) {
    if (!table.index().holds(key)) {
      throw new IllegalArgumentException(
          "key %d is no row of table '%s', which has %,d rows; make keys of ids with the index of their feature (RowIndex.keyOf)"
              .formatted(key, table.name(), table.index().rows()));
    }
  }

  /** Where the weights begin that an id uses: its own, or those of unknown ids. */
  private int find(Table table, long key, float[][] page) {
    int row = key == IdLists.UNKNOWN ? RowPages.NONE : table.find(key, page);
    if (row == RowPages.NONE) {
      unknown.increment();
      page[0] = table.unknownPage;
      return table.unknownAt;
    }
    return row;
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /** Number of rows of all tables. */
  public long rows() {
    return tables.stream().mapToLong(table -> table.rows).sum();
  }

  /** Bytes on the heap, about; a base that is shared with other versions counts for each. */
  public long bytes() {
    return tables.stream().mapToLong(table -> table.base.bytes() + table.overlay.bytes()).sum();
  }

  /**
   * How many ids have been asked for so far that have no row, of these rows and of those that they
   * follow in this process.
   */
  public long unknownIds() {
    return unknown.sum();
  }
}
