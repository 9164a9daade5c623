package io.idlalayer.middleware.embedding.serve;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Merges a memory-mapped file, the overlays of its tables, and the entries of files with changes
 * into a new mapped file. Entries are newer than overlays, and overlays newer than the file. File,
 * overlays and entries are read side by side in one order, so heap is needed only to sort the
 * overlays. One thread.
 */
final class MappedRewrite implements RowFile.Sink {
  private final MappedRows from;
  private final List<RowPages> overlays;
  private final MappedRowsWriter to;
  private final BaseRows.Cursor cursor = new BaseRows.Cursor();

  /** Index of the table that is being written. */
  private int table = -1;

  private long salt;
  private BaseRows base = RowPages.empty(1);
  private RowPages overlay = RowPages.empty(1);

  /**
   * Row keys of the overlay, ascending as unsigned numbers; the next array has the slots of these
   * rows.
   */
  private long[] rowKeys = {};

  private int[] slots = {};

  /** Slot of the next row of the base; the next field counts the rows of the overlay. */
  private int nextOfBase;

  private int nextOfOverlay;

  /**
   * @param overlays newer rows on the heap, one object for each table
   * @param to a new file, which the caller finishes
   */
  MappedRewrite(MappedRows from, List<RowPages> overlays, MappedRowsWriter to) {
    this.from = from;
    this.overlays = overlays;
    this.to = to;
  }

  @Override
  public void table(RowFile.Table next) throws IOException {
    to.table(next);
    table++;
    salt = next.salt();
    base = from.tables().get(table);
    overlay = overlays.get(table);
    nextOfBase = 0;
    nextOfOverlay = 0;
    sortOverlay();
  }

  private void sortOverlay() {
    long[] sorted = new long[overlay.size()];
    for (int slot = 0; slot < sorted.length; slot++) {
      sorted[slot] = signed(slot);
    }
    Arrays.sort(sorted);
    slots = new int[sorted.length];
    for (int slot = 0; slot < slots.length; slot++) {
      slots[Arrays.binarySearch(sorted, signed(slot))] = slot;
    }
    Arrays.setAll(sorted, i -> sorted[i] ^ Long.MIN_VALUE);
    rowKeys = sorted;
  }

  /**
   * Returns the row key of a slot with its first bit flipped, so that signed comparison gives the
   * order of unsigned row keys.
   */
  private long signed(int slot) {
    return EmbeddingPlan.Table.rowKey(overlay.key(slot), salt) ^ Long.MIN_VALUE;
  }

  @Override
  public void row(long key, float[] values, int at) throws IOException {
    long rowKey = EmbeddingPlan.Table.rowKey(key, salt);
    copyBefore(rowKey);
    to.stored(rowKey, values, at);
  }

  @Override
  public void deleted(long key) throws IOException {
    copyBefore(EmbeddingPlan.Table.rowKey(key, salt));
  }

  @Override
  public void end() throws IOException {
    while (nextOfOverlay < rowKeys.length) {
      copyNextOfOverlay();
    }
    while (nextOfBase < base.size()) {
      copyNextOfBase();
    }
    to.end();
  }

  /** Copies all rows whose keys are below a row key, and skips the row that has this key. */
  private void copyBefore(long rowKey) throws IOException {
    int order = -1;
    while (nextOfOverlay < rowKeys.length
        && (order = Long.compareUnsigned(rowKeys[nextOfOverlay], rowKey)) < 0) {
      copyNextOfOverlay();
    }
    if (nextOfOverlay < rowKeys.length && order == 0) {
      nextOfOverlay++;
    }
    copyBaseBefore(rowKey);
  }

  private void copyNextOfOverlay() throws IOException {
    long rowKey = rowKeys[nextOfOverlay];
    int slot = slots[nextOfOverlay++];
    copyBaseBefore(rowKey);
    if (!overlay.deleted(slot)) {
      overlay.read(slot, cursor);
      to.stored(rowKey, cursor.values, cursor.at);
    }
  }

  private void copyBaseBefore(long rowKey) throws IOException {
    int order = -1;
    while (nextOfBase < base.size()
        && (order = Long.compareUnsigned(from.rowKey(table, nextOfBase), rowKey)) < 0) {
      copyNextOfBase();
    }
    if (nextOfBase < base.size() && order == 0) {
      nextOfBase++;
    }
  }

  private void copyNextOfBase() throws IOException {
    base.read(nextOfBase, cursor);
    to.stored(from.rowKey(table, nextOfBase), cursor.values, cursor.at);
    nextOfBase++;
  }
}
