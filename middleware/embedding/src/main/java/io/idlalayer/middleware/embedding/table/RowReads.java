package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.hot.Tier;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.BufferedRows;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import org.jspecify.annotations.Nullable;

/** Copies embedding rows from DRAM or the store, and counts where they were found. One thread. */
final class RowReads {
  private final Tiers tiers;
  private RowTables.@Nullable ReadListener listener;

  /** Counters of reads, one for each table. */
  private final long[] hits;

  private final long[] buffered;
  private final long[] misses;
  private final long[] unknown;

  RowReads(Tiers tiers) {
    this.tiers = tiers;
    int tables = tiers.plan().tables().size();
    hits = new long[tables];
    buffered = new long[tables];
    misses = new long[tables];
    unknown = new long[tables];
  }

  /**
   * Reads the rows of the ids in a set and copies them into the set. The row of unknown ids always
   * exists.
   *
   * @param use with {@link BufferedRows.Use#AHEAD} rows may stay in DRAM, because their samples
   *     train later; with {@code LOOK} nothing is counted or changed
   */
  void read(int table, RowSet set, BufferedRows.Use use) {
    EmbeddingPlan.Table of = tiers.plan().tables().get(table);
    Tier tier = tiers.of(table);
    int size = set.size();
    long[] missing = new long[size];
    for (int position = 0; position < size; position++) {
      missing[position] = of.rowKey(set.key(position));
    }
    boolean looks = use == BufferedRows.Use.LOOK;
    RowTables.ReadListener told = listener;
    if (told != null && !looks) {
      long bytes = HotRows.rowBytes(of.layout());
      for (long rowKey : missing) {
        told.read(rowKey, bytes);
      }
    }
    readHot(tier, missing, set, !looks);
    int[] positions = new int[size];
    int count = 0;
    for (int position = 0; position < size; position++) {
      if (set.slots()[position] == HotRows.NONE) {
        // The keys are moved to the front of the array, whose keys were read already.
        missing[count] = missing[position];
        positions[count++] = position;
      }
    }
    int asked = count;
    // Rows that were found, and the ones among them that were in the store only. An entry that is
    // not a row is the count of an id.
    int[] counts = new int[2];
    boolean keep = use == BufferedRows.Use.AHEAD;
    tiers
        .cold()
        .read(
            missing,
            asked,
            use,
            (i, row, fromStore) -> {
              StoredRow head = StoredRow.head(row, tiers.plan());
              boolean isRow = take(head, row, set, positions[i]);
              counts[0] += isRow ? 1 : 0;
              counts[1] += isRow && fromStore ? 1 : 0;
              return keep && isRow && becomesHot(tier, missing[i], head, row);
            });
    if (!looks) {
      hits[table] += size - asked;
      buffered[table] += counts[0] - counts[1];
      misses[table] += counts[1];
      unknown[table] += asked - counts[0];
    }
    set.kind(set.place(IdLists.UNKNOWN), RowKind.ROW);
  }

  /** Copies those rows of a set that are in DRAM. */
  private static void readHot(Tier tier, long[] rowKeys, RowSet set, boolean uses) {
    HotRows rows = tier.rows();
    int[] slots = set.slots();
    for (int from = 0; from < slots.length; from += HotRows.AT_ONCE) {
      int to = Math.min(slots.length, from + HotRows.AT_ONCE);
      rows.find(rowKeys, from, to, slots);
      rows.copyTo(slots, from, to, set);
      if (uses) {
        tier.used(slots, from, to);
      }
    }
  }

  /** Copies an entry from the store or a buffer into a set; returns whether it is a row. */
  private static boolean take(StoredRow head, byte[] row, RowSet set, int position) {
    set.kind(position, head.kind());
    set.use(position, head.occurrences(), head.lastUseSeconds(), head.steps());
    if (head.kind() != RowKind.ROW) {
      return false;
    }
    StoredRow.floats(row, set.values(), set.at(position), set.layout().stride());
    return true;
  }

  /** Makes a row hot if the policy accepts it; returns whether it is hot now. */
  private static boolean becomesHot(Tier tier, long rowKey, StoredRow head, byte[] row) {
    if (!tier.room(rowKey)) {
      return false;
    }
    int slot = tier.enter(rowKey, head.table(), false);
    tier.rows().decode(slot, head, row);
    return true;
  }

  void listener(RowTables.ReadListener told) {
    listener = told;
  }

  /** Returns how many reads of a table's rows found the row hot. */
  long hits(int table) {
    return hits[table];
  }

  /** Returns how many reads of a table's rows found the row in a buffer in DRAM, but not hot. */
  long buffered(int table) {
    return buffered[table];
  }

  /** Returns how many reads of a table's rows had to read the store. */
  long misses(int table) {
    return misses[table];
  }

  /** Returns how many reads were of ids that have no row in a table. */
  long unknown(int table) {
    return unknown[table];
  }
}
