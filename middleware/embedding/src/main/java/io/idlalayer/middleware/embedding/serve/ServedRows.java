package io.idlalayer.middleware.embedding.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.loops.ProcessLoops;
import io.idlalayer.middleware.embedding.loops.RowLoops;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.IdLists;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The embedding rows of one version of a model, for predictions. Immutable and safe for many
 * threads. The base has the rows of a full file, on the heap or in a mapped file; the overlay has
 * the rows that changed since, on the heap. The next version shares the base and copies the
 * overlay. When the overlay of a table is larger than a quarter of its base on the heap, both
 * become a new base. When the overlays of a mapped file, or the changes of one version, are larger
 * than a sixteenth of the file, they and the file become a new file.
 *
 * <p>An id without a row uses the table's row for unknown ids, or zeros if the table has no such
 * row.
 *
 * <p>Rows with a mapped file must be closed after the last prediction with them. The last version
 * that uses a file deletes it.
 */
public final class ServedRows implements IdVectors, AutoCloseable {
  /**
   * Limits the number of rows in the overlay of a base on the heap: at most the base's rows divided
   * by this number.
   */
  private static final int OVERLAY_SHARE = 4;

  /**
   * Limits the overlays of a mapped file, which take heap: at most the file's size divided by this
   * number.
   */
  private static final int MAPPED_OVERLAY_SHARE = 16;

  private static final RowLoops LOOPS = ProcessLoops.LOOPS;

  private final EmbeddingPlan plan;
  private final List<Table> tables;
  private final LongAdder unknown;

  /** The mapped file of the base; null if the base is on the heap. */
  private final MappedRows.@Nullable Use file;

  /** Folder for the next mapped file; null if the base is on the heap. */
  private final @Nullable RowsFolder folder;

  private final long mostHeapBytes;

  /** A table: base rows, and an overlay with newer rows. */
  private static final class Table {
    final BaseRows base;
    final RowPages overlay;
    private final long rows;

    /** A copy of the row that unknown ids use. */
    private final float[] unknownRow;

    Table(BaseRows base, RowPages overlay, long rows, int weights) {
      this.base = base;
      this.overlay = overlay;
      this.rows = rows;
      unknownRow = new float[weights];
      BaseRows.Cursor cursor = new BaseRows.Cursor();
      if (find(IdLists.UNKNOWN, cursor)) {
        System.arraycopy(cursor.values, cursor.at, unknownRow, 0, weights);
      }
    }

    /** Points a cursor to the weights of an id; returns false if the id has no row. */
    boolean find(long key, BaseRows.Cursor cursor) {
      int changed = overlay.find(key);
      if (changed != BaseRows.NONE) {
        if (overlay.deleted(changed)) {
          return false;
        }
        overlay.read(changed, cursor);
        return true;
      }
      int slot = base.find(key);
      if (slot == BaseRows.NONE) {
        return false;
      }
      base.read(slot, cursor);
      return true;
    }
  }

  private ServedRows(
      EmbeddingPlan plan,
      List<Table> tables,
      LongAdder unknown,
      MappedRows.@Nullable Use file,
      @Nullable RowsFolder folder,
      long mostHeapBytes) {
    this.plan = plan;
    this.tables = List.copyOf(tables);
    this.unknown = unknown;
    this.file = file;
    this.folder = folder;
    this.mostHeapBytes = mostHeapBytes;
  }

  /** Returns these rows with a count of unknown ids that continues the count of another version. */
  public ServedRows countingAfter(ServedRows before) {
    return new ServedRows(plan, tables, before.unknown, file, folder, mostHeapBytes);
  }

  /**
   * Reads the rows of a version from its row files: a file with all rows, and files with later
   * changes.
   *
   * @param newestFirst row files, the newest first; the oldest has all rows
   * @param folder for a mapped file; null to have all rows on the heap
   * @throws RowsFolderException if the folder fails
   * @throws IOException if a file is damaged, is of other tables than the plan, or is out of place
   *     in the chain
   */
  public static ServedRows read(
      EmbeddingPlan plan, List<RowFile.Reader> newestFirst, @Nullable RowsFolder folder)
      throws IOException {
    return read(plan, newestFirst, folder, Long.MAX_VALUE / 2, Long.MAX_VALUE / 2);
  }

