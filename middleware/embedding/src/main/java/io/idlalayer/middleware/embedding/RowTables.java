package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one learner: hot rows in DRAM, all others in a {@link RowStore}. What a training
 * needs is gathered into copies and committed as a whole when it is accepted, so no row is ever
 * half updated and a training that fails leaves nothing behind.
 *
 * <p>Committed rows that stay in DRAM are newer than the store. They are in its log until they are
 * written to it, a few at a time ({@link #maintain}); so each checkpoint of the store holds every
 * row of one instant. Belongs to one thread.
 */
public final class RowTables {
  private static final StateFormat FORMAT = StateFormat.first("embedding tables");

  /** Rows that are written, or looked at, in one call of {@link #maintain}. */
  private static final int ROWS_AT_ONCE = 2_000;

  /** The log is folded into the store when it is larger, so that a restore reads no more. */
  private static final long MOST_LOG_BYTES = 64L << 20;

  private static final long SECONDS_BETWEEN_SWEEPS = 600;
  private static final float[] NO_FLOATS = {};

  /** One of so many bytes of DRAM is for rows that are read ahead. */
  private static final int AHEAD_SHARE = 8;

  /** DRAM for what rows were before they changed, while that is remembered. */
  public static final long MOST_HISTORY_BYTES = 64L << 20;

  /** Deleted rows that no version has told yet, about; no more are deleted before one has. */
  private static final int MOST_REMOVED = 50_000;

  private final EmbeddingPlan plan;
  private final RowRule rule;
  private final RowSettings settings;
  private final RowStore store;
  private final BufferedRows buffer;
  private final long hotBytes;
  private final long mostLogBytes;
  private final List<Tier> tiers;
  private final Tier[] tierOfTable;
  private final TableSizes sizes;
  private final RowHistory history;

  /** Counts of ids that have neither row nor count; null if each of them gets a count at once. */
  private final @Nullable OccurrenceFilter filter;

  /** Numbers and bytes of the log's entries. */
  private final ArrayDeque<long[]> entries = new ArrayDeque<>();

  private long nextEntry = 1;
  private long logBytes;
  private @Nullable Fold fold;
  private @Nullable Sweep sweep;
  private long nextSweepSeconds = Long.MIN_VALUE;

  /** The rows that were gathered last for a training, until it is committed. */
  private @Nullable RowBatch inTraining;

  /** Of these, what was deleted since. */
  private final Set<Long> deletedMeanwhile = new HashSet<>();

  /** Since the last training was committed. */
  private final List<Removed> removed = new ArrayList<>();

  private long hits;
  private long misses;
  private long admitted;
  private long refused;
  private long outOfRange;
  private final Map<Expiry.Reason, Long> expired = new EnumMap<>(Expiry.Reason.class);
  private long unknownReads;

  /** Hot rows with the policy that chooses them. */
  private record Tier(HotRows rows, RowPolicy policy) {}

  /** Writes all rows that were newer than the store when it began. */
  private static final class Fold {
    final long upTo;
    int tier;
    int slot;

    Fold(long upTo) {
      this.upTo = upTo;
    }
  }

  /** Looks through the store for what goes. */
  private static final class Sweep {
    final Iterator<Map.Entry<Long, byte[]>> rows;

    /** Whether the counts of ids without a row are halved. */
    final boolean agesCounts;

    /** Of the rows of each table, those that are too many. */
    final double[] excessShares;

    /** Rows of each table that should have gone by now for being too many. */
    final double[] excess;

    /** Of the filter, the first that was not looked at. */
    int block;

    Sweep(Iterator<Map.Entry<Long, byte[]>> rows, TableSizes sizes) {
      this.rows = rows;
      agesCounts = sizes.countsAreFull();
      excess = new double[sizes.rows().length];
      excessShares = new double[excess.length];
      Arrays.setAll(excessShares, sizes::excessShare);
    }

    /**
     * Of some rows those that are too many: of each table the ones that were used longest ago. Rows
     * are in the order of hashes, so those of one step are a sample of all.
     */
    List<Seen> tooMany(List<Seen> looked) {
      List<Seen> oldestFirst = new ArrayList<>(looked);
      oldestFirst.sort(
          Comparator.comparingLong(Seen::lastUseSeconds).thenComparingLong(Seen::rowKey));
      for (Seen each : looked) {
        excess[each.head().table()] += excessShares[each.head().table()];
      }
      List<Seen> chosen = new ArrayList<>();
      for (Seen each : oldestFirst) {
        if (excess[each.head().table()] > 0) {
          excess[each.head().table()]--;
          chosen.add(each);
        }
      }
      return chosen;
    }
  }

  /**
   * Tables without rows, until {@link #restore}.
   *
   * @param store where the rows of this learner are
   */
  public RowTables(EmbeddingPlan plan, RowRule rule, RowSettings settings, RowStore store) {
    this(plan, rule, settings, store, MOST_LOG_BYTES, MOST_HISTORY_BYTES);
  }

  /**
   * @param mostLogBytes the log is folded into the store when it is larger
   * @param mostHistoryBytes what rows were is forgotten when it is more
   */
  RowTables(
      EmbeddingPlan plan,
      RowRule rule,
      RowSettings settings,
      RowStore store,
      long mostLogBytes,
      long mostHistoryBytes) {
    this.plan = plan;
    this.rule = rule;
    this.settings = settings;
    this.store = store;
    long aheadBytes = settings.fastBytes() / AHEAD_SHARE;
    buffer = new BufferedRows(store, aheadBytes);
    hotBytes = settings.fastBytes() - aheadBytes;
    this.mostLogBytes = mostLogBytes;
    history = new RowHistory(store.history(), mostHistoryBytes);
    sizes = new TableSizes(plan, settings);
    Admission admission = settings.admission();
    filter = admission.filters() ? new OccurrenceFilter(admission.bloom()) : null;
    tierOfTable = new Tier[plan.tables().size()];
    tiers = List.copyOf(tiers());
  }

  /** One for each layout; they share the bytes by the number and width of their tables. */
  private List<Tier> tiers() {
    Map<RowLayout, Long> shares = new LinkedHashMap<>();
    for (EmbeddingPlan.Table table : plan.tables()) {
      shares.merge(table.layout(), HotRows.rowBytes(table.layout()), Long::sum);
    }
    long all = shares.values().stream().mapToLong(Long::longValue).sum();
    Map<RowLayout, Tier> made = new LinkedHashMap<>();
    shares.forEach(
        (layout, share) -> {
          long bytes = (long) ((double) hotBytes * share / all);
          made.put(layout, new Tier(new HotRows(layout, bytes), RowPolicy.of(settings.policy())));
        });
    for (int i = 0; i < tierOfTable.length; i++) {
      Tier own = made.get(plan.tables().get(i).layout());
      if (own != null) {
        tierOfTable[i] = own;
      }
    }
    return List.copyOf(made.values());
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /**
   * Bytes of the store that a table of fixed size may take, as {@link RowUsage#slowBytes} counts
   * them: those of all its rows, and of the rows of missing and unknown ids. 0 of an open table.
   */
  public static long fixedBytes(EmbeddingPlan.Table table) {
    return TableSizes.fixedBytes(table);
  }

  // ---- gathered -------------------------------------------------------------------------------

  /** Copies of the rows that samples use, to predict them with. */
  public RowBatch gather(List<IdLists> samples) {
    RowBatch batch = RowBatch.toPredict(plan, rule, samples);
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = batch.rows(table);
      read(table, set, BufferedRows.Use.AHEAD);
      set.kind(set.place(IdLists.UNKNOWN), RowSet.Kind.ROW);
    }
    return batch;
  }

  /**
   * Copies of the rows that samples use, to train them; new ids get a row when they have come often
   * enough.
   *
   * @param replayed samples that trained before; their ids do not count as having come again
   * @throws OutOfMemoryError if the copies have no room; the tables are as they were
   */
  public RowBatch gatherToTrain(List<IdLists> fresh, List<IdLists> replayed) {
    inTraining = null;
    deletedMeanwhile.clear();
    RowBatch batch = RowBatch.toTrain(plan, rule, fresh, replayed);
    long bytesLeft = sizes.bytesLeft();
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = batch.rows(table);
      read(table, set, BufferedRows.Use.UPDATE);
      set.kind(set.place(IdLists.UNKNOWN), RowSet.Kind.ROW);
      bytesLeft = admit(table, set, bytesLeft);
    }
    buffer.nextUpdate();
    inTraining = batch;
    return batch;
  }

  /**
   * How often the ids of a sample came in training: for each feature the rarest of its ids, 0 if
   * one has no row.
   */
  public int[] occurrences(IdLists ids) {
    RowBatch batch = gather(List.of(ids));
    int[] least = new int[ids.features()];
    for (int f = 0; f < least.length; f++) {
      RowSet set = batch.rows(plan.features().get(f).table());
      least[f] = Integer.MAX_VALUE;
      for (int i = ids.from(f); i < ids.to(f); i++) {
        int position = set.place(ids.key(i));
        boolean row = set.kind(position) == RowSet.Kind.ROW && set.key(position) != IdLists.UNKNOWN;
        least[f] = Math.min(least[f], row ? set.occurrences(position) : 0);
      }
    }
    return least;
  }

  /**
   * @param use rows of samples that are predicted may stay in DRAM: they are needed again when the
   *     samples train
   */
  private void read(int table, RowSet set, BufferedRows.Use use) {
    EmbeddingPlan.Table of = plan.tables().get(table);
    Tier tier = tierOfTable[table];
    int size = set.size();
    long[] missing = new long[size];
    for (int position = 0; position < size; position++) {
      missing[position] = of.rowKey(set.key(position));
    }
    readHot(tier, missing, set);
    int[] positions = new int[size];
    int count = 0;
    for (int position = 0; position < size; position++) {
      if (set.slots()[position] == HotRows.NONE) {
        // To the front, where it was read already.
        missing[count] = missing[position];
        positions[count++] = position;
      }
    }
    hits += size - count;
    int asked = count;
    int[] found = {0};
    boolean keep = use == BufferedRows.Use.AHEAD;
    buffer.read(
        missing,
        asked,
        use,
        (i, row, fromStore) -> {
          found[0]++;
          StoredRow head = StoredRow.head(row, plan);
          take(head, row, fromStore, set, positions[i]);
          if (keep && head.kind() == RowSet.Kind.ROW) {
            keepRead(tier, missing[i], head, row);
          }
        });
    unknownReads += asked - found[0];
  }

  /** Copies the rows of a set that are in DRAM. */
  private static void readHot(Tier tier, long[] rowKeys, RowSet set) {
    HotRows rows = tier.rows();
    int[] slots = set.slots();
    for (int from = 0; from < slots.length; from += HotRows.AT_ONCE) {
      int to = Math.min(slots.length, from + HotRows.AT_ONCE);
      rows.find(rowKeys, from, to, slots);
      rows.copyTo(slots, from, to, set);
      tier.policy().used(rows, slots, from, to);
    }
  }

  private void take(StoredRow head, byte[] row, boolean fromStore, RowSet set, int position) {
    set.kind(position, head.kind());
    set.use(position, head.occurrences(), head.lastUseSeconds(), head.steps());
    if (head.kind() == RowSet.Kind.ROW) {
      StoredRow.floats(row, set.values(), set.at(position), set.layout().stride());
      misses += fromStore ? 1 : 0;
      hits += fromStore ? 0 : 1;
    }
  }

  private void keepRead(Tier tier, long rowKey, StoredRow head, byte[] row) {
    RowPolicy.Candidate candidate = new RowPolicy.Candidate(rowKey, head.occurrences(), true);
    if (room(tier, candidate)) {
      int slot = enter(tier, candidate, head.table(), head.key(), false);
      tier.rows().decode(slot, head, row);
    }
  }

  /** Makes room for a row, if the policy wants it. */
  private boolean room(Tier tier, RowPolicy.Candidate candidate) {
    HotRows rows = tier.rows();
    if (rows.capacity() == 0 || !tier.policy().takes(candidate)) {
      return false;
    }
    if (!rows.full()) {
      return true;
    }
    int victim = tier.policy().victim(rows, candidate);
    if (victim == HotRows.NONE) {
      return false;
    }
    if (rows.dirty(victim)) {
      buffer.put(rows.rowKey(victim), rows.encode(victim));
    }
    rows.remove(victim);
    return true;
  }

  /**
   * A row is hot from now on; there is room. Its numbers are to be written by the caller.
   *
   * @param newer whether they are newer than what the store has, or is to have
   * @return its slot
   */
  private int enter(Tier tier, RowPolicy.Candidate candidate, int table, long key, boolean newer) {
    buffer.hot(candidate.rowKey(), newer);
    int slot = tier.rows().add(candidate.rowKey(), table, key);
    tier.policy().entered(tier.rows(), slot, candidate);
    return slot;
  }

  /**
   * Begins the rows of ids that have none. An open table admits them, as far as there is room; a
   * table of fixed size has room for all.
   *
   * @return bytes of the store that are left then
   */
  private long admit(int table, RowSet set, long bytesLeft) {
    if (plan.tables().get(table).index().fixed()) {
      for (int position = 0; position < set.size(); position++) {
        if (set.kind(position) != RowSet.Kind.ROW && set.fresh(position) > 0) {
          begin(table, set, position);
        }
      }
      return bytesLeft;
    }
    long rowsLeft = sizes.rowsLeft(table);
    long left = bytesLeft;
    for (int position = 0; position < set.size(); position++) {
      int fresh = set.fresh(position);
      if (set.kind(position) == RowSet.Kind.ROW || fresh == 0) {
        continue;
      }
      int before = occurrences(table, set, position);
      if ((long) before + fresh >= settings.admission().after()) {
        long bytes = sizes.bytesOfRow(table, set.kind(position) == RowSet.Kind.COUNTED);
        if (rowsLeft > 0 && bytes <= left) {
          rowsLeft--;
          left -= bytes;
          set.use(position, before, 0, 0);
          begin(table, set, position);
        } else {
          refused++;
        }
      }
    }
    return left;
  }

  /** How often an id without a row came, before the samples that train. */
  private int occurrences(int table, RowSet set, int position) {
    OccurrenceFilter counts = filter;
    return counts == null || set.kind(position) == RowSet.Kind.COUNTED
        ? set.occurrences(position)
        : counts.count(plan.tables().get(table).rowKey(set.key(position)));
  }

  /** The row that an id begins with: the same whenever and wherever it begins. */
  private void begin(int table, RowSet set, int position) {
    EmbeddingPlan.Table of = plan.tables().get(table);
    long bits = rule.seed() ^ of.rowKey(set.key(position));
    float[] values = set.values();
    int at = set.at(position);
    Arrays.fill(values, at, at + of.layout().stride(), 0);
    for (int i = 0; i < of.vector(); i++) {
      bits += BitMixer.GOLDEN_RATIO;
      double unit = (BitMixer.splitMix(bits) >>> 11) * 0x1p-53;
      values[at + i] = (float) ((2 * unit - 1) * rule.initialScale());
    }
    set.begin(position);
  }

  // ---- committed ------------------------------------------------------------------------------

  /**
   * Takes the rows of an accepted training over. What is to be in the store of them is there after
   * the next {@link #write}.
   *
   * @param nowSeconds time of their use, since 1970
   */
  public void commit(RowBatch trained, long nowSeconds) {
    rememberBefore(trained);
    LogEntry entry = new LogEntry();
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = trained.rows(table);
      outOfRange += set.fresh(set.place(IdLists.UNKNOWN));
      for (int position = 0; position < set.size(); position++) {
        set.used(position, (int) nowSeconds);
        switch (set.kind(position)) {
          case NEW -> {}
          case COUNTED -> {
            if (wasDeleted(table, set, position)) {
              sizes.addCounts(table, 1);
            }
            put(table, set, position);
          }
          case ROW -> commitRow(table, set, position, entry);
        }
      }
    }
    // Last, because rows were promised their room.
    for (int table = 0; table < plan.tables().size(); table++) {
      count(table, trained.rows(table), nowSeconds);
    }
    writeFilter();
    append(entry);
    inTraining = null;
    deletedMeanwhile.clear();
  }

  /**
   * Writes what {@link #commit} and reads have left to be written to the store. Called before each
   * checkpoint of the store, which would lack these rows otherwise; best when nobody waits.
   */
  public void write() {
    buffer.write();
  }

  /** What rows are before a training changes them, if that may be needed again. */
  private void rememberBefore(RowBatch trained) {
    if (!history.active()) {
      return;
    }
    Map<Long, byte[]> before = new HashMap<>();
    long bytes = 0;
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = trained.rows(table);
      bytes += rowsBefore(table, set, before);
      if (history.exceededBy(before.size(), bytes)) {
        history.forgetAll();
        return;
      }
    }
    history.changed(before);
  }

  /**
   * What the rows of a table are before a training changes them.
   *
   * @return their bytes
   */
  private long rowsBefore(int table, RowSet set, Map<Long, byte[]> into) {
    HotRows rows = tierOfTable[table].rows();
    long rowBytes = HotRows.rowBytes(plan.tables().get(table).layout());
    long[] cold = new long[set.size()];
    int count = 0;
    long[] bytes = {0};
    for (int position = 0; position < set.size(); position++) {
      long rowKey = plan.tables().get(table).rowKey(set.key(position));
      if (!set.changed(position) || !history.wants(rowKey)) {
        continue;
      }
      int slot = rows.find(rowKey);
      if (slot != HotRows.NONE) {
        into.put(rowKey, rows.encode(slot));
        bytes[0] += rowBytes;
      } else {
        into.put(rowKey, RowHistory.NO_ROW);
        boolean nothing =
            set.begun(position) && !set.counted(position) && !wasDeleted(table, set, position);
        if (!nothing) {
          cold[count++] = rowKey;
        }
      }
      if (history.exceededBy(into.size(), bytes[0] + count * rowBytes)) {
        return bytes[0] + count * rowBytes;
      }
    }
    buffer.read(
        cold,
        count,
        BufferedRows.Use.LOOK,
        (i, row, fromStore) -> {
          into.put(cold[i], row);
          bytes[0] += row.length;
        });
    return bytes[0];
  }

  /** Whether what a training began with was deleted while it ran. */
  private boolean wasDeleted(int table, RowSet set, int position) {
    return !deletedMeanwhile.isEmpty()
        && deletedMeanwhile.contains(plan.tables().get(table).rowKey(set.key(position)));
  }

  /** Remembers how often ids without a row came, if that matters. */
  private void count(int table, RowSet set, long nowSeconds) {
    if (settings.admission().after() == 1) {
      return;
    }
    for (int position = 0; position < set.size(); position++) {
      boolean comes = set.kind(position) == RowSet.Kind.NEW && set.fresh(position) > 0;
      // If there is no room, the next sweep makes some.
      if (comes && passes(table, set, position, nowSeconds) && sizes.counts(table)) {
        sizes.addCounts(table, 1);
        set.kind(position, RowSet.Kind.COUNTED);
        put(table, set, position);
      }
    }
  }

  /** Whether an id gets a count of its own; if not, the filter counts it. */
  private boolean passes(int table, RowSet set, int position, long nowSeconds) {
    OccurrenceFilter counts = filter;
    if (counts == null) {
      return true;
    }
    long rowKey = plan.tables().get(table).rowKey(set.key(position));
    int count = counts.add(rowKey, set.fresh(position), nowSeconds);
    set.use(position, count, (int) nowSeconds, 0);
    return settings.admission().counter() == Admission.Counter.BOTH && count > 1;
  }

  private void writeFilter() {
    OccurrenceFilter counts = filter;
    if (counts != null) {
      counts.write(store);
    }
  }

  private void put(int table, RowSet set, int position) {
    StoredRow head =
        new StoredRow(
            table,
            set.kind(position),
            set.key(position),
            set.occurrences(position),
            set.lastUseSeconds(position),
            set.steps(position));
    buffer.put(
        plan.tables().get(table).rowKey(set.key(position)),
        head.encode(set.values(), set.at(position), set.layout().stride()));
  }

  private void commitRow(int table, RowSet set, int position, LogEntry entry) {
    if (!set.changed(position)) {
      // The row of unknown ids, when nobody has used it.
      return;
    }
    boolean deleted = wasDeleted(table, set, position);
    if (set.begun(position)) {
      sizes.addRows(table, 1);
      admitted++;
      if (set.counted(position) && !deleted) {
        sizes.addCounts(table, -1);
      }
    } else if (deleted) {
      sizes.addRows(table, 1);
    }
    Tier tier = tierOfTable[table];
    HotRows rows = tier.rows();
    long rowKey = plan.tables().get(table).rowKey(set.key(position));
    int slot = rows.find(rowKey, set, position);
    if (slot == HotRows.NONE) {
      RowPolicy.Candidate candidate =
          new RowPolicy.Candidate(rowKey, set.occurrences(position), false);
      if (!room(tier, candidate)) {
        put(table, set, position);
        if (!entries.isEmpty()) {
          entry.inStore(rowKey);
        }
        return;
      }
      slot = enter(tier, candidate, table, set.key(position), true);
    }
    rows.copyFrom(slot, set, position);
    rows.dirty(slot, true);
    entry.row(rowKey, rows.encode(slot));
  }

  private void append(LogEntry entry) {
    if (!entry.empty()) {
      byte[] bytes = entry.bytes();
      store.changes().append(nextEntry, bytes);
      logged(nextEntry, bytes.length);
    }
  }

  private void logged(long number, long bytes) {
    entries.add(new long[] {number, bytes});
    logBytes += bytes;
    nextEntry = number + 1;
  }

  // ---- maintained -----------------------------------------------------------------------------

  /**
   * Goes on with work that is not urgent, a little: writes rows to the store that are newer in
   * DRAM, and deletes rows that nobody uses.
   *
   * @return whether there is a new {@link #snapshot}
   */
  public boolean maintain(long nowSeconds) {
    if (fold == null && logBytes > mostLogBytes) {
      fold = new Fold(nextEntry - 1);
    }
    if (fold == null && sweep == null && sweepIsDue(nowSeconds)) {
      beginSweep(nowSeconds);
    }
    if (fold != null) {
      fold(fold);
      if (fold == null && sweep == null && sweepIsDue(nowSeconds)) {
        beginSweep(nowSeconds);
      }
      return false;
    }
    return sweep != null && removed.size() < MOST_REMOVED && sweep(sweep, nowSeconds);
  }

  /** Whether {@link #maintain} has something to do soon. */
  public boolean busy() {
    boolean sweeps = sweep != null && removed.size() < MOST_REMOVED;
    return fold != null || sweeps || logBytes > mostLogBytes;
  }

  private void fold(Fold running) {
    step(running);
    if (running.tier == tiers.size()) {
      forget(running.upTo);
      fold = null;
    }
  }

  private void step(Fold running) {
    int looked = 0;
    while (running.tier < tiers.size() && looked < ROWS_AT_ONCE) {
      HotRows rows = tiers.get(running.tier).rows();
      for (; running.slot < rows.slots() && looked < ROWS_AT_ONCE; running.slot++) {
        if (rows.used(running.slot) && rows.dirty(running.slot)) {
          buffer.put(rows.rowKey(running.slot), rows.encode(running.slot));
          rows.dirty(running.slot, false);
          looked++;
        }
      }
      if (running.slot >= rows.slots()) {
        running.tier++;
        running.slot = 0;
      }
    }
    buffer.write();
  }

  /** Writes all rows to the store that are newer in DRAM, which may take long. */
  public void flush() {
    Fold all = new Fold(nextEntry - 1);
    fold = all;
    while (fold == all) {
      fold(all);
    }
  }

  private void forget(long upTo) {
    long from = upTo;
    while (!entries.isEmpty() && entries.element()[0] <= upTo) {
      long[] entry = entries.remove();
      from = Math.min(from, entry[0]);
      logBytes -= entry[1];
    }
    store.changes().forget(from, upTo);
  }

  /** Whether it is time to look through the store; also after the clock was set back. */
  private boolean sweepIsDue(long nowSeconds) {
    boolean wanted = settings.expiry().deletes() || sizes.countsAreFull() || sizes.anyExcess();
    return wanted
        && (nowSeconds >= nextSweepSeconds
            || nextSweepSeconds - nowSeconds > SECONDS_BETWEEN_SWEEPS);
  }

  /** Begins when all rows are in the store: those that are only in DRAM would not be seen. */
  private void beginSweep(long nowSeconds) {
    if (!entries.isEmpty()) {
      fold = new Fold(nextEntry - 1);
      return;
    }
    nextSweepSeconds = nowSeconds + SECONDS_BETWEEN_SWEEPS;
    buffer.write();
    sweep = new Sweep(store.rows(), sizes);
  }

  private boolean sweep(Sweep running, long nowSeconds) {
    long[] suspects = new long[ROWS_AT_ONCE];
    int count = 0;
    int looked = 0;
    List<Seen> others = new ArrayList<>();
    while (looked < ROWS_AT_ONCE && running.rows.hasNext()) {
      looked++;
      Map.Entry<Long, byte[]> each = running.rows.next();
      Seen seen = see(each.getKey(), each.getValue());
      boolean ages = running.agesCounts && seen.kind() == RowSet.Kind.COUNTED;
      if (ages || seen.usedAfter(nowSeconds) || reason(seen, nowSeconds) != null) {
        suspects[count++] = each.getKey();
      } else if (seen.isOfAnId() && running.excessShares[seen.head().table()] > 0) {
        others.add(seen);
      }
    }
    Map<Long, Long> tooMany = new HashMap<>();
    for (Seen each : running.tooMany(others)) {
      suspects[count++] = each.rowKey();
      tooMany.put(each.rowKey(), each.lastUseSeconds());
    }
    if (!running.rows.hasNext() && ageFilter(running, nowSeconds)) {
      sweep = null;
    }
    // The iterator may have read rows before they changed.
    LogEntry entry = new LogEntry();
    List<Long> old = new ArrayList<>();
    Map<Long, byte[]> before = new HashMap<>();
    buffer.read(
        suspects,
        count,
        BufferedRows.Use.LOOK,
        (i, row, fromStore) -> {
          Seen seen = see(suspects[i], row);
          Expiry.Reason reason = reason(seen, nowSeconds);
          Long chosen = tooMany.get(seen.rowKey());
          boolean unchanged = chosen != null && chosen == seen.lastUseSeconds();
          if (reason == null && unchanged && sizes.excess(seen.head().table())) {
            reason = Expiry.Reason.EXCESS;
          }
          if (reason != null) {
            if (seen.kind() == RowSet.Kind.ROW && history.wants(seen.rowKey())) {
              before.put(seen.rowKey(), bytesOf(seen, row));
            }
            delete(seen);
            if (seen.kind() == RowSet.Kind.ROW) {
              expired.merge(reason, 1L, Long::sum);
            }
            entry.inStore(seen.rowKey());
            old.add(seen.rowKey());
          } else if (seen.usedAfter(nowSeconds)) {
            usedNow(seen, row, nowSeconds, entry);
          } else if (running.agesCounts && seen.kind() == RowSet.Kind.COUNTED) {
            age(seen, old);
          }
        });
    history.changed(before);
    buffer.remove(old.stream().mapToLong(Long::longValue).toArray(), old.size());
    buffer.write();
    append(entry);
    return !old.isEmpty();
  }

  /**
   * Goes on with the ageing of the filter, whose counts are halved as often as rows expire.
   *
   * @return whether it is done
   */
  private boolean ageFilter(Sweep running, long nowSeconds) {
    OccurrenceFilter counts = filter;
    double ageSeconds = settings.expiry().unusedSeconds();
    if (counts == null || ageSeconds == 0) {
      return true;
    }
    int to = Math.min(counts.blocks(), running.block + ROWS_AT_ONCE);
    counts.age(running.block, to, ageSeconds, nowSeconds);
    running.block = to;
    counts.write(store);
    return to == counts.blocks();
  }

  /**
   * A row or a count as it is now, whatever the store has of it.
   *
   * @param slot of a row that is hot, else {@link HotRows#NONE}
   * @param norm of its weights; 0 of a count
   */
  private record Seen(
      long rowKey,
      StoredRow head,
      int slot,
      RowSet.Kind kind,
      int occurrences,
      long lastUseSeconds,
      DoubleSupplier norm) {
    /** Whether it is a row, and not that of unknown ids. */
    boolean isOfAnId() {
      return kind == RowSet.Kind.ROW && head.key() != IdLists.UNKNOWN;
    }

    /** Whether the clock was set back since: by more than a training may take to be accepted. */
    boolean usedAfter(long nowSeconds) {
      return lastUseSeconds - nowSeconds > SECONDS_BETWEEN_SWEEPS;
    }
  }

  private Seen see(long rowKey, byte[] row) {
    StoredRow head = StoredRow.head(row, plan);
    int weights = plan.tables().get(head.table()).layout().weights();
    HotRows rows = tierOfTable[head.table()].rows();
    int slot = rows.find(rowKey);
    // A row that is hot may have been no more than a count when it was stored.
    return slot == HotRows.NONE
        ? new Seen(
            rowKey,
            head,
            slot,
            head.kind(),
            head.occurrences(),
            Integer.toUnsignedLong(head.lastUseSeconds()),
            () -> StoredRow.norm(row, head.kind() == RowSet.Kind.ROW ? weights : 0))
        : new Seen(
            rowKey,
            head,
            slot,
            RowSet.Kind.ROW,
            rows.occurrences(slot),
            Integer.toUnsignedLong(rows.lastUseSeconds(slot)),
            () -> rows.norm(slot, weights));
  }

  /**
   * @param stored what the store has of it
   */
  private byte[] bytesOf(Seen seen, byte[] stored) {
    return seen.slot() == HotRows.NONE
        ? stored
        : tierOfTable[seen.head().table()].rows().encode(seen.slot());
  }

  /** Why a row or a count is deleted; null if it stays. */
  private Expiry.@Nullable Reason reason(Seen seen, long nowSeconds) {
    long idleSeconds = nowSeconds - seen.lastUseSeconds();
    Expiry expiry = settings.expiry();
    boolean stays = plan.tables().get(seen.head().table()).index().fixed();
    if (stays || seen.head().key() == IdLists.UNKNOWN) {
      return null;
    }
    if (seen.kind() == RowSet.Kind.COUNTED) {
      return expiry.forgets(idleSeconds) ? Expiry.Reason.UNUSED : null;
    }
    return expiry.reason(idleSeconds, seen.occurrences(), seen.norm());
  }

  /**
   * The clock was ahead when the row was used: counted from then, it would stay for as long as the
   * clock was wrong.
   */
  private void usedNow(Seen seen, byte[] row, long nowSeconds, LogEntry entry) {
    if (seen.slot() == HotRows.NONE) {
      byte[] later = row.clone();
      StoredRow.lastUse(later, (int) nowSeconds);
      buffer.put(seen.rowKey(), later);
      entry.inStore(seen.rowKey());
    } else {
      HotRows rows = tierOfTable[seen.head().table()].rows();
      rows.lastUse(seen.slot(), (int) nowSeconds);
      rows.dirty(seen.slot(), true);
      entry.row(seen.rowKey(), rows.encode(seen.slot()));
    }
  }

  /** Halves a count, so that ids that came once or twice long ago make room for others. */
  private void age(Seen seen, List<Long> old) {
    StoredRow head = seen.head();
    int left = head.occurrences() / 2;
    if (left == 0) {
      delete(seen);
      old.add(seen.rowKey());
    } else {
      StoredRow less =
          new StoredRow(
              head.table(), head.kind(), head.key(), left, head.lastUseSeconds(), head.steps());
      buffer.put(seen.rowKey(), less.encode(NO_FLOATS, 0, 0));
    }
  }

  private void delete(Seen seen) {
    StoredRow head = seen.head();
    if (seen.slot() != HotRows.NONE) {
      tierOfTable[head.table()].rows().remove(seen.slot());
    }
    if (seen.kind() == RowSet.Kind.ROW) {
      sizes.addRows(head.table(), -1);
      removed.add(new Removed(head.table(), head.key()));
    } else {
      sizes.addCounts(head.table(), -1);
    }
    RowBatch trains = inTraining;
    if (trains != null && trains.rows(head.table()).holds(head.key())) {
      deletedMeanwhile.add(seen.rowKey());
    }
  }

  /** A row that was deleted. */
  public record Removed(int table, long key) {}

  /** The rows that were deleted since the last call. */
  public List<Removed> takeRemoved() {
    List<Removed> all = List.copyOf(removed);
    removed.clear();
    return all;
  }

  // ---- remembered -----------------------------------------------------------------------------

  /**
   * The rows are now what they are right after an update: from now on it is known what they were
   * then, until {@link #rememberOnly} or {@link #goBack} says otherwise, or too many have changed.
   * Does nothing if rows were deleted since, before anything was remembered.
   */
  public void remember(long update) {
    if (history.active() || removed.isEmpty()) {
      history.begin(update);
    }
  }

  /** Forgets what rows were after all other updates but the last that is remembered. */
  public void rememberOnly(Set<Long> updates) {
    history.keepOnly(updates);
  }

  /** Forgets what rows were. */
  public void rememberNothing() {
    history.forgetAll();
  }

  /** Whether it is known what the rows were right after an update. */
  public boolean remembers(long update) {
    return history.knows(update);
  }

  /**
   * The rows as they are now become a version of the last remembered update, all of them: rows that
   * were deleted since count as deleted before it.
   */
  public void rememberAnew() {
    history.beginAnew();
  }

  /**
   * A remembered update was published.
   *
   * @param version its name among those of all learners, that of another lineage included
   */
  public void published(long update, String version) {
    history.published(update, version);
  }

  /** Whether it is known what the rows were right after an update, and it became a version. */
  public boolean remembers(long update, String version) {
    return history.knows(update, version);
  }

  /**
   * Copies of rows as they were right after an update.
   *
   * @param update that is {@linkplain #remembers remembered}
   * @param gathered the rows as they are now, to predict with
   */
  public RowBatch asOf(long update, RowBatch gathered) {
    requireRemembered(update);
    RowBatch then = gathered.copy();
    for (int table = 0; table < plan.tables().size(); table++) {
      EmbeddingPlan.Table of = plan.tables().get(table);
      RowSet set = then.rows(table);
      for (int position = 0; position < set.size(); position++) {
        byte[] row = history.row(update, of.rowKey(set.key(position)));
        if (row != null) {
          asItWas(row, set, position);
        }
      }
    }
    return then;
  }

  private void asItWas(byte[] row, RowSet set, int position) {
    boolean was = row.length > 0 && StoredRow.head(row, plan).kind() == RowSet.Kind.ROW;
    int at = set.at(position);
    int floats = set.layout().stride();
    if (was) {
      StoredRow.floats(row, set.values(), at, floats);
    } else {
      Arrays.fill(set.values(), at, at + floats, 0);
    }
    // That of unknown ids is always there.
    boolean isRow = was || set.key(position) == IdLists.UNKNOWN;
    set.kind(position, isRow ? RowSet.Kind.ROW : RowSet.Kind.NEW);
  }

  /**
   * Makes all rows what they were right after an update, with their updater's state. How often ids
   * without a row came stays. What trains now must not be committed.
   *
   * @param update that is {@linkplain #remembers remembered}
   */
  public void goBack(long update) {
    requireRemembered(update);
    inTraining = null;
    deletedMeanwhile.clear();
    Map<Long, byte[]> rows = history.since(update);
    Map<Long, StoredRow> stored = storedHeads(rows);
    LogEntry entry = new LogEntry();
    List<Long> gone = new ArrayList<>();
    rows.forEach((rowKey, row) -> putBack(rowKey, row, stored.get(rowKey), entry, gone));
    removed.removeIf(each -> rows.containsKey(rowKey(each)));
    buffer.remove(gone.stream().mapToLong(Long::longValue).toArray(), gone.size());
    buffer.write();
    append(entry);
    history.wentBack(update);
  }

  private void requireRemembered(long update) {
    if (!history.knows(update)) {
      throw new IllegalStateException("it is not known what rows were after update " + update);
    }
  }

  private long rowKey(Removed row) {
    return plan.tables().get(row.table()).rowKey(row.key());
  }

  /** What the store has of rows that are not hot. */
  private Map<Long, StoredRow> storedHeads(Map<Long, byte[]> rows) {
    long[] keys =
        rows.keySet().stream()
            .mapToLong(Long::longValue)
            .filter(rowKey -> tiers.stream().allMatch(it -> it.rows().find(rowKey) == HotRows.NONE))
            .toArray();
    Map<Long, StoredRow> heads = new HashMap<>();
    buffer.read(
        keys,
        keys.length,
        BufferedRows.Use.LOOK,
        (i, row, fromStore) -> heads.put(keys[i], StoredRow.head(row, plan)));
    return heads;
  }

  private void putBack(
      long rowKey, byte[] row, @Nullable StoredRow stored, LogEntry entry, List<Long> gone) {
    StoredRow before = row.length == 0 ? null : StoredRow.head(row, plan);
    Tier hotIn = null;
    int slot = HotRows.NONE;
    for (Tier tier : tiers) {
      int found = tier.rows().find(rowKey);
      if (found != HotRows.NONE) {
        hotIn = tier;
        slot = found;
      }
    }
    count(hotIn == null ? stored : hotIn.rows().head(slot), -1);
    count(before, 1);
    if (hotIn != null && before != null && before.kind() == RowSet.Kind.ROW) {
      hotIn.rows().decode(slot, before, row);
      hotIn.rows().dirty(slot, true);
      entry.row(rowKey, row);
      return;
    }
    if (hotIn != null) {
      hotIn.rows().remove(slot);
    }
    if (before == null) {
      gone.add(rowKey);
    } else {
      buffer.put(rowKey, row);
    }
    entry.inStore(rowKey);
  }

  /**
   * @param more rows or counts like this, unless it is the row of unknown ids; null for none
   */
  private void count(@Nullable StoredRow like, int more) {
    if (like == null || like.key() == IdLists.UNKNOWN) {
      return;
    }
    switch (like.kind()) {
      case NEW -> {}
      case COUNTED -> sizes.addCounts(like.table(), more);
      case ROW -> sizes.addRows(like.table(), more);
    }
  }

  /** Changes to no row at all. */
  public byte[] noChanges() {
    return RowFile.delta(RowBatch.toTrain(plan, rule, List.of(), List.of()), List.of());
  }

  // ---- published ------------------------------------------------------------------------------

  /**
   * Writes all rows as a full {@link RowFile}: first those that are newer in DRAM go to the store,
   * then the store is scanned once. No table is in memory at any time.
   *
   * @param directory for one temporary file for each table, which are deleted again; it exists
   * @param to the file, which is new
   * @return number of rows
   * @throws IOException if the medium fails; nothing of the files is left then
   * @throws RowStoreException if the store fails, or is not in its order
   */
  public long writeAll(Path directory, Path to) throws IOException {
    flush();
    return new FullRows(plan, store).write(directory, to);
  }

  // ---- state ----------------------------------------------------------------------------------

  /** What is not in the store. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLongs(1, sizes.rows())
        .putLongs(2, sizes.counts())
        .putLongs(3, removed.stream().mapToLong(Removed::table).toArray())
        .putLongs(4, removed.stream().mapToLong(Removed::key).toArray())
        .putLongs(5, shapeOfFilter())
        .putLongs(6, history.updates())
        .putTexts(7, history.versions())
        .putLongs(8, history.entryNumbers())
        .putLongs(9, history.entryUpdates())
        .bytes();
  }

  /**
   * Takes a snapshot back, and what the store's log says.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is none
   * @throws RowStoreException if the log is damaged
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    long[] rows = in.getLongs(1);
    long[] counted = in.getLongs(2);
    int known = plan.tables().size();
    if (rows.length != known || counted.length != known) {
      throw in.refused("it is of %d tables instead of %d".formatted(rows.length, known));
    }
    sizes.restore(rows, counted);
    long[] tables = in.getLongs(3);
    long[] keys = in.getLongs(4);
    for (int i = 0; i < keys.length; i++) {
      removed.add(new Removed((int) tables[i], keys[i]));
    }
    restoreFilter(in.getLongs(5));
    history.restore(in.getLongs(6), in.getTexts(7), in.getLongs(8), in.getLongs(9));
    Deque<byte[]> latestFirst = new ArrayDeque<>();
    for (Map.Entry<Long, byte[]> each : store.changes().entries()) {
      latestFirst.push(each.getValue());
      logged(each.getKey(), each.getValue().length);
    }
    Set<Long> told = new HashSet<>();
    latestFirst.forEach(entry -> replay(entry, told));
  }

  private long[] shapeOfFilter() {
    OccurrenceFilter counts = filter;
    return counts == null ? new long[0] : counts.shape();
  }

  /** Counts of a filter of another size cannot be read: it begins empty. */
  private void restoreFilter(long[] shape) {
    OccurrenceFilter counts = filter;
    if (counts != null && Arrays.equals(shape, counts.shape())) {
      counts.read(store.filter());
    } else if (shape.length > 0) {
      store.clearFilter();
    }
  }

  /**
   * @param known rows of which later entries say something
   */
  private void replay(byte[] entry, Set<Long> known) {
    LogEntry.read(
        entry,
        new LogEntry.Reader() {
          @Override
          public void row(long rowKey, byte[] row) {
            if (known.add(rowKey)) {
              replay(rowKey, row);
            }
          }

          @Override
          public void inStore(long rowKey) {
            known.add(rowKey);
          }
        });
    buffer.write();
  }

  private void replay(long rowKey, byte[] row) {
    StoredRow head = StoredRow.head(row, plan);
    Tier tier = tierOfTable[head.table()];
    RowPolicy.Candidate candidate = new RowPolicy.Candidate(rowKey, head.occurrences(), false);
    if (!room(tier, candidate)) {
      buffer.put(rowKey, row);
      return;
    }
    int slot = enter(tier, candidate, head.table(), head.key(), true);
    tier.rows().decode(slot, head, row);
    tier.rows().dirty(slot, true);
  }

  /** What there is and was done. */
  public RowUsage usage() {
    OccurrenceFilter counts = filter;
    return new RowUsage(
        sizes.allRows(),
        tiers.stream().mapToLong(tier -> tier.rows().size()).sum(),
        buffer.bytesAhead()
            + buffer.bytesToWrite()
            + tiers.stream().mapToLong(tier -> tier.rows().bytes() + tier.policy().bytes()).sum(),
        sizes.bytes(),
        sizes.allCounts(),
        counts == null ? 0 : counts.bytes(),
        hits,
        misses,
        admitted,
        refused,
        outOfRange,
        new RowUsage.Expired(
            expired.getOrDefault(Expiry.Reason.UNUSED, 0L),
            expired.getOrDefault(Expiry.Reason.RARE, 0L),
            expired.getOrDefault(Expiry.Reason.SMALL, 0L),
            expired.getOrDefault(Expiry.Reason.EXCESS, 0L)),
        buffer.written(),
        unknownReads);
  }
}
