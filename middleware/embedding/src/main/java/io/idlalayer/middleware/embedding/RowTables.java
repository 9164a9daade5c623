package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one learner: hot rows in DRAM, all others in a {@link RowStore}. What a training
 * needs is gathered into copies and committed as a whole when it is accepted, so no row is ever
 * half updated and a training that fails leaves nothing behind.
 *
 * <p>Committed rows that stay in DRAM are newer than the store. They are in its log until they are
 * written to it, a few at a time ({@link #maintain}); so each checkpoint of the store holds every
 * row of one instant. Belongs to one thread.
 *
 * <p>This class makes the parts and says which of them acts when: {@link RowReads} copies rows from
 * where {@link Tiers} has them, {@link NewIds} begins others, {@link RowCommit} takes trained ones
 * over, {@link DirtyRows} has the log of the store, {@link RowSweep} deletes, {@link Deletions}
 * says who must hear of it, {@link PastRows} knows what rows were, {@link TablesState} is the
 * snapshot.
 */
public final class RowTables {
  /** Rows that are written, or looked at, in one call of {@link #maintain}. */
  private static final int ROWS_AT_ONCE = 2_000;

  private final EmbeddingPlan plan;
  private final RowRule rule;
  private final RowStore store;
  private final RowLoops loops;
  private final Tiers tiers;
  private final TableSizes sizes;
  private final RowHistory history;

  /** Counts of ids that have neither row nor count; null if each of them gets a count at once. */
  private final @Nullable OccurrenceFilter filter;

  private final DirtyRows dirty;
  private final Deletions deletions;
  private final RowReads reads;
  private final NewIds newIds;
  private final RowCommit commits;
  private final RowSweep sweep;
  private final PastRows past;
  private final TablesState state;

  /**
   * Tables without rows, until {@link #restore}.
   *
   * @param store where the rows of this learner are
   */
  public RowTables(EmbeddingPlan plan, RowRule rule, RowSettings settings, RowStore store) {
    this(
        plan,
        rule,
        settings,
        store,
        RowMemory.mostLogBytes(settings),
        RowMemory.MOST_HISTORY_BYTES,
        ProcessLoops.LOOPS);
  }

  /**
   * @param mostLogBytes the log of rows that are newer in DRAM is never larger
   * @param mostHistoryBytes what rows were is forgotten when it is more
   */
  RowTables(
      EmbeddingPlan plan,
      RowRule rule,
      RowSettings settings,
      RowStore store,
      long mostLogBytes,
      long mostHistoryBytes,
      RowLoops loops) {
    this.plan = plan;
    this.rule = rule;
    this.store = store;
    this.loops = loops;
    Admission admission = settings.admission();
    filter = admission.filters() ? new OccurrenceFilter(admission.bloom()) : null;
    tiers = new Tiers(plan, settings, store, RowMemory.mostToWriteBytes(settings));
    sizes = new TableSizes(plan, settings);
    history = new RowHistory(store.history(), mostHistoryBytes);
    dirty = new DirtyRows(tiers, store.changes(), mostLogBytes);
    deletions = new Deletions(plan);
    reads = new RowReads(tiers);
    newIds = new NewIds(rule, admission, sizes, tiers, filter);
    commits = new RowCommit(tiers, sizes, newIds, dirty, deletions);
    sweep = new RowSweep(settings, store, tiers, sizes, filter, history, dirty, deletions);
    past = new PastRows(history, tiers, sizes, dirty, deletions);
    state = new TablesState(store, sizes, filter, history, deletions);
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

  /** Copies of the rows that samples use, to predict them with; they are going to train. */
  public RowBatch gather(List<IdLists> samples) {
    return read(samples, BufferedRows.Use.AHEAD);
  }

  /** Copies of the rows that samples use, to predict them with. This changes nothing. */
  public RowBatch look(List<IdLists> samples) {
    return read(samples, BufferedRows.Use.LOOK);
  }

  private RowBatch read(List<IdLists> samples, BufferedRows.Use use) {
    RowBatch batch = RowBatch.toPredict(plan, rule, samples, loops);
    for (int table = 0; table < plan.tables().size(); table++) {
      reads.read(table, batch.rows(table), use);
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
    deletions.trainsNothing();
    RowBatch batch = RowBatch.toTrain(plan, rule, fresh, replayed, loops);
    long bytesLeft = sizes.bytesLeft();
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = batch.rows(table);
      reads.read(table, set, BufferedRows.Use.UPDATE);
      bytesLeft = newIds.admit(table, set, bytesLeft);
    }
    tiers.cold().nextUpdate();
    deletions.trains(batch);
    return batch;
  }

  /**
   * How often the ids of a sample came in training: for each feature the rarest of its ids, 0 if
   * one has no row. Leaves no trace: it is no use of the rows, and counts nowhere.
   */
  public int[] occurrences(IdLists ids) {
    RowBatch batch = look(List.of(ids));
    int[] least = new int[ids.features()];
    for (int f = 0; f < least.length; f++) {
      RowSet set = batch.rows(plan.features().get(f).table());
      least[f] = Integer.MAX_VALUE;
      for (int i = ids.from(f); i < ids.to(f); i++) {
        int position = set.place(ids.key(i));
        boolean row = set.kind(position) == RowKind.ROW && set.key(position) != IdLists.UNKNOWN;
        least[f] = Math.min(least[f], row ? set.occurrences(position) : 0);
      }
    }
    return least;
  }

  // ---- committed ------------------------------------------------------------------------------

  /**
   * Takes the rows of an accepted training over. What is to be in the store of them is there after
   * the next {@link #write}.
   *
   * @param nowSeconds time of their use, since 1970
   */
  public void commit(RowBatch trained, long nowSeconds) {
    past.beforeCommit(trained);
    commits.commit(trained, nowSeconds);
    OccurrenceFilter counts = filter;
    if (counts != null) {
      counts.write(store);
    }
    deletions.trainsNothing();
  }

  /**
   * Writes what {@link #commit} and reads have left to be written to the store. Called before each
   * checkpoint of the store, which would lack these rows otherwise; best when nobody waits.
   */
  public void write() {
    tiers.cold().write();
  }

  /** The rows that were deleted since the last call. */
  public List<RemovedRow> takeRemoved() {
    return deletions.takeUntold();
  }

  // ---- maintained -----------------------------------------------------------------------------

  /**
   * Goes on with work that is not urgent, a little: writes rows to the store that are newer in
   * DRAM, and deletes rows that nobody uses.
   *
   * @return whether there is a new {@link #snapshot}
   */
  public boolean maintain(long nowSeconds) {
    if (!dirty.folding() && dirty.logIsLong()) {
      dirty.beginFold();
    }
    beginSweepIfDue(nowSeconds);
    if (dirty.folding()) {
      dirty.fold(ROWS_AT_ONCE);
      beginSweepIfDue(nowSeconds);
      return false;
    }
    return sweep.step(ROWS_AT_ONCE, nowSeconds);
  }

  /** A sweep sees the store only, so all rows must be there before it begins. */
  private void beginSweepIfDue(long nowSeconds) {
    if (dirty.folding() || !sweep.due(nowSeconds)) {
      return;
    }
    if (dirty.none()) {
      sweep.begin(nowSeconds);
    } else {
      dirty.beginFold();
    }
  }

  /** Whether {@link #maintain} has something to do soon. */
  public boolean busy() {
    return dirty.folding() || sweep.busy() || dirty.logIsLong();
  }

  /** Writes all rows to the store that are newer in DRAM, which may take long. */
  public void flush() {
    dirty.flush();
  }

  // ---- remembered -----------------------------------------------------------------------------

  /**
   * The rows are now what they are right after an update: from now on it is known what they were
   * then, until {@link #rememberOnly} or {@link #goBack} says otherwise, or too many have changed.
   * Does nothing if rows were deleted since, before anything was remembered.
   */
  public void remember(long update) {
    if (history.active() || deletions.allTold()) {
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
    return past.asOf(update, gathered);
  }

  /**
   * Makes all rows what they were right after an update, with their updater's state. How often ids
   * without a row came stays. What trains now must not be committed.
   *
   * @param update that is {@linkplain #remembers remembered}
   */
  public void goBack(long update) {
    past.goBack(update);
  }

  /** Changes to no row at all. */
  public byte[] noChanges() {
    return RowChanges.of(RowBatch.toTrain(plan, rule, List.of(), List.of(), loops), List.of());
  }

  // ---- published ------------------------------------------------------------------------------

  /**
   * Writes all rows as a full {@link RowFile}: first those that are newer in DRAM go to the store,
   * then the store is scanned, once for each 128 tables. No table is in memory at any time.
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
    return state.snapshot();
  }

  /**
   * Takes a snapshot back, and what the store's log says.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is none
   * @throws RowStoreException if the log is damaged
   */
  public void restore(byte[] snapshot) {
    state.restore(snapshot);
    dirty.restore();
  }

  /** What there is and was done. */
  public RowUsage usage() {
    OccurrenceFilter counts = filter;
    List<RowUsage.OfTable> tables = usageOfTables();
    return new RowUsage(
        sizes.allRows(),
        tiers.hotRows(),
        tiers.bytes(),
        sizes.bytes(),
        sizes.allCounts(),
        counts == null ? 0 : counts.bytes(),
        sum(tables, RowUsage.OfTable::hits),
        sum(tables, RowUsage.OfTable::buffered),
        sum(tables, RowUsage.OfTable::misses),
        sum(tables, RowUsage.OfTable::admitted),
        sum(tables, RowUsage.OfTable::refused),
        commits.outOfRange(),
        sweep.expired(),
        tiers.cold().written(),
        sum(tables, RowUsage.OfTable::unknown),
        tiers.cold().rows(),
        tables);
  }

  private static long sum(List<RowUsage.OfTable> tables, ToLongFunction<RowUsage.OfTable> number) {
    return tables.stream().mapToLong(number).sum();
  }

  private List<RowUsage.OfTable> usageOfTables() {
    long[] rows = sizes.rows();
    List<RowUsage.OfTable> tables = new ArrayList<>();
    for (int table = 0; table < rows.length; table++) {
      tables.add(
          new RowUsage.OfTable(
              plan.tables().get(table).name(),
              rows[table],
              tiers.of(table).rows().size(table),
              reads.hits(table),
              reads.buffered(table),
              reads.misses(table),
              reads.unknown(table),
              commits.admitted(table),
              newIds.refused(table),
              sweep.expired(table)));
    }
    return tables;
  }
}
