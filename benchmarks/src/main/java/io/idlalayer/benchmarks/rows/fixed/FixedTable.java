package io.idlalayer.benchmarks.rows.fixed;

import io.idlalayer.middleware.embedding.batch.UniqueRows;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A table of a fixed number of rows of float32, in the form of CachedEmbeddings (Hildebrand 2022,
 * chapter 5): all rows lie in a base, copies of some in pages in DRAM. A word for each row says
 * where it is: bit 0 CACHED, bit 1 LOCK while a thread copies it, above them the row or the slot.
 *
 * <p>Only {@code idla bench rows} uses it, for the paper's experiments. It has no log and no new
 * ids; learners use {@link io.idlalayer.middleware.embedding.table.RowTables}.
 *
 * <p>Lookups are safe from many threads in phase FORWARD. In phase UPDATE one thread updates, in
 * phase FLUSH one thread flushes. A phase begins when nobody uses the table; all other overlap
 * throws {@link IllegalPhaseException}.
 */
public final class FixedTable {
  /** Rows of a page, unless said otherwise. */
  public static final int PAGE_ROWS = 512;

  private static final VarHandle POINTERS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long CACHED = 1;
  private static final long LOCK = 2;
  private static final int ADDRESS_SHIFT = 2;
  private static final long USERS = 0xFFFF_FFFFL;

  private final BaseRows base;
  private final FixedPolicy policy;
  private final int pageRows;
  private final int stride;
  private final long pageBytes;

  /** Of a slot in an address, below those of its page. */
  private final int slotBits;

  /** Empty if the policy needs none. */
  private final long[] pointers;

  /** The phase's index in the upper half, how many use the table in the lower. */
  private final AtomicLong state = new AtomicLong();

  private final List<Phase> phases = List.of(Phase.values());

  /** Guards what follows; pages are only dropped in phase FLUSH. */
  private final Object growth = new Object();

  private final ArrayDeque<Page> oldestFirst = new ArrayDeque<>();
  private final ArrayDeque<Page> spare = new ArrayDeque<>();
  private volatile Page[] pages = {};
  private volatile int newest = -1;
  private volatile boolean full;
  private long size;
  private long cacheLower;
  private long cacheSlack;

  private final UniqueRows unique = new UniqueRows();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder cached = new LongAdder();
  private long updatedInDram;
  private long updatedInBase;
  private long writtenRows;
  private long droppedPages;
  private long notFinite;

  /**
   * A table in phase FORWARD.
   *
   * @param pageRows rows of a page of DRAM, at least 1
   * @param cacheLower bytes of pages that stay after a flush
   * @param cacheSlack bytes of pages that may come on top of them before a flush
   */
  public FixedTable(
      BaseRows base, FixedPolicy policy, int pageRows, long cacheLower, long cacheSlack) {
    if (pageRows < 1) {
      throw new IllegalArgumentException("a page of %d rows".formatted(pageRows));
    }
    this.base = base;
    this.policy = policy;
    this.pageRows = pageRows;
    stride = base.stride();
    pageBytes = pageRows * base.rowBytes();
    slotBits = Integer.SIZE - Integer.numberOfLeadingZeros(pageRows - 1);
    setCacheLower(cacheLower);
    setCacheSlack(cacheSlack);
    pointers = policy instanceof FixedPolicy.Simple ? new long[0] : new long[base.rows()];
    for (int row = 0; row < pointers.length; row++) {
      pointers[row] = address(row);
    }
    if (policy instanceof FixedPolicy.Static fill) {
      long most = (cacheLower + cacheSlack) / pageBytes * pageRows;
      for (int row : fill.fill(base.rows(), (int) Math.min(base.rows(), most))) {
        accessAndCache(row);
      }
      full = true;
    }
    base.settle();
  }

  private static long address(long place) {
    return place << ADDRESS_SHIFT;
  }

  public int rows() {
    return base.rows();
  }

  /** Floats of a row. */
  public int dim() {
    return base.dim();
  }

  /**
   * Bytes of pages that stay after a flush; pages above it go with the next one.
   *
   * @throws IllegalArgumentException if they are negative
   */
  public void setCacheLower(long bytes) {
    cacheLower = checkedBytes(bytes);
  }

  /**
   * Bytes of pages that may come on top before a flush.
   *
   * @throws IllegalArgumentException if they are negative
   */
  public void setCacheSlack(long bytes) {
    cacheSlack = checkedBytes(bytes);
  }

