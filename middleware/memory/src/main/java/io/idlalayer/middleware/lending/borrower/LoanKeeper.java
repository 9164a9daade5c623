package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes, renews and gives up the loan of one lender; see {@link LoanState}. A loan that is lost is
 * never used again: the next one has another epoch, so that bytes of the lost one are not taken for
 * bytes of the new one. {@link #tend} is called by one thread, the rest by any.
 */
final class LoanKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoanKeeper.class);
  private static final int RENEWALS = 4;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LenderLink link;
  private final BorrowerSettings settings;
  private final long bytes;
  private final LocalCost local;
  private final PlaceCost cost;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private LoanState state = LoanState.NONE;
  private int epoch;
  private long pauseNanos;
  private long nextNanos;
  private long heldNanos;
  private long losses;
  private long probedNanos;

  private final LongAdder copied = new LongAdder();
  private volatile @Nullable Held held;

  /**
   * A loan that is held.
   *
   * @param epoch number of the loan, ascending from 1
   */
  record Held(Loan loan, int epoch) {}

  /**
   * @param bytes size of the loan
   * @param local cost of the local place, which a loan must be below
   * @param cost cost of the loan's place, told of each probe
   */
  LoanKeeper(
      LenderLink link,
      BorrowerSettings settings,
      long bytes,
      LocalCost local,
      PlaceCost cost,
      LongSupplier nanoTime) {
    this.link = link;
    this.settings = settings;
    this.bytes = bytes;
    this.local = local;
    this.cost = cost;
    this.nanoTime = nanoTime;
    pauseNanos = settings.pauses().first().toNanos();
    nextNanos = nanoTime.getAsLong();
  }

  /** The cost of the place that this process has without a loan. */
  @FunctionalInterface
  interface LocalCost {
    /** Returns the nanoseconds of {@link PlaceCost#roundTripNanos}. */
    long roundTripNanos();
  }

  /** Returns the present loan; null if there is none. */
  @Nullable Held held() {
    return held;
  }

  /** Renews the loan or asks for one, if it is time to. */
  void tend() {
    long now = nanoTime.getAsLong();
    synchronized (this) {
      if (state == LoanState.CLOSED || now - nextNanos < 0) {
        return;
      }
    }
    Held present = held;
    if (present == null) {
      take();
    } else {
      renew(present);
    }
  }

  private void renew(Held present) {
    try {
      present.loan().renew();
      synchronized (this) {
        long now = nanoTime.getAsLong();
        nextNanos = now + renewalNanos(present.loan());
        if (now - heldNanos >= settings.pauses().most().toNanos()) {
          pauseNanos = settings.pauses().first().toNanos();
        }
      }
    } catch (IOException failed) {
      lose(present, failed);
    }
  }

  private static long renewalNanos(Loan loan) {
    return Math.max(1, loan.leaseMillis() / RENEWALS) * NANOS_PER_MILLI;
  }

  private void take() {
    try {
      Loan loan = Loan.take(link, settings, bytes);
      DeviceSpeed speed = new LenderProbe(nanoTime).measure(loan, bytes);
      PlaceCost found = new PlaceCost(speed);
      long localNanos = local.roundTripNanos();
      synchronized (this) {
        probedNanos = found.roundTripNanos();
      }
      if (found.roundTripNanos() < localNanos) {
        hold(loan, speed);
      } else {
        LOG.info(
            "{} is returned: a MiB takes {} ns there and back, and {} ns on the local device",
            loan,
            found.roundTripNanos(),
            localNanos);
        loan.giveBack();
        pause(settings.pauses().most().toNanos());
      }
    } catch (IOException failed) {
      long pause;
      synchronized (this) {
        pause = pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, settings.pauses().most().toNanos());
      }
      LOG.info("{} lends nothing now: {}", link, failed.getMessage());
      pause(pause);
    }
  }

  private synchronized void pause(long nanos) {
    nextNanos = nanoTime.getAsLong() + nanos;
  }

  private void hold(Loan loan, DeviceSpeed speed) {
    boolean late;
    synchronized (this) {
      late = state == LoanState.CLOSED;
      if (!late) {
        cost.probed(speed);
        state = LoanState.HELD;
        held = new Held(loan, ++epoch);
        heldNanos = nanoTime.getAsLong();
        nextNanos = heldNanos + renewalNanos(loan);
        LOG.info("borrowed {} bytes: {}, {}", bytes, loan, speed);
      }
    }
    if (late) {
      giveBack(loan);
    }
  }

  /** Gives up a loan that has failed. Does nothing if that was done before. */
  synchronized void lose(Held lost, Throwable cause) {
    if (!lost.equals(held)) {
      return;
    }
    held = null;
    losses++;
    state = state == LoanState.CLOSED ? state : LoanState.NONE;
    nextNanos = nanoTime.getAsLong() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, settings.pauses().most().toNanos());
    LOG.warn("{} is lost with its bytes: {}", lost.loan(), String.valueOf(cause.getMessage()));
  }

  /** Counts bytes that were copied to or from the loan. */
  void copied(long count) {
    copied.add(count);
  }

  /** Returns how the loan is used. */
  synchronized LoanUse use() {
    boolean there = held != null;
    return new LoanUse(
        link.address(),
        there ? bytes : 0,
        copied.sum(),
        epoch,
        losses,
        there ? cost.roundTripNanos() : probedNanos);
  }

  /** Returns the present state. */
  synchronized LoanState state() {
    return state;
  }

  /** Returns the loan to the lender and ends the connections. */
  @Override
  public void close() {
    Held present;
    synchronized (this) {
      present = held;
      held = null;
      state = LoanState.CLOSED;
    }
    if (present != null) {
      giveBack(present.loan());
    }
    link.close();
  }

  private static void giveBack(Loan loan) {
    try {
      loan.giveBack();
    } catch (IOException gone) {
      LOG.info("{} was not returned and ends with its lease: {}", loan, gone.getMessage());
    }
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
