package io.idlalayer.middleware.lending.lender;

import io.idlalayer.middleware.lending.wire.LoanId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DRAM outside the heap of which loans are given, in units of equal size. A unit is acquired from
 * the system when it is first lent and is kept for later loans. Counts against {@code
 * -XX:MaxDirectMemorySize}. Time is the lender's alone, so that clocks of other machines do not
 * matter.
 */
final class LentMemory implements Lending {
  /** Most loans at a time. */
  static final int MOST_LOANS = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(LentMemory.class);
  private static final int ZEROS_BYTES = 1 << 16;

  private final int unitBytes;
  private final int units;
  private final long leaseNanos;
  private final LongSupplier nanoTime;
  private final Supplier<LoanId> names;
  private final IntFunction<ByteBuffer> system;

  // Guarded by this.
  private final Map<LoanId, Loan> loans = new HashMap<>();
  private final Deque<Unit> free = new ArrayDeque<>();
  private int lent;

  /** A unit of memory, which belongs to one loan at a time. */
  private static final class Unit {
    final ByteBuffer bytes;
    boolean used;

    Unit(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    /** Sets the bytes to 0, unless they have been 0 since the system gave them. */
    void clear() {
      if (used) {
        byte[] zeros = new byte[Math.min(ZEROS_BYTES, bytes.capacity())];
        ByteBuffer all = bytes.duplicate().clear();
        while (all.hasRemaining()) {
          all.put(zeros, 0, Math.min(zeros.length, all.remaining()));
        }
      }
      used = true;
    }
  }

  /** A loan; fields that change are guarded by the memory. */
  private static final class Loan {
    final LoanId id;
    final String borrower;
    final long bytes;
    final List<Unit> units;
    long usedNanos;
    int users;
    boolean ended;

    Loan(LoanId id, String borrower, long bytes, List<Unit> units) {
      this.id = id;
      this.borrower = borrower;
      this.bytes = bytes;
      this.units = units;
    }
  }

  /**
   * @param bytes most bytes that are lent at a time; rounded down to whole units
   * @param unitBytes size of a unit; loans are rounded up to whole units
   * @param leaseNanos time after which a loan ends that is not used, in nanoseconds
   * @param nanoTime the time, in nanoseconds
   * @param names makes the random names of loans
   * @throws IllegalArgumentException if the memory has not one unit
   */
  public LentMemory(
      long bytes, int unitBytes, long leaseNanos, LongSupplier nanoTime, Supplier<LoanId> names) {
    this(bytes, unitBytes, leaseNanos, nanoTime, names, ByteBuffer::allocateDirect);
  }