  private static long checkedBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes of pages");
    }
    return bytes;
  }

  /** Whether no row is copied to DRAM until the next flush. */
  public boolean isFull() {
    return full;
  }

  /** Bytes of pages now, without the pointer words. */
  public long cacheBytes() {
    synchronized (growth) {
      return size;
    }
  }

  /** Bytes of the pointer words. */
  public long pointerBytes() {
    return (long) pointers.length * Long.BYTES;
  }

  // ---- phases ---------------------------------------------------------------------------------

  public Phase phase() {
    return phaseOf(state.get());
  }

  private Phase phaseOf(long word) {
    return phases.get((int) (word >>> Integer.SIZE));
  }

  /**
   * Begins a phase.
   *
   * @throws IllegalPhaseException if somebody uses the table
   */
  public void phase(Phase next) {
    long now = state.get();
    long then = (long) phases.indexOf(next) << Integer.SIZE;
    if ((now & USERS) != 0 || !state.compareAndSet(now, then)) {
      throw new IllegalPhaseException(
          "phase %s cannot begin while the table is used in phase %s"
              .formatted(next, phaseOf(now)));
    }
  }

  private void enter(Phase needed, boolean alone) {
    while (true) {
      long now = state.get();
      if (phaseOf(now) != needed) {
        throw new IllegalPhaseException(
            "phase %s is needed, and it is %s".formatted(needed, phaseOf(now)));
      }
      if (alone && (now & USERS) != 0) {
        throw new IllegalPhaseException("another thread uses the table in phase " + needed);
      }
      if (state.compareAndSet(now, now + 1)) {
        return;
      }
    }
  }

  private void leave() {
    state.getAndDecrement();
  }

  // ---- looked up ------------------------------------------------------------------------------

  /**
   * Copies rows.
   *
   * @param to of shape [count, dim], from 0 on
   * @throws IndexOutOfBoundsException if a row is none, before anything is written
   * @throws IllegalPhaseException if it is not phase FORWARD
   */
  public void lookup(int[] indices, int count, float[] to) {
    enter(Phase.FORWARD, false);
    try {
      check(indices, count);
      int dim = base.dim();
      checkRoom(to, (long) count * dim);
      long found = 0;
      for (int i = 0; i < count; i++) {
        long pointer = locate(indices[i]);
        if ((pointer & CACHED) != 0) {
          found += hit(pointer);
          Page page = page(pointer);
          System.arraycopy(page.values, at(pointer), to, i * dim, dim);
        } else {
          base.read(indices[i], to, i * dim);
        }
      }
      counted(found, count);
      base.settle();
    } finally {
      leave();
    }
  }

  /**
   * Adds rows up.
   *
   * @param indices rows of all bags, one bag after the other
   * @param ends after the last row of each bag; ascending
   * @param pooling SUM, or MEAN for the sum divided by the number of the bag's rows
   * @param to of shape [ends.length, dim]; a bag without rows gives zeros
   * @throws IndexOutOfBoundsException if a row is none, before anything is written
   * @throws IllegalPhaseException if it is not phase FORWARD
   */
  public void lookupPooled(int[] indices, int[] ends, IdPooling pooling, float[] to) {
    enter(Phase.FORWARD, false);
    try {
      int count = ends.length == 0 ? 0 : ends[ends.length - 1];
      check(indices, count);
      int dim = base.dim();
      checkRoom(to, (long) ends.length * dim);
      float[] sum = new float[dim];
      float[] read = new float[dim];
      long[] located = new long[0];
      long found = 0;
      int use = 0;
      for (int bag = 0; bag < ends.length; bag++) {
        int own = ends[bag] - use;
        located = located.length < own ? new long[own] : located;
        // All pointers first: their misses of the processor's cache overlap, and then those of
        // rows.
        for (int i = 0; i < own; i++) {
          located[i] = locate(indices[use + i]);
        }
        Arrays.fill(sum, 0);
        for (int i = 0; i < own; i++, use++) {
          long pointer = located[i];
          if ((pointer & CACHED) != 0) {
            found += hit(pointer);
            add(page(pointer).values, at(pointer), sum);
          } else {
            base.read(indices[use], read, 0);
            add(read, 0, sum);
          }
        }
        if (pooling == IdPooling.MEAN && own > 1) {
          for (int k = 0; k < dim; k++) {
            sum[k] /= own;
          }
        }
        System.arraycopy(sum, 0, to, bag * dim, dim);
      }
      counted(found, count);
      base.settle();
    } finally {
      leave();
    }
  }

  private static void add(float[] values, int from, float[] sum) {
    for (int k = 0; k < sum.length; k++) {
      sum[k] += values[from + k];
    }
  }

  private void check(int[] indices, int count) {
    for (int i = 0; i < count; i++) {
      if (indices[i] < 0 || indices[i] >= base.rows()) {
        throw new IndexOutOfBoundsException("row %d of %d".formatted(indices[i], base.rows()));
      }
    }
  }

  private static void checkRoom(float[] numbers, long needed) {
    if (numbers.length < needed) {
      throw new IndexOutOfBoundsException(
          "%d floats where %d are needed".formatted(numbers.length, needed));
    }
  }

  private void counted(long found, long all) {
    hits.add(found);
    misses.add(all - found);
  }

  private Page page(long pointer) {
    return pages[(int) (pointer >>> (ADDRESS_SHIFT + slotBits))];
  }

  private int slot(long pointer) {
    return (int) (pointer >>> ADDRESS_SHIFT) & ((1 << slotBits) - 1);
  }

  private int at(long pointer) {
    return slot(pointer) * stride;
  }

  /** 1 if a row was in DRAM before it was looked up, else 0. */
  private static long hit(long pointer) {
    return (pointer & LOCK) == 0 ? 1 : 0;
  }

  /** Where a row is; marked by LOCK if it was only now copied to DRAM. */
  private long locate(int row) {
    if (pointers.length == 0) {
      return address(row);
    }
    return policy instanceof FixedPolicy.Dynamic ? accessAndCache(row) : pointer(row);
  }

  /** The pointer word of a row. */
  long pointer(int row) {
    return (long) POINTERS.getAcquire(pointers, row);
  }

  /**
   * Where a row is, which is copied to DRAM if there is room. What comes back is marked by LOCK if
   * this call copied it, so that the row is read from DRAM and counts as a miss.
   */
  long accessAndCache(int row) {
    long found = pointer(row);
    if ((found & (CACHED | LOCK)) != 0 || full) {
      return found;
    }
    // Whoever loses may use the base: rows do not change in this phase.
    if (!POINTERS.compareAndSet(pointers, row, found, found | LOCK)) {
      return found;
    }
    long slot = takeSlot();
    if (slot < 0) {
      POINTERS.setRelease(pointers, row, found);
      return found;
    }
    long copy = address(slot) | CACHED;
    Page page = page(copy);
    base.read(row, page.values, at(copy));
    page.rowOfSlot[slot(copy)] = row;
    cached.increment();
    POINTERS.setRelease(pointers, row, copy);
    return copy | LOCK;
  }

  private long takeSlot() {
    long slot = takeFromNewest();
    if (slot >= 0) {
      return slot;
    }
    synchronized (growth) {
      // Others may take all of a new page before its maker takes one of its slots.
      for (slot = takeFromNewest(); slot < 0; slot = takeFromNewest()) {
        if (size + pageBytes > cacheLower + cacheSlack) {
          full = true;
          return -1;
        }
        addPage();
      }
      return slot;
    }
  }

  private long takeFromNewest() {
    int last = newest;
    if (last < 0) {
      return -1;
    }
    int slot = pages[last].take();
    return slot < pageRows ? ((long) last << slotBits) | slot : -1;
  }

  private void addPage() {
    Page page = spare.poll();
    if (page == null) {
      page = new Page(pages.length, pageRows, stride);
      Page[] more = Arrays.copyOf(pages, pages.length + 1);
      more[page.index] = page;
      pages = more;
    }
    oldestFirst.add(page);
    size += pageBytes;
    newest = page.index;
  }

  // ---- updated --------------------------------------------------------------------------------

  /**
   * Updates each row that bags use once, by the rate times the sum of the gradients of its uses.
   *
   * @param indices rows of all bags, one bag after the other
   * @param ends after the last row of each bag; ascending
   * @param pooling as the bags were looked up
   * @param gradients of shape [ends.length, dim]: of the loss with respect to each bag. Those that
   *     are not finite are passed on to the rows, and counted
   * @throws IndexOutOfBoundsException if a row is none, before anything is written
   * @throws IllegalPhaseException if it is not phase UPDATE, or another thread updates
   */
  public void applySgd(
      int[] indices, int[] ends, IdPooling pooling, float[] gradients, float rate) {
    enter(Phase.UPDATE, true);
    try {
      int count = ends.length == 0 ? 0 : ends[ends.length - 1];
      check(indices, count);
      checkRoom(gradients, (long) ends.length * base.dim());
      update(indices, ends, pooling, gradients, rate);
      base.settle();
    } finally {
      leave();
    }
  }

  private void update(int[] indices, int[] ends, IdPooling pooling, float[] gradients, float rate) {
    int dim = base.dim();
    int count = ends.length == 0 ? 0 : ends[ends.length - 1];
    int[] bagOfUse = new int[count];
    float[] shares = new float[ends.length];
    for (int bag = 0, use = 0; bag < ends.length; bag++) {
      shares[bag] = pooling == IdPooling.MEAN ? 1f / Math.max(1, ends[bag] - use) : 1f;
      for (; use < ends[bag]; use++) {
        bagOfUse[use] = bag;
      }
    }
    unique.index(indices, count, base.rows());
    float[] gradient = new float[dim];
    float[] read = new float[dim];
    long[] located = new long[unique.count()];
    for (int ordinal = 0; ordinal < located.length; ordinal++) {
      located[ordinal] = pointers.length == 0 ? 0 : pointer(unique.row(ordinal));
    }
    for (int ordinal = 0; ordinal < located.length; ordinal++) {
      Arrays.fill(gradient, 0);
      for (int i = unique.from(ordinal); i < unique.to(ordinal); i++) {
        int bag = bagOfUse[unique.use(i)];
        for (int k = 0; k < dim; k++) {
          gradient[k] += shares[bag] * gradients[bag * dim + k];
        }
      }
      notFinite += finite(gradient) ? 0 : 1;
      int row = unique.row(ordinal);
      long pointer = located[ordinal];
      if ((pointer & CACHED) != 0) {
        Page page = page(pointer);
        step(page.values, at(pointer), gradient, rate);
        page.markDirty(slot(pointer));
        updatedInDram++;
      } else {
        updatedInBase++;
        base.read(row, read, 0);
        step(read, 0, gradient, rate);
        base.write(row, read, 0);
      }
    }
  }

  private static boolean finite(float[] numbers) {
    for (float number : numbers) {
      if (!Float.isFinite(number)) {
        return false;
      }
    }
    return true;
  }

  private static void step(float[] values, int at, float[] gradient, float rate) {
    for (int k = 0; k < gradient.length; k++) {
      values[at + k] -= rate * gradient[k];
    }
  }

  // ---- flushed --------------------------------------------------------------------------------

  /**
   * Drops the oldest pages until no more than the lower bound is left; no row of them has changed.
   *
   * @throws StaleWriteException if one has, before anything is dropped
   * @throws IllegalPhaseException if it is not phase FLUSH, or another thread flushes
   */
  public void flushClean() {
    flush(false);
  }

  /**
   * Drops the oldest pages until no more than the lower bound is left, and writes their changed
   * rows to the base.
   *
   * @throws IllegalPhaseException if it is not phase FLUSH, or another thread flushes
   */
  public void flushDirty() {
    flush(true);
  }

  private void flush(boolean writeBack) {
    enter(Phase.FLUSH, true);
    try {
      if (policy instanceof FixedPolicy.Static) {
        writeStatic(writeBack);
        base.settle();
        return;
      }
      synchronized (growth) {
        if (!writeBack) {
          checkClean();
        }
        while (size > cacheLower && !oldestFirst.isEmpty()) {
          drop(oldestFirst.remove());
        }
        if (oldestFirst.isEmpty()) {
          newest = -1;
        }
        full = false;
      }
      base.settle();
    } finally {
      leave();
    }
  }

  private void checkClean() {
    long left = size;
    for (Page page : oldestFirst) {
      if (left <= cacheLower) {
        return;
      }
      if (page.anyDirty()) {
        throw new StaleWriteException("a page with changed rows cannot be dropped as a clean one");
      }
      left -= pageBytes;
    }
  }

  private void drop(Page page) {
    write(page);
    for (int row : page.rowOfSlot) {
      if (row >= 0) {
        POINTERS.setRelease(pointers, row, address(row));
      }
    }
    page.clear();
    spare.add(page);
    size -= pageBytes;
    droppedPages++;
  }

  private void write(Page page) {
    for (int slot = 0; slot < pageRows; slot++) {
      if (page.rowOfSlot[slot] >= 0 && page.dirty(slot)) {
        base.write(page.rowOfSlot[slot], page.values, slot * stride);
        writtenRows++;
      }
    }
  }

  /** Rows of this policy never leave DRAM; a flush makes the base equal to them. */
  private void writeStatic(boolean writeBack) {
    for (Page page : oldestFirst) {
      if (page.anyDirty()) {
        if (!writeBack) {
          throw new StaleWriteException("changed rows of a static table were not written");
        }
        write(page);
        page.clean();
      }
    }
  }

  /** What was done. */
  public FixedStats stats() {
    return new FixedStats(
        hits.sum(),
        misses.sum(),
        updatedInDram,
        updatedInBase,
        cached.sum(),
        writtenRows,
        droppedPages,
        droppedPages * pageBytes,
        notFinite);
  }

  /**
   * Whether each pointer to DRAM and the way back agree, nothing is locked, and the pages have the
   * bytes that they may have. Only while nobody uses the table.
   */
  boolean consistent() {
    long pointing = 0;
    for (int row = 0; row < pointers.length; row++) {
      long pointer = pointer(row);
      if ((pointer & LOCK) != 0) {
        return false;
      }
      if ((pointer & CACHED) != 0) {
        pointing++;
        if (page(pointer).rowOfSlot[slot(pointer)] != row) {
          return false;
        }
      }
    }
    long back = oldestFirst.stream().mapToLong(FixedTable::rowsIn).sum();
    return back == pointing && size == oldestFirst.size() * pageBytes;
  }

  private static long rowsIn(Page page) {
    return Arrays.stream(page.rowOfSlot).filter(row -> row >= 0).count();
  }
}
