package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.memory.places.PlaceCost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The lenders that several places of a borrower share. It decides which lender a place asks next:
 * the first one of the directory that no other place has, and whose pause has ended. And it counts
 * what each lender that was asked has lent. A lender that has left the directory keeps its pause
 * and its counts, as long as the pool has at most {@value #MOST_LENDERS} lenders; the totals
 * include the others. Any thread.
 */
final class LenderPool {
  static final int MOST_LENDERS = 64;

  private final LenderDirectory directory;
  private final BorrowerSettings.Pauses pauses;

  // Guarded by this.
  private final Map<LenderAddress, Lender> lenders = new LinkedHashMap<>();

  private LoanTotals forgotten = LoanTotals.NONE;

  /** A lender, which at most one place uses. All but the number of copied bytes is the pool's. */
  final class Lender {
    private final LenderAddress address;
    private final LongAdder copiedBytes = new LongAdder();
    private boolean reserved;
    private long nextNanos;
    private long pauseNanos = pauses.first().toNanos();
    private long heldBytes;
    private long taken;
    private long losses;
    private long probedNanos;
    private @Nullable PlaceCost cost;

    private Lender(LenderAddress address, long nowNanos) {
      this.address = address;
      nextNanos = nowNanos;
    }

    LenderAddress address() {
      return address;
    }

    private boolean mayBeAsked(long nowNanos) {
      return !reserved && nowNanos - nextNanos >= 0;
    }

    /** Counts bytes that were copied to or from a loan of this lender. */
    void copied(long bytes) {
      copiedBytes.add(bytes);
    }

    /** Records the time of writing and reading a MiB, from a probe. */
    void probed(long roundTripNanos) {
      synchronized (LenderPool.this) {
        probedNanos = roundTripNanos;
      }
    }

    /**
     * Records that a loan begins.
     *
     * @param placeCost the cost of its place, which later copies correct
     */
    void lent(long bytes, PlaceCost placeCost) {
      synchronized (LenderPool.this) {
        heldBytes = bytes;
        cost = placeCost;
        taken++;
      }
    }

    /** Records that the lender has kept its promise for a while: the next pause is a short one. */
    void proved() {
      synchronized (LenderPool.this) {
        pauseNanos = pauses.first().toNanos();
      }
    }

    /** Ends the use of a lender that has lost a loan with its bytes. */
    void lost(long nowNanos) {
      synchronized (LenderPool.this) {
        losses++;
        failed(nowNanos);
      }
    }

    /** Ends the use of a lender that has refused a loan, or did not answer. */
    void failed(long nowNanos) {
      synchronized (LenderPool.this) {
        end(nowNanos + pauseNanos);
        pauseNanos = Math.min(2 * pauseNanos, pauses.most().toNanos());
      }
    }

    /** Ends the use of a lender that was slower than the local place. */
    void tooSlow(long nowNanos) {
      synchronized (LenderPool.this) {
        end(nowNanos + pauses.most().toNanos());
      }
    }

    /** Ends the use of a lender whose loan was given back. */
    void released(long nowNanos) {
      synchronized (LenderPool.this) {
        end(nowNanos);
      }
    }

    private void end(long next) {
      if (cost != null) {
        probedNanos = cost.roundTripNanos();
      }
      cost = null;
      heldBytes = 0;
      nextNanos = next;
      reserved = false;
    }

    private LoanUse use() {
      return new LoanUse(
          address,
          heldBytes,
          copiedBytes.sum(),
          taken,
          losses,
          cost == null ? probedNanos : cost.roundTripNanos());
    }
  }

  LenderPool(LenderDirectory directory, BorrowerSettings.Pauses pauses) {
    this.directory = directory;
    this.pauses = pauses;
  }

  /**
   * Reserves the lender that a place should ask now. The reservation lasts until the lender has
   * {@linkplain Lender#lost lost} a loan, {@linkplain Lender#failed failed}, was {@linkplain
   * Lender#tooSlow too slow}, or is {@linkplain Lender#released released}.
   *
   * @param nowNanos monotonic
   * @return the lender; null if no lender should be asked now
   */
  @Nullable Lender reserve(long nowNanos) {
    List<LenderAddress> known = directory.lenders();
    synchronized (this) {
      for (LenderAddress address : known) {
        Lender lender = lenders.get(address);
        if (lender == null || lender.mayBeAsked(nowNanos)) {
          return reserved(address, known, nowNanos);
        }
      }
      return null;
    }
  }

  private Lender reserved(LenderAddress address, List<LenderAddress> known, long nowNanos) {
    Lender lender = lenders.computeIfAbsent(address, each -> new Lender(each, nowNanos));
    lender.reserved = true;
    forget(known);
    return lender;
  }

  /** Removes the oldest lenders that are unknown and unused, while there are too many. */
  private void forget(List<LenderAddress> known) {
    var each = lenders.values().iterator();
    while (lenders.size() > MOST_LENDERS && each.hasNext()) {
      Lender lender = each.next();
      if (!lender.reserved && !known.contains(lender.address)) {
        forgotten = forgotten.plus(lender.use());
        each.remove();
      }
    }
  }

  /** Returns how each lender is used that a place has asked, also if it has left the directory. */
  synchronized List<LoanUse> uses() {
    return lenders.values().stream().map(Lender::use).toList();
  }

  /** Returns the counts of all lenders so far. */
  synchronized LoanTotals totals() {
    LoanTotals totals = forgotten;
    for (Lender each : lenders.values()) {
      totals = totals.plus(each.use());
    }
    return totals;
  }
}
