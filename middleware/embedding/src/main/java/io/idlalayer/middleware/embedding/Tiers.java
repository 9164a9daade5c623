package io.idlalayer.middleware.embedding;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of a learner are: the hot ones in DRAM, in one tier for each layout, and all
 * others in the store, behind {@link BufferedRows}. One thread.
 */
final class Tiers {
  /** One of so many bytes of DRAM is for rows that are read ahead, if rows may be hot. */
  private static final int AHEAD_SHARE = 8;

  private final EmbeddingPlan plan;
  private final BufferedRows cold;
  private final List<Tier> all;
  private final Tier[] ofTable;

  /**
   * @param mostBytesToWrite of DRAM for rows that are to be written, but for one of them
   */
  Tiers(EmbeddingPlan plan, RowSettings settings, RowStore store, long mostBytesToWrite) {
    this.plan = plan;
    boolean noneIsHot = settings.policy() == RowPolicyName.SIMPLE;
    long aheadBytes =
        Math.min(
            noneIsHot ? settings.fastBytes() : settings.fastBytes() / AHEAD_SHARE,
            ReadAhead.MOST_BYTES);
    cold = new BufferedRows(store, aheadBytes, mostBytesToWrite);
    ofTable = new Tier[plan.tables().size()];
    all = tiers(settings.policy(), noneIsHot ? 0 : settings.fastBytes() - aheadBytes);
  }

  /** One for each layout; they share the bytes by the number and width of their tables. */
  private List<Tier> tiers(RowPolicyName policy, long hotBytes) {
    Map<RowLayout, Long> shares = new LinkedHashMap<>();
    for (EmbeddingPlan.Table table : plan.tables()) {
      shares.merge(table.layout(), HotRows.rowBytes(table.layout()), Long::sum);
    }
    long total = shares.values().stream().mapToLong(Long::longValue).sum();
    HotRows.IdKeys idKeys = (table, rowKey) -> plan.tables().get(table).key(rowKey);
    Map<RowLayout, Tier> made = new LinkedHashMap<>();
    shares.forEach(
        (layout, share) -> {
          long bytes = (long) ((double) hotBytes * share / total);
          made.put(
              layout, new Tier(new HotRows(layout, bytes, idKeys), RowPolicy.of(policy), cold));
        });
    for (int i = 0; i < ofTable.length; i++) {
      Tier own = made.get(plan.tables().get(i).layout());
      if (own != null) {
        ofTable[i] = own;
      }
    }
    return List.copyOf(made.values());
  }

  EmbeddingPlan plan() {
    return plan;
  }

  /** Rows that are not hot. */
  BufferedRows cold() {
    return cold;
  }

  /** The tier of a table. */
  Tier of(int table) {
    return ofTable[table];
  }

  List<Tier> all() {
    return all;
  }

  /** The tier in which a row is hot; null if it is not. */
  @Nullable Tier holding(long rowKey) {
    for (Tier tier : all) {
      if (tier.rows().find(rowKey) != HotRows.NONE) {
        return tier;
      }
    }
    return null;
  }

  /** A row of a set, or the count of an id without one, is to be written to the store. */
  void put(int table, RowSet set, int position) {
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

  /** Rows that are hot. */
  long hotRows() {
    return all.stream().mapToLong(tier -> tier.rows().size()).sum();
  }

  /** Bytes of DRAM that rows take, hot, read ahead, or to be written. */
  long bytes() {
    return cold.bytesAhead() + cold.bytesToWrite() + all.stream().mapToLong(Tier::bytes).sum();
  }
}