  /**
   * Reads the rows of a version, within limits of the heap.
   *
   * @param leftHeapBytes heap that the rows can take while the rows of the version before are in
   *     service
   * @param mostHeapBytes heap that the rows of this version can take, and those of each version
   *     that is made from it by changes
   * @throws IOException also if the rows take more heap than these limits
   * @see #read(EmbeddingPlan, List, RowsFolder)
   */
  public static ServedRows read(
      EmbeddingPlan plan,
      List<RowFile.Reader> newestFirst,
      @Nullable RowsFolder folder,
      long leftHeapBytes,
      long mostHeapBytes)
      throws IOException {
    RowFile.Reader oldest = newestFirst.get(newestFirst.size() - 1);
    if (oldest.kind() != RowFile.Kind.FULL) {
      throw new IOException("the oldest row file has only changes, not all rows");
    }
    if (folder == null) {
      HeapBudget budget = new HeapBudget(Math.min(leftHeapBytes, mostHeapBytes));
      Builder builder = new Builder(plan, null, budget);
      RowFile.merge(newestFirst, builder, true);
      return new ServedRows(plan, builder.tables(), new LongAdder(), null, null, mostHeapBytes);
    }
    try (MappedRowsWriter writer = new MappedRowsWriter(folder::create, plan)) {
      RowFile.merge(newestFirst, writer, true);
      return mapped(plan, writer.finish(), new LongAdder(), folder, mostHeapBytes);
    }
  }

  /**
   * Creates rows whose base is a mapped file, without overlays. They own the use, which is closed
   * if this fails.
   */
  private static ServedRows mapped(
      EmbeddingPlan plan,
      MappedRows.Use file,
      LongAdder unknown,
      RowsFolder folder,
      long mostHeapBytes) {
    boolean done = false;
    try {
      List<Table> tables = new ArrayList<>();
      for (BaseRows base : file.rows().tables()) {
        int weights = plan.tables().get(tables.size()).layout().weights();
        tables.add(new Table(base, RowPages.empty(weights), base.size(), weights));
      }
      ServedRows rows = new ServedRows(plan, tables, unknown, file, folder, mostHeapBytes);
      done = true;
      return rows;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  /**
   * Creates the rows of a later version from these rows and files with the changes. These rows do
   * not change.
   *
   * @param newestFirst files of the changes since this version, newest first
   * @param bytes total size of these files; large ones are merged into a mapped file on disk, so
   *     that they take no heap
   * @throws RowsFolderException if the folder for mapped rows fails
   * @throws IOException if a file is damaged, has other tables than the plan, or is a full row file
   * @throws IllegalStateException if these rows have a mapped file and are closed
   */
  public ServedRows next(List<RowFile.Reader> newestFirst, long bytes) throws IOException {
    for (RowFile.Reader each : newestFirst) {
      if (each.kind() != RowFile.Kind.DELTA) {
        throw new IOException("a full row file may only be first in a chain");
      }
    }
    MappedRows.Use before = file;
    MappedRows.Use use = before == null ? null : before.rows().use();
    boolean done = false;
    try {
      ServedRows next = next(newestFirst, bytes, use);
      done = next.file == use;
      return next;
    } finally {
      if (use != null && !done) {
        use.close();
      }
    }
  }

  /**
   * @param use use of the file by the rows that are made; null if there is none
   */
  private ServedRows next(
      List<RowFile.Reader> newestFirst, long bytes, MappedRows.@Nullable Use use)
      throws IOException {
    if (newestFirst.isEmpty()) {
      return new ServedRows(plan, tables, unknown, use, folder, mostHeapBytes);
    }
    RowsFolder to = folder;
    if (use != null && to != null && bytes > use.rows().bytes() / MAPPED_OVERLAY_SHARE) {
      return rewritten(tables, newestFirst, use.rows(), to);
    }
    // Beside these rows, which stay until the next ones serve, half as much again may be taken.
    long left = mostHeapBytes + mostHeapBytes / 2 - bytes();
    Builder builder = new Builder(plan, this, new HeapBudget(left));
    RowFile.merge(newestFirst, builder, false);
    List<Table> changed = builder.tables();
    if (use == null || to == null || !large(changed)) {
      ServedRows next = new ServedRows(plan, changed, unknown, use, folder, mostHeapBytes);
      new HeapBudget(mostHeapBytes).take(next.bytes());
      return next;
    }
    return rewritten(changed, List.of(), use.rows(), to);
  }

  private static boolean large(List<Table> tables) {
    long overlays = tables.stream().mapToLong(table -> table.overlay.size()).sum();
    long bases = tables.stream().mapToLong(table -> table.base.size()).sum();
    return overlays * MAPPED_OVERLAY_SHARE > bases;
  }

  /** Merges a mapped file, its overlays and files with changes into a new mapped file. */
  private ServedRows rewritten(
      List<Table> overlaid, List<RowFile.Reader> newestFirst, MappedRows from, RowsFolder to)
      throws IOException {
    List<RowPages> overlays = overlaid.stream().map(table -> table.overlay).toList();
    try (MappedRowsWriter writer = new MappedRowsWriter(to::create, plan)) {
      MappedRewrite rewrite = new MappedRewrite(from, overlays, writer);
      if (newestFirst.isEmpty()) {
        for (EmbeddingPlan.Table table : plan.tables()) {
          rewrite.table(RowFile.Table.of(table));
          rewrite.end();
        }
      } else {
        RowFile.merge(newestFirst, rewrite, false);
      }
      return mapped(plan, writer.finish(), unknown, to, mostHeapBytes);
    }
  }

  /** Fills tables on the heap with the entries of row files. */
  private static final class Builder implements RowFile.Sink {
    private final EmbeddingPlan plan;
    private final @Nullable ServedRows before;
    private final HeapBudget budget;
    private final List<Table> made = new ArrayList<>();
    private RowPages target;

    /**
     * @param before rows that are changed; null for none
     */
    Builder(EmbeddingPlan plan, @Nullable ServedRows before, HeapBudget budget) {
      this.plan = plan;
      this.before = before;
      this.budget = budget;
      target = RowPages.empty(1);
    }

    List<Table> tables() throws IOException {
      RowFile.checkAllTables(plan, made.size());
      return made;
    }

    @Override
    public void table(RowFile.Table table) throws IOException {
      int next = made.size();
      RowFile.checkTable(plan, next, table);
      ServedRows old = before;
      target =
          old == null
              ? new RowPages(table.weights(), budget)
              : new RowPages(old.tables.get(next).overlay, budget);
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
        made.add(new Table(target, RowPages.empty(weights), target.size(), weights));
        return;
      }
      BaseRows base = old.tables.get(made.size()).base;
      boolean large = (long) target.size() * OVERLAY_SHARE > base.size();
      // The new base can be larger than both by the pages that are not full.
      boolean fits = large && budget.has(2 * (base.bytes() + target.bytes()));
      made.add(
          base instanceof RowPages pages && fits
              ? rebased(pages, target, weights)
              : new Table(base, target, rows(base, target), weights));
    }

    private static long rows(BaseRows base, RowPages overlay) {
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

    private Table rebased(RowPages base, RowPages overlay, int weights) throws IOException {
      RowPages merged = new RowPages(weights, budget);
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
      return new Table(merged, RowPages.empty(weights), merged.size(), weights);
    }
  }

  @Override
  public void fill(IdLists ids, float[] input, int at) {
    if (ids.features() != plan.features().size()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the sample has ids of %d features, the model takes %d",
              ids.features(),
              plan.features().size()));
    }
    MappedRows.Use mapped = file;
    if (mapped == null) {
      fillOpen(ids, input, at);
      return;
    }
    mapped.enter();
    try {
      fillOpen(ids, input, at);
    } finally {
      mapped.leave();
    }
  }

