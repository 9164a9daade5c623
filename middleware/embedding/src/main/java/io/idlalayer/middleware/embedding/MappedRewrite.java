package io.idlalayer.middleware.embedding;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Makes a new mapped file of another one, the overlays of its tables, and the entries of files with
 * changes, of which those that are newer count. All of them are in the same order, so nothing is on
 * the heap but the order of the overlays. One thread.
 */
final class MappedRewrite implements RowFile.Sink {
  private final MappedRows from;
  private final List<RowPages> overlays;
  private final MappedRowsWriter to;
  private final BaseRows.Cursor cursor = new BaseRows.Cursor();

  /** Of the table that is written. */
  private int table = -1;

  private long salt;
  private BaseRows base = new RowPages(1);
  private RowPages overlay = new RowPages(1);

  /** Of the overlay, ascending as unsigned numbers, and where the rows are. */
  private long[] rowKeys = {};

  private int[] slots = {};

  /** The next row of the base, and of the overlay. */
  private int nextOfBase;

  private int nextOfOverlay;

  /**
   * @param overlays one for each table
   * @param to a new file, to be finished by the caller
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

  /** The order of unsigned numbers is that of signed ones with the first bit turned. */
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

  /** Copies what comes before a row, and passes over that row. */
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
