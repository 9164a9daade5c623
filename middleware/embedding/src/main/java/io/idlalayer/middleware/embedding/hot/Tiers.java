package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.BufferedRows;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The embedding rows of a learner: the hot ones in DRAM, in one tier for each layout, and all
 * others in the store, behind {@link BufferedRows}. One thread.
 */
public final class Tiers {
  /** If rows may be hot, prefetched rows get the bytes of DRAM divided by this number. */
  private static final int AHEAD_SHARE = 8;

  /** Divisor of the most bytes, if they may change; the result is less than the fewest bytes. */
  private static final int AHEAD_SHARE_OF_MOST = 32;

  private final EmbeddingPlan plan;
  private final BufferedRows cold;
  private final long aheadBytes;
  private final List<Tier> all;
  private final Tier[] ofTable;

  /** Parts of the bytes that each tier gets, in their order, of {@link #allParts}. */
  private final List<Long> parts;

  private final long allParts;

  /**
   * @param mostBytesToWrite most bytes of DRAM for rows to be written; one row may exceed it
   */
  public Tiers(EmbeddingPlan plan, RowSettings settings, RowStore store, long mostBytesToWrite) {
    this.plan = plan;
    boolean noneIsHot = settings.policy() == RowPolicyName.SIMPLE;
    aheadBytes =
        Math.min(
            noneIsHot ? settings.fastBytes() : aheadShare(settings), BufferedRows.MOST_BYTES_AHEAD);
    cold = new BufferedRows(store, aheadBytes, mostBytesToWrite);
    ofTable = new Tier[plan.tables().size()];
    Map<RowLayout, Long> byLayout = parts(plan);
    parts = List.copyOf(byLayout.values());
    allParts = parts.stream().mapToLong(Long::longValue).sum();
    all = tiers(byLayout, settings, noneIsHot);
  }

  private static long aheadShare(RowSettings settings) {
    return settings.resizable()
        ? settings.mostFastBytes() / AHEAD_SHARE_OF_MOST
        : settings.fastBytes() / AHEAD_SHARE;
  }

  /**
   * Returns what the tier of each row layout gets of the bytes: in proportion to the number of its
   * tables and the bytes of a row.
   */
  private static Map<RowLayout, Long> parts(EmbeddingPlan plan) {
    Map<RowLayout, Long> parts = new LinkedHashMap<>();
    for (EmbeddingPlan.Table table : plan.tables()) {
      parts.merge(table.layout(), HotRows.rowBytes(table.layout()), Long::sum);
    }
    return parts;
  }

  /**
   * Returns the largest number of bytes that rows take on the Java heap if their numbers are
   * outside of it. These bytes are the heads and the index of the rows, and rows that were read
   * ahead.
   */
  public static long mostHeapBytes(EmbeddingPlan plan, RowSettings settings) {
    double heads = 0;
    double all = 0;
    for (Map.Entry<RowLayout, Long> each : parts(plan).entrySet()) {
      long rowBytes = HotRows.rowBytes(each.getKey());
      long numbers = (long) Float.BYTES * each.getKey().stride();
      heads += (double) each.getValue() * (rowBytes - numbers) / rowBytes;
      all += each.getValue();
    }
    return (long) (settings.mostFastBytes() * heads / all) + aheadShare(settings);
  }

  /** Returns the bytes of DRAM for prefetched rows. */
  public long mostBytesAhead() {
    return aheadBytes;
  }

  private long share(long bytes, long part) {
    return (long) ((double) bytes * part / allParts);
  }

  private List<Tier> tiers(Map<RowLayout, Long> byLayout, RowSettings settings, boolean noneIsHot) {
    long hotBytes = noneIsHot ? 0 : settings.fastBytes() - aheadBytes;
    long mostBytes = noneIsHot ? 0 : settings.mostFastBytes() - aheadBytes;
    HotRows.IdKeys idKeys = (table, rowKey) -> plan.tables().get(table).key(rowKey);
    Map<RowLayout, Tier> made = new LinkedHashMap<>();
    byLayout.forEach(
        (layout, part) -> {
          HotRows rows =
              new HotRows(
                  layout,
                  share(hotBytes, part),
                  share(mostBytes, part),
                  idKeys,
                  settings.resizable());
          made.put(layout, new Tier(rows, RowPolicy.of(settings.policy()), cold));
        });
    for (int i = 0; i < ofTable.length; i++) {
      Tier own = made.get(plan.tables().get(i).layout());
      if (own != null) {
        ofTable[i] = own;
      }
    }
    return List.copyOf(made.values());
  }

  /**
   * Changes the bytes of DRAM for hot rows and prefetched rows together; the part for prefetched
   * rows stays. Hot rows that no longer fit leave DRAM, and are written to the store by {@link
   * BufferedRows#write}.
   */
  public void resize(long fastBytes) {
    long hotBytes = Math.max(0, fastBytes - aheadBytes);
    for (int i = 0; i < all.size(); i++) {
      all.get(i).resize(share(hotBytes, parts.get(i)));
    }
  }

  /**
   * Returns the bytes of DRAM that were allocated for hot rows so far, plus the bytes that
   * prefetched rows may take.
   */
  public long acquiredBytes() {
    return aheadBytes + all.stream().mapToLong(Tier::bytes).sum();
  }

  /** Returns whether a tier got less memory from the process than it may have. */
  public boolean lacksMemory() {
    return all.stream().anyMatch(tier -> tier.rows().lacksMemory());
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /** Returns the rows that are not hot, with their store. */
  public BufferedRows cold() {
    return cold;
  }

  /** Returns the tier that holds the hot rows of a table. */
  public Tier of(int table) {
    return ofTable[table];
  }

  public List<Tier> all() {
    return all;
  }

  /** Returns the tier in which a row is hot; null if the row is not hot. */
  public @Nullable Tier holding(long rowKey) {
    for (Tier tier : all) {
      if (tier.rows().find(rowKey) != HotRows.NONE) {
        return tier;
      }
    }
    return null;
  }

  /**
   * Puts a row of a set, or the count of an id without a row, into the buffer of rows to be written
   * to the store.
   */
  public void put(int table, RowSet set, int position) {
    StoredRow head =
        new StoredRow(
            table,
            set.kind(position),
            set.key(position),
            set.occurrences(position),
            set.lastUseSeconds(position),
            set.steps(position));
    cold.put(
        plan.tables().get(table).rowKey(set.key(position)),
        head.encode(set.values(), set.at(position), set.layout().stride()));
  }

  /** Returns the number of hot rows. */
  public long hotRows() {
    return all.stream().mapToLong(tier -> tier.rows().size()).sum();
  }

  /** Returns the bytes of DRAM that hot rows, prefetched rows and rows to be written take. */
  public long bytes() {
    return cold.bytesAhead() + cold.bytesToWrite() + all.stream().mapToLong(Tier::bytes).sum();
  }
}