  private void fillOpen(IdLists ids, float[] input, int at) {
    BaseRows.Cursor cursor = new BaseRows.Cursor();
    for (int f = 0; f < plan.features().size(); f++) {
      EmbeddingPlan.Feature feature = plan.features().get(f);
      EmbeddingPlan.Table shape = plan.tables().get(feature.table());
      Table table = tables.get(feature.table());
      float share = feature.pooling().share(ids, f);
      for (int use = ids.from(f); use < ids.to(f); use++) {
        checkRow(shape, ids.key(use));
        find(table, ids.key(use), cursor);
        float[] values = cursor.values;
        int row = cursor.at;
        LOOPS.add(values, row, input, at + feature.from(), shape.vector(), share);
        LOOPS.add(values, row + shape.vector(), input, at + plan.wideFrom(), shape.wide(), share);
      }
    }
  }

  private static void checkRow(EmbeddingPlan.Table table, long key) {
    if (!table.index().holds(key)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "key %d is not a row of table '%s', which has %,d rows; make keys of ids with the"
                  + " index of their feature (RowIndex.keyOf)",
              key,
              table.name(),
              table.index().rows()));
    }
  }

  /** Points a cursor to the weights that an id uses: its own row, or that of unknown ids. */
  private void find(Table table, long key, BaseRows.Cursor cursor) {
    if (key == IdLists.UNKNOWN || !table.find(key, cursor)) {
      unknown.increment();
      cursor.values = table.unknownRow;
      cursor.at = 0;
    }
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /** Returns the number of rows of all tables. */
  public long rows() {
    return tables.stream().mapToLong(table -> table.rows).sum();
  }

  /**
   * Returns the approximate number of bytes on the heap; a base that several versions share counts
   * for each of them.
   */
  public long bytes() {
    return tables.stream().mapToLong(table -> table.base.bytes() + table.overlay.bytes()).sum();
  }

  /**
   * Returns the size of the mapped file in bytes, 0 if there is none; a file that several versions
   * share counts for each of them.
   */
  public long mappedBytes() {
    MappedRows.Use mapped = file;
    return mapped == null ? 0 : mapped.rows().bytes();
  }

  /**
   * Ends the use of the mapped file, if there is one; the last version that uses a file deletes it.
   * These rows give no vectors any more. Closing again does nothing.
   */
  @Override
  public void close() {
    MappedRows.Use mapped = file;
    if (mapped != null) {
      mapped.close();
    }
  }

  /**
   * Returns how often samples had an id without a row, in these rows and in the earlier versions
   * that they continue in this process.
   */
  public long unknownIds() {
    return unknown.sum();
  }
}
