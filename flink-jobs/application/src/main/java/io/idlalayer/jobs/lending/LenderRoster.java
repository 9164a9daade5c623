package io.idlalayer.jobs.lending;

import io.idlalayer.jobs.lending.LenderAnnouncement.Lender;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The lenders that have announced themselves and that this process can reach. A lender leaves when
 * it says so, or when it has missed {@value #PERIODS} announcements by the clock of this process:
 * clocks of other machines are not used. If there are too many, the one that was heard longest ago
 * leaves. Any thread.
 */
final class LenderRoster {
  static final int MOST_LENDERS = 64;

  private static final int PERIODS = 3;

  private final LendingProcess self;

  // Guarded by this.
  private final Map<LenderAddress, Listed> listed = new HashMap<>();

  /** Lenders on loopback addresses of other machines. */
  private final Set<Lender> unreachable = new HashSet<>();

  private record Listed(Lender lender, long freeBytes, long heardNanos, long patienceNanos) {}

  /**
   * @param self this process, which does not borrow from itself
   */
  LenderRoster(LendingProcess self) {
    this.self = self;
  }

  /**
   * Records an announcement.
   *
   * @param nowNanos monotonic
   */
  synchronized void heard(LenderAnnouncement announcement, long nowNanos) {
    Lender lender = announcement.lender();
    if (lender.process().equals(self)) {
      return;
    }
    if (lender.address().isLoopback() && !lender.process().machine().equals(self.machine())) {
      if (unreachable.size() < MOST_LENDERS) {
        unreachable.add(lender);
      }
      return;
    }
    long patience = TimeUnit.MILLISECONDS.toNanos(PERIODS * announcement.periodMillis());
    listed.put(lender.address(), new Listed(lender, announcement.freeBytes(), nowNanos, patience));
    removeSilent(nowNanos);
    while (listed.size() > MOST_LENDERS) {
      listed.values().stream()
          .max(Comparator.comparingLong(each -> nowNanos - each.heardNanos()))
          .ifPresent(each -> listed.remove(each.lender().address()));
    }
  }

  /**
   * Records that a lender has ended.
   *
   * @param key text of the lender; nothing happens if it is none
   */
  synchronized void ended(String key) {
    listed.values().removeIf(each -> each.lender().toString().equals(key));
    unreachable.removeIf(each -> each.toString().equals(key));
  }

  /**
   * Returns the lenders with free memory, those with the most first.
   *
   * @param nowNanos monotonic
   */
  synchronized List<LenderAddress> lenders(long nowNanos) {
    removeSilent(nowNanos);
    return listed.values().stream()
        .filter(each -> each.freeBytes() > 0)
        .sorted(
            Comparator.comparingLong((Listed each) -> -each.freeBytes())
                .thenComparing(each -> each.lender().toString()))
        .map(each -> each.lender().address())
        .toList();
  }

  /** Returns the number of lenders that only processes of their own machine can reach. */
  synchronized int unreachable() {
    return unreachable.size();
  }

  private void removeSilent(long nowNanos) {
    listed.values().removeIf(each -> nowNanos - each.heardNanos() > each.patienceNanos());
  }
}
