package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.loops.ProcessLoops;
import io.idlalayer.middleware.embedding.loops.RowLoops;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.BufferedRows;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.sample.IdLists;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The embedding tables of one learner: hot rows in DRAM, all others in a {@link RowStore}. The rows
 * for a training are gathered into copies, and committed as a whole when the training is accepted.
 * So no row is ever partly updated, and a failed training changes nothing.
 *
 * <p>Committed rows that stay in DRAM are newer than those in the store. The log of the store has
 * them until {@link #maintain} writes them to the store, a few at a time. So each checkpoint of the
 * store, with its log, holds all rows of one moment. Belongs to one thread.
 *
 * <p>This class creates the parts and calls them in turn: {@link RowReads} copies rows from {@link
 * Tiers}, {@link NewIds} begins new ones, {@link RowCommit} commits trained ones, {@link DirtyRows}
 * has the log of the store, {@link RowSweep} deletes, {@link Deletions} keeps what was deleted,
 * {@link PastRows} knows rows as they were, {@link TablesState} writes the snapshot.
 */
public final class RowTables {
  /** Number of rows that one call of {@link #maintain} writes or visits. */
  private static final int ROWS_AT_ONCE = 2_000;

  private final EmbeddingPlan plan;
  private final RowRule rule;
  private final RowStore store;
  private final RowLoops loops;
  private final Tiers tiers;
  private final TableSizes sizes;
  private final RowHistory history;

  /**
   * Counts ids that have neither row nor count in the store; null if each id gets a count at once.
   */
  private final @Nullable OccurrenceFilter filter;

  private final DirtyRows dirty;
  private final Deletions deletions;
  private final RowReads reads;
  private final NewIds newIds;
  private final RowCommit commits;
  private final RowSweep sweep;
  private final PastRows past;
  private final TablesState state;

  /** Last version whose rows are of other tables; 0 for none. */
  private long otherRowsUpTo;

  /**
   * Creates tables without rows; a call of {@link #restore} may follow.
   *
   * @param store store of this learner's rows
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
   * @param mostLogBytes largest size of the log of rows that are newer in DRAM
   * @param mostHistoryBytes the history of rows is forgotten when it is larger
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
   * Returns the bytes of the store that a table of fixed size may take, as {@link
   * RowUsage#slowBytes} counts them: those of all its rows, and of the rows of missing and unknown
   * ids. 0 of an open table.
   */
  public static long fixedBytes(EmbeddingPlan.Table table) {
    return TableSizes.fixedBytes(table);
  }

  // ---- gathered -------------------------------------------------------------------------------

  /**
   * Copies the rows that samples use, in order to predict for samples that will be trained soon.
   */
  public RowBatch gather(List<IdLists> samples) {
    return read(samples, BufferedRows.Use.AHEAD);
  }

  /**
   * Copies the rows that samples use, in order to predict for samples that may never be trained.
   * Changes nothing.
   */
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
   * Copies the rows that samples use, to train on the samples. New ids get a row if they have
   * occurred often enough.
   *
   * @param replayed samples that trained before; they are not new occurrences of their ids
   * @throws OutOfMemoryError if the copies do not fit into memory; the tables are unchanged then
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
   * Returns how often the ids of a sample occurred in training: for each feature the count of its
   * rarest id, 0 if one has no row. Changes nothing, and does not count as a use of the rows.
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

  /**
   * Creates rows for ids that have none yet, with given numbers instead of small random ones, and
   * commits them.
   *
   * @param keys keys of the ids in the table; those of missing and unknown ids are allowed
   * @param weights for each key the weights of its row, one row after the other
   * @param nowSeconds time of their use, since 1970
   * @throws IllegalArgumentException if the rows have another length, or a key has no row
   */
  public void begin(int table, long[] keys, float[] weights, long nowSeconds) {
    put(table, keys, weights, nowSeconds, false);
  }

  /**
   * Gives rows other weights, and commits them. A row keeps its updater's state, and how often it
   * was used; an id without a row gets one.
   *
   * @param keys keys of the ids in the table; those of missing and unknown ids are allowed
   * @param weights for each key the weights of its row, one row after the other
   * @param nowSeconds time of their use, since 1970
   * @throws IllegalArgumentException if the rows have another length, or a key has no row
   */
  public void replace(int table, long[] keys, float[] weights, long nowSeconds) {
    put(table, keys, weights, nowSeconds, true);
  }

  private void put(int table, long[] keys, float[] weights, long nowSeconds, boolean keepsRest) {
    EmbeddingPlan.Table of = plan.tables().get(table);
    int length = of.layout().weights();
    if (weights.length != (long) keys.length * length) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d numbers were given for %d rows of %d numbers of table '%s'",
              weights.length,
              keys.length,
              length,
              of.name()));
    }
    for (int from = 0; from < keys.length; from += ROWS_AT_ONCE) {
      long[] some = Arrays.copyOfRange(keys, from, Math.min(keys.length, from + ROWS_AT_ONCE));
      RowBatch batch = RowBatch.toTrain(plan, rule, List.of(), List.of(only(table, some)), loops);
      for (int each = 0; each < plan.tables().size(); each++) {
        reads.read(each, batch.rows(each), BufferedRows.Use.UPDATE);
      }
      tiers.cold().nextUpdate();
      RowSet set = batch.rows(table);
      for (int i = 0; i < some.length; i++) {
        int position = set.place(some[i]);
        int at = set.at(position);
        if (!keepsRest || !set.changed(position)) {
          Arrays.fill(set.values(), at, at + of.layout().stride(), 0);
          set.begin(position);
          set.use(position, 0, (int) nowSeconds, 1);
        }
        System.arraycopy(weights, (from + i) * length, set.values(), at, length);
      }
      commit(batch, nowSeconds);
      write();
    }
  }

  /** Returns the ids of a sample that uses only these, of one table. */
  private IdLists only(int table, long[] keys) {
    int[] ends = new int[plan.features().size()];
    boolean placed = false;
    for (int f = 0; f < ends.length; f++) {
      placed |= plan.features().get(f).table() == table;
      ends[f] = placed ? keys.length : 0;
    }
    return new IdLists(keys, ends);
  }

  // ---- committed ------------------------------------------------------------------------------

  /**
   * Writes the rows of an accepted training back to the tables. Rows that belong to the store are
   * written there by the next {@link #write}.
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
   * Writes all rows to the store that {@link #commit} and reads have buffered. Must be called
   * before each checkpoint of the store, which would otherwise lack these rows; the best time is
   * when the thread has nothing else to do.
   */
  public void write() {
    tiers.cold().write();
  }

  /**
   * Changes the bytes of DRAM for hot rows and rows read ahead. Changes no row.
   *
   * @param fastBytes at most what the settings allow
   * @return whether they were changed; while {@link #maintain} writes rows to the store, they are
   *     not
   */
  public boolean resize(long fastBytes) {
    // A fold goes over the slots, which are other ones after the change.
    if (dirty.folding()) {
      return false;
    }
    tiers.resize(fastBytes);
    tiers.cold().write();
    return true;
  }

  /**
   * Returns the part of the bytes of DRAM that is reserved for rows read ahead. It does not change.
   */
  public long mostBytesAhead() {
    return tiers.mostBytesAhead();
  }

  /**
   * Returns whether the process had too little memory for the present bytes of DRAM, since these
   * were last changed.
   */
  public boolean lacksMemory() {
    return tiers.lacksMemory();
  }

  /**
   * Returns the bytes of DRAM that were allocated for hot rows so far, plus the bytes that rows
   * read ahead may take.
   */
  public long acquiredBytes() {
    return tiers.acquiredBytes();
  }

  /**
   * Has a listener called for each row that is read for a training, or for a prediction whose
   * sample will train soon, wherever it is found.
   */
  public void onRead(ReadListener listener) {
    reads.listener(listener);
  }

  /** Receives each row that is read. */
  @FunctionalInterface
  public interface ReadListener {
    /**
     * @param rowKey key of the row
     * @param bytes bytes of DRAM that it would take as a hot row
     */
    void read(long rowKey, long bytes);
  }

  /** Returns the rows that were deleted since the last call of this method. */
  public List<RemovedRow> takeRemoved() {
    return deletions.takeUntold();
  }

  // ---- maintained -----------------------------------------------------------------------------

  /**
   * Does a part of the work that is not urgent: writes rows to the store that are newer in DRAM,
   * and deletes unused rows.
   *
   * @return whether {@link #snapshot} has changed
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

  /**
   * Begins a sweep if it is time, after writing all rows to the store, because a sweep sees the
   * store only.
   */
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

  /** Returns whether {@link #maintain} should be called again soon. */
  public boolean busy() {
    return dirty.folding() || sweep.busy() || dirty.logIsLong();
  }

  /** Writes all rows to the store that are newer in DRAM, which may take long. */
  public void flush() {
    dirty.flush();
  }

  // ---- remembered -----------------------------------------------------------------------------

  /**
   * Remembers the rows as they are now, right after an update, until {@link #rememberOnly} or
   * {@link #goBack} forgets them, or too many have changed. Does nothing if no update is remembered
   * yet and some deleted rows are not in a version yet.
   */
  public void remember(long update) {
    if (history.active() || deletions.allTold()) {
      history.begin(update);
    }
  }

  /**
   * Forgets the rows as they were after earlier updates, except after the given updates and the
   * last remembered one.
   */
  public void rememberOnly(Set<Long> updates) {
    history.keepOnly(updates);
  }

  /** Forgets the rows as they were after earlier updates, so that none of them can be restored. */
  public void rememberNothing() {
    history.forgetAll();
  }

  /**
   * Returns whether the rows as they were right after an update can still be copied and restored.
   */
  public boolean remembers(long update) {
    return history.knows(update);
  }

  /**
   * Declares that the present rows are those right after the last remembered update, because all of
   * them become the version of that update. Rows that were deleted since count as deleted before
   * it.
   */
  public void rememberAnew() {
    history.beginAnew();
  }

  /**
   * Records that a remembered update was published as a version.
   *
   * @param version identifies the version among those of all learners and lineages
   */
  public void published(long update, String version) {
    history.published(update, version);
  }

  /**
   * Returns whether the rows right after an update are remembered and the update was published as
   * this version.
   */
  public boolean remembers(long update, String version) {
    return history.knows(update, version);
  }

  /** Returns the versions as which remembered updates were published, by update, ascending. */
  public SortedMap<Long, String> publishedUpdates() {
    return history.published();
  }

  /**
   * Copies rows as a version has them that has no row of any id: only the row of unknown ids is
   * left, with zeros.
   *
   * @param gathered copies of the rows as they are now, for predictions
   */
  public RowBatch withoutRows(RowBatch gathered) {
    return past.without(gathered);
  }

  /**
   * Copies rows as they were right after an update.
   *
   * @param update that is {@linkplain #remembers remembered}
   * @param gathered copies of the rows as they are now, for predictions
   */
  public RowBatch asOf(long update, RowBatch gathered) {
    return past.asOf(update, gathered);
  }

  /**
   * Restores all rows, with their updater's state, as they were right after an update. Counts of
   * ids without a row are not restored. A training that runs during this call must not be committed
   * afterwards.
   *
   * @param update that is {@linkplain #remembers remembered}
   */
  public void goBack(long update) {
    past.goBack(update);
  }

  /** Returns encoded row changes that change no row. */
  public byte[] noChanges() {
    return RowChanges.of(RowBatch.toTrain(plan, rule, List.of(), List.of(), loops), List.of());
  }

  // ---- published ------------------------------------------------------------------------------

  /**
   * Writes all rows as a full {@link RowFile}: first those that are newer in DRAM go to the store,
   * then the store is scanned, once for each 128 tables. No table is in memory at any time.
   *
   * @param directory existing folder for one temporary file for each table; they are deleted again
   * @param to the file, which must not exist
   * @return number of rows
   * @throws IOException if the disk fails; no file is left then
   * @throws RowStoreException if the store fails, or its rows are not in order
   */
  public long writeAll(Path directory, Path to) throws IOException {
    flush();
    return new FullRows(plan, store).write(directory, to);
  }

  // ---- state ----------------------------------------------------------------------------------

  /** Encodes the state of the tables that is not in the store. */
  public byte[] snapshot() {
    return state.snapshot(otherRowsUpTo);
  }

  /**
   * Declares that the tables have changed after a version. That version and all earlier ones have
   * rows of other tables, so that no later version can be published as changes to them.
   *
   * @param version number of the last published version; 0 if there is none
   */
  public void changedAfter(long version) {
    otherRowsUpTo = version;
  }

  /**
   * Returns the last version that was published before the tables changed, so that its rows belong
   * to other tables; 0 if there is none.
   */
  public long otherRowsUpTo() {
    return otherRowsUpTo;
  }

  /**
   * Restores the state of a snapshot, and the rows of the store's log.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it cannot be read
   * @throws RowStoreException if the log is damaged
   */
  public void restore(byte[] snapshot) {
    otherRowsUpTo = state.restore(snapshot);
    dirty.restore();
  }

  /**
   * Returns what the tables hold, and their counters.
   *
   * @param traffic traffic of the row store, counted by the store's owner
   */
  public RowUsage usage(StoreTraffic traffic) {
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
        sum(tables, RowUsage.OfTable::unknown),
        sum(tables, RowUsage.OfTable::admitted),
        sum(tables, RowUsage.OfTable::refused),
        commits.outOfRange(),
        sweep.expired(),
        tiers.cold().written(),
        traffic,
        tables);
  }

  /**
   * Returns the number of rows in DRAM that are not hot: prefetched, or to be written; a row that
   * is both may count twice.
   */
  public long bufferedRows() {
    return tiers.cold().rows();
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
