package io.idlalayer.middleware.embedding;

import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose rows of tables of fixed size also have a slot in a mapped file, from which they are
 * read: a row's slot follows from its number, so nothing is searched (the base of CachedEmbeddings,
 * Hildebrand 2022, chapter 5). Every write goes to the store. So the store alone is what
 * checkpoints hold, and the file is only a copy: it begins empty, and is deleted at the end. A row
 * gets there when it is read for the first time, or written and its page is there already: rows of
 * ids that come once take no pages.
 *
 * <p>If the file cannot be written or read any more, it is given up, and all rows are read from the
 * store. Belongs to one thread.
 */
public final class MappedRowCopies extends ForwardingRowStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MappedRowCopies.class);

  private final MappedSlots slots;

  private long reads;

  /** Calls that have written rows. */
  private long writes;

  /**
   * What the file holds and did.
   *
   * @param rows in the file
   * @param bytes of their slots
   * @param reads of rows from the file; those of ids that it knows to have no row are not counted
   */
  public record Usage(long rows, long bytes, long reads) {}

  /**
   * @param slots of a new file
   */
  MappedRowCopies(RowStore store, MappedSlots slots) {
    super(store);
    this.slots = slots;
  }

  /**
   * Makes the file. If the store has no rows, nobody has to search it for new ids of tables of
   * fixed size from then on.
   *
   * @param store that all rows are in
   * @param plan at least one of whose tables has a fixed size
   * @param folder on a local disk, for the file
   * @throws RowsFolderException if there can be no file
   */
  public static MappedRowCopies open(RowStore store, EmbeddingPlan plan, RowsFolder folder)
      throws RowsFolderException {
    boolean empty = !store.rows().hasNext();
    MappedSlots slots = new MappedSlots(folder::create, plan, RowsFolder::usableBytes);
    if (empty) {
      slots.setAllAbsent();
    }
    return new MappedRowCopies(store, slots);
  }

  /** What the file holds and did; it holds nothing once it was given up. */
  public Usage usage() {
    return new Usage(slots.rows(), slots.bytes(), reads);
  }

  /** How an id is known here. */
  private enum Known {
    /** Its row was read. */
    ROW,
    /** It has no row. */
    ABSENT,
    /** Only the store knows. */
    IN_STORE_ONLY
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    long[] unknown = new long[count];
    int[] asked = new int[count];
    int left = 0;
    for (int i = 0; i < count; i++) {
      if (copy(rowKeys[i], i, reader) == Known.IN_STORE_ONLY) {
        unknown[left] = rowKeys[i];
        asked[left++] = i;
      }
    }
    if (left == 0) {
      return;
    }
    boolean[] found = new boolean[left];
    long before = writes;
    super.read(
        unknown,
        left,
        (i, row) -> {
          found[i] = true;
          // The reader may write the row.
          keep(unknown[i], row);
          reader.row(asked[i], row);
        });
    // The reader of one row may have written another that was not there when it was asked for.
    for (int i = 0; i < left && writes == before; i++) {
      if (!found[i]) {
        setAbsent(unknown[i]);
      }
    }
  }

  /** Reads a row from the file. */
  private Known copy(long rowKey, int i, RowReader reader) {
    long place = slots.place(rowKey);
    if (place == MappedSlots.NONE) {
      return Known.IN_STORE_ONLY;
    }
    byte[] row;
    try {
      row = slots.read(place);
    } catch (InternalError failed) {
      // So says the JVM that a page of a mapping is not to be had.
      giveUp("read", failed);
      return Known.IN_STORE_ONLY;
    }
    if (row == null) {
      return slots.absent(place) ? Known.ABSENT : Known.IN_STORE_ONLY;
    }
    reads++;
    reader.row(i, row);
    return Known.ROW;
  }

  private void keep(long rowKey, byte[] row) {
    long place = slots.place(rowKey);
    if (place == MappedSlots.NONE) {
      return;
    }
    try {
      slots.write(place, row);
    } catch (IOException | InternalError failed) {
      giveUp("written", failed);
    }
  }

  private void setAbsent(long rowKey) {
    long place = slots.place(rowKey);
    if (place != MappedSlots.NONE) {
      slots.setAbsent(place);
    }
  }

  private void giveUp(String what, Throwable why) {
    LOG.warn(
        "{} cannot be {}; rows of tables of fixed size are read from keyed state from now on,"
            + " which takes longer. Nothing is lost. Make room on the disk or replace it, and start"
            + " again",
        slots.file(),
        what,
        why);
    close();
  }

  @Override
  public void write(Map<Long, byte[]> rows) {
    super.write(rows);
    writes++;
    rows.forEach(this::changed);
  }

  /** A row has changed in the store; its copy does, too, if that needs no new page. */
  private void changed(long rowKey, byte[] row) {
    long place = slots.place(rowKey);
    if (place != MappedSlots.NONE && slots.hasBlocks(place)) {
      keep(rowKey, row);
    } else if (place != MappedSlots.NONE) {
      slots.forget(place);
    }
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    super.remove(rowKeys, count);
    for (int i = 0; i < count; i++) {
      setAbsent(rowKeys[i]);
    }
  }

  /** Deletes the file; all rows are read from the store from then on. */
  @Override
  public void close() {
    try {
      slots.close();
    } catch (RowsFolderException stays) {
      LOG.warn("a file of rows stays, and is deleted at the next start", stays);
    }
  }
}