  /** Creates the memory from a system that gives memory of a size, or an OutOfMemoryError. */
  LentMemory(
      long bytes,
      int unitBytes,
      long leaseNanos,
      LongSupplier nanoTime,
      Supplier<LoanId> names,
      IntFunction<ByteBuffer> system) {
    if (unitBytes < 1 || bytes < unitBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d bytes to lend; at least one unit of %,d bytes is needed",
              bytes,
              unitBytes));
    }
    this.unitBytes = unitBytes;
    units = Math.toIntExact(bytes / unitBytes);
    this.leaseNanos = leaseNanos;
    this.nanoTime = nanoTime;
    this.names = names;
    this.system = system;
  }

  @Override
  public LoanId lend(long bytes) throws NoRoomException {
    return lend(bytes, "");
  }

  /**
   * Gives a loan.
   *
   * @param borrower address of the process that asks, for messages
   */
  LoanId lend(long bytes, String borrower) throws NoRoomException {
    List<Unit> taken = reserve(bytes);
    boolean given = false;
    try {
      taken.forEach(Unit::clear);
      LoanId id = names.get();
      Loan loan = new Loan(id, borrower, bytes, taken);
      synchronized (this) {
        loan.usedNanos = nanoTime.getAsLong();
        loans.put(id, loan);
        LOG.info("lent {} bytes to {}; {}", bytes, borrower, lentNow());
      }
      given = true;
      return id;
    } finally {
      if (!given) {
        release(taken);
      }
    }
  }

  private List<Unit> reserve(long bytes) throws NoRoomException {
    List<Unit> taken;
    int wanted;
    synchronized (this) {
      wanted = admit(bytes);
      taken = take(wanted);
    }
    acquire(taken, wanted);
    return taken;
  }

  /** Returns the units of a loan, for which there is room. */
  private synchronized int admit(long bytes) throws NoRoomException {
    expire();
    long wanted = bytes <= 0 ? Long.MAX_VALUE : (bytes - 1) / unitBytes + 1;
    if (wanted > units - lent || loans.size() >= MOST_LOANS) {
      throw new NoRoomException(
          String.format(
              Locale.ROOT,
              "%,d bytes are asked for; %,d of %,d are free, in %d loans of at most %d",
              bytes,
              (long) (units - lent) * unitBytes,
              (long) units * unitBytes,
              loans.size(),
              MOST_LOANS));
    }
    return Math.toIntExact(wanted);
  }

  /**
   * Counts units as lent, and takes as many of them as possible from the free ones. The caller
   * allocates the others.
   */
  private synchronized List<Unit> take(int wanted) {
    List<Unit> taken = new ArrayList<>(wanted);
    while (taken.size() < wanted && !free.isEmpty()) {
      taken.add(free.removeFirst());
    }
    lent += wanted;
    return taken;
  }

  /**
   * Acquires all units from the system. Until it returns, loans are refused.
   *
   * @throws NoRoomException if the system does not give them
   */
  void acquireAll() throws NoRoomException {
    List<Unit> taken;
    int wanted;
    synchronized (this) {
      wanted = units - lent;
      taken = take(wanted);
    }
    acquire(taken, wanted);
    release(taken);
  }

  /**
   * Acquires from the system what is missing of units that are counted as lent. This may take
   * seconds, in which other loans are used and renewed.
   */
  private void acquire(List<Unit> taken, int wanted) throws NoRoomException {
    try {
      while (taken.size() < wanted) {
        taken.add(new Unit(system.apply(unitBytes)));
      }
    } catch (OutOfMemoryError refused) {
      LOG.warn(
          "this process gets no more memory outside the heap than {} of {} units of {} bytes for a"
              + " loan; raise -XX:MaxDirectMemorySize or lend less",
          taken.size(),
          wanted,
          unitBytes,
          refused);
      throw new NoRoomException("the lender gets no more memory from its system");
    } finally {
      if (taken.size() < wanted) {
        uncount(wanted - taken.size());
        release(taken);
      }
    }
  }

  private synchronized void uncount(int missing) {
    lent -= missing;
  }

  private synchronized void release(List<Unit> taken) {
    lent -= taken.size();
    free.addAll(taken);
  }

  /** Ends the loans whose leases have passed. Returns their number. */
  public synchronized int expire() {
    long now = nanoTime.getAsLong();
    int expired = 0;
    for (Iterator<Loan> each = loans.values().iterator(); each.hasNext(); ) {
      Loan loan = each.next();
      if (loan.users == 0 && now - loan.usedNanos >= leaseNanos) {
        each.remove();
        end(loan);
        expired++;
        LOG.info(
            "{} of {} bytes to {} was not renewed and has ended; {}",
            loan.id,
            loan.bytes,
            loan.borrower,
            lentNow());
      }
    }
    return expired;
  }

  private synchronized void end(Loan loan) {
    loan.ended = true;
    if (loan.users == 0) {
      release(loan.units);
    }
  }

  private synchronized Loan begin(LoanId id) throws UnknownLoanException {
    expire();
    Loan loan = loans.get(id);
    if (loan == null) {
      throw new UnknownLoanException(id + " has ended or was never made");
    }
    loan.users++;
    return loan;
  }

  private synchronized void finish(Loan loan) {
    loan.users--;
    loan.usedNanos = nanoTime.getAsLong();
    if (loan.ended && loan.users == 0) {
      release(loan.units);
    }
  }

  @Override
  public void put(LoanId loan, long offset, ByteBuffer data) throws UnknownLoanException {
    Loan used = begin(loan);
    try {
      check(used, offset, data.remaining());
      long at = offset;
      while (data.hasRemaining()) {
        ByteBuffer part = part(used, at, data.remaining());
        at += part.remaining();
        int end = data.limit();
        part.put(data.limit(data.position() + part.remaining()));
        data.limit(end);
      }
    } finally {
      finish(used);
    }
  }

  @Override
  public void get(LoanId loan, long offset, ByteBuffer target) throws UnknownLoanException {
    Loan used = begin(loan);
    try {
      check(used, offset, target.remaining());
      long at = offset;
      while (target.hasRemaining()) {
        ByteBuffer part = part(used, at, target.remaining());
        at += part.remaining();
        target.put(part);
      }
    } finally {
      finish(used);
    }
  }

  private ByteBuffer part(Loan loan, long offset, int most) {
    ByteBuffer unit = loan.units.get((int) (offset / unitBytes)).bytes;
    int at = (int) (offset % unitBytes);
    return unit.slice(at, Math.min(most, unitBytes - at));
  }

  private static void check(Loan loan, long offset, int bytes) {
    if (offset < 0 || bytes < 0 || offset > loan.bytes - bytes) {
      throw new IndexOutOfBoundsException(
          String.format(
              Locale.ROOT,
              "bytes %,d to %,d are not all in %s of %,d bytes",
              offset,
              offset + bytes,
              loan.id,
              loan.bytes));
    }
  }

  @Override
  public void renew(LoanId loan) throws UnknownLoanException {
    finish(begin(loan));
  }

  @Override
  public synchronized void giveBack(LoanId loan) throws UnknownLoanException {
    expire();
    Loan returned = loans.remove(loan);
    if (returned == null) {
      throw new UnknownLoanException(loan + " has ended or was never made");
    }
    end(returned);
    LOG.info("{} has returned {} bytes; {}", returned.borrower, returned.bytes, lentNow());
  }

  private synchronized String lentNow() {
    return String.format(
        Locale.ROOT,
        "%d loans, %,d of %,d bytes",
        loans.size(),
        (long) lent * unitBytes,
        (long) units * unitBytes);
  }

  /** Returns the bytes of the present loans by the address of their borrower. */
  synchronized SortedMap<String, Long> borrowers() {
    SortedMap<String, Long> bytes = new TreeMap<>();
    loans.values().forEach(loan -> bytes.merge(loan.borrower, loan.bytes, Long::sum));
    return bytes;
  }

  /** Returns the bytes of the present loans, in whole units. */
  public synchronized long lentBytes() {
    return (long) lent * unitBytes;
  }

  /** Returns the most bytes that are lent at a time. */
  public long capacityBytes() {
    return (long) units * unitBytes;
  }

  /** Returns the number of present loans. */
  public synchronized int loans() {
    return loans.size();
  }
}
