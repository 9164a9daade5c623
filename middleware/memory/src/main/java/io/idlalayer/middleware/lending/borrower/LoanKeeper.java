package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes, renews and gives up the loan of one place; see {@link LoanState}. Another loan can be one
 * of another lender. A loan that is lost is never used again: the next one has another epoch, so
 * that bytes of the lost one are not taken for bytes of the new one. {@link #tend} is called by one
 * thread, the rest by any.
 */
final class LoanKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoanKeeper.class);
  private static final int RENEWALS = 4;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LenderPool lenders;
  private final Function<LenderAddress, LenderLink> links;
  private final BorrowerSettings settings;
  private final long bytes;
  private final LocalCost local;
  private final PlaceCost cost;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private LoanState state = LoanState.NONE;
  private int epoch;
  private long nextNanos;
  private long heldNanos;
  private @Nullable LenderLink asked;

  private volatile @Nullable Held held;

  /**
   * A loan that is held.
   *
   * @param link the connections of the loan, which end with it
   * @param epoch number of the loan, ascending from 1
   */
  record Held(LenderPool.Lender lender, LenderLink link, Loan loan, int epoch) {}

  /**
   * @param links makes the connections with a lender
   * @param bytes size of the loan
   * @param local cost of the local place, which a loan must be below
   * @param cost cost of the loan's place, told of each probe
   */
  LoanKeeper(
      LenderPool lenders,
      Function<LenderAddress, LenderLink> links,
      BorrowerSettings settings,
      long bytes,
      LocalCost local,
      PlaceCost cost,
      LongSupplier nanoTime) {
    this.lenders = lenders;
    this.links = links;
    this.settings = settings;
    this.bytes = bytes;
    this.local = local;
    this.cost = cost;
    this.nanoTime = nanoTime;
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
    Held present = held;
    synchronized (this) {
      if (state == LoanState.CLOSED || (present != null && now - nextNanos < 0)) {
        return;
      }
    }
    if (present != null) {
      renew(present);
      return;
    }
    LenderPool.Lender lender = lenders.reserve(now);
    if (lender != null) {
      take(lender);
    }
  }

  private void renew(Held present) {
    try {
      present.loan().renew();
      synchronized (this) {
        long now = nanoTime.getAsLong();
        nextNanos = now + renewalNanos(present.loan());
        if (now - heldNanos >= settings.pauses().most().toNanos()) {
          present.lender().proved();
        }
      }
    } catch (IOException failed) {
      lose(present, failed);
    }
  }

  private static long renewalNanos(Loan loan) {
    return Math.max(1, loan.leaseMillis() / RENEWALS) * NANOS_PER_MILLI;
  }

  private void take(LenderPool.Lender lender) {
    Attempt attempt = new Attempt(lender);
    try {
      attempt.run();
    } catch (IOException failed) {
      LOG.info("{} lends nothing now: {}", lender.address(), failed.getMessage());
    } finally {
      attempt.end();
    }
  }

  /** Asks a lender for a loan. Whatever happens, the lender can be asked again later. */
  private final class Attempt {
    private final LenderPool.Lender lender;
    private @Nullable LenderLink link;
    private @Nullable Loan loan;
    private boolean slow;
    private boolean holds;

    Attempt(LenderPool.Lender lender) {
      this.lender = lender;
    }

    void run() throws IOException {
      LenderLink made = links.apply(lender.address());
      link = made;
      if (!ask(made)) {
        return;
      }
      Loan taken = Loan.take(made, settings, bytes);
      loan = taken;
      DeviceSpeed speed = new LenderProbe(nanoTime).measure(taken, bytes);
      long foundNanos = new PlaceCost(speed).roundTripNanos();
      lender.probed(foundNanos);
      long localNanos = local.roundTripNanos();
      slow = foundNanos >= localNanos;
      if (slow) {
        LOG.info(
            "{} is returned: a MiB takes {} ns there and back, and {} ns on the local device",
            taken,
            foundNanos,
            localNanos);
      } else {
        holds = hold(lender, made, taken, speed);
      }
    }

    /** Ends the connections, and gives the loan back, unless the loan is used from now on. */
    void end() {
      synchronized (LoanKeeper.this) {
        asked = null;
      }
      if (holds) {
        return;
      }
      if (loan != null) {
        giveBack(loan);
      }
      if (link != null) {
        link.close();
      }
      if (slow) {
        lender.tooSlow(nanoTime.getAsLong());
      } else {
        lender.failed(nanoTime.getAsLong());
      }
    }
  }

  /** Makes {@link #close} end connections over which a loan is asked for; false after it. */
  private synchronized boolean ask(LenderLink link) {
    if (state == LoanState.CLOSED) {
      return false;
    }
    asked = link;
    return true;
  }

  /** Begins to use a loan, unless the keeper was closed meanwhile. */
  private synchronized boolean hold(
      LenderPool.Lender lender, LenderLink link, Loan loan, DeviceSpeed speed) {
    if (state == LoanState.CLOSED) {
      return false;
    }
    cost.probed(speed);
    state = LoanState.HELD;
    held = new Held(lender, link, loan, ++epoch);
    lender.lent(bytes, cost);
    heldNanos = nanoTime.getAsLong();
    nextNanos = heldNanos + renewalNanos(loan);
    LOG.info("borrowed {} bytes: {}, {}", bytes, loan, speed);
    return true;
  }

  /** Gives up a loan that has failed. Does nothing if that was done before. */
  synchronized void lose(Held lost, Throwable cause) {
    if (!lost.equals(held)) {
      return;
    }
    held = null;
    state = state == LoanState.CLOSED ? state : LoanState.NONE;
    lost.lender().lost(nanoTime.getAsLong());
    lost.link().close();
    LOG.warn("{} is lost with its bytes: {}", lost.loan(), String.valueOf(cause.getMessage()));
  }

  /** Returns the present state. */
  synchronized LoanState state() {
    return state;
  }

  /** Returns the loan to the lender and ends the connections, also those of a request. */
  @Override
  public void close() {
    Held present;
    LenderLink asking;
    synchronized (this) {
      present = held;
      asking = asked;
      held = null;
      state = LoanState.CLOSED;
    }
    if (present != null) {
      giveBack(present.loan());
      present.link().close();
      present.lender().released(nanoTime.getAsLong());
    }
    if (asking != null) {
      asking.close();
    }
  }

  private static void giveBack(Loan loan) {
    try {
      loan.giveBack();
    } catch (IOException gone) {
      LOG.info("{} was not returned and ends with its lease: {}", loan, gone.getMessage());
    }
  }
}
