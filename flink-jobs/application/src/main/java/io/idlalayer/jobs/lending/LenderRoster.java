package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The lenders that have announced themselves. A lender leaves when it says so, or when it has
 * missed {@value #PERIODS} announcements by the clock of this process: clocks of other machines are
 * not used. Any thread.
 */
final class LenderRoster {
  static final int MOST_LENDERS = 64;

  private static final int PERIODS = 3;

  private static final Set<String> LOOPBACK = Set.of("localhost", "::1");

  private final String self;

  // Guarded by this.
  private final Map<LenderAddress, Listed> listed = new HashMap<>();

  private record Listed(long freeBytes, long untilNanos) {}

  /**
   * @param self name of this process, which does not borrow from itself
   */
  LenderRoster(String self) {
    this.self = self;
  }

  /**
   * Records an announcement, unless it is of this process, or of a loopback address of another
   * machine. While {@value #MOST_LENDERS} lenders are listed, others are ignored.
   *
   * @param nowNanos monotonic
   */
  synchronized void heard(LenderAnnouncement announcement, long nowNanos) {
    String process = announcement.process();
    boolean reachable =
        !loopback(announcement.address()) || LendingProcess.onOneHost(process, self);
    if (process.equals(self) || !reachable) {
      return;
    }
    removeSilent(nowNanos);
    if (listed.size() < MOST_LENDERS || listed.containsKey(announcement.address())) {
      long nanos = TimeUnit.MILLISECONDS.toNanos(PERIODS * announcement.periodMillis());
      listed.put(announcement.address(), new Listed(announcement.freeBytes(), nowNanos + nanos));
    }
  }

  private static boolean loopback(LenderAddress address) {
    return address.host().startsWith("127.") || LOOPBACK.contains(address.host());
  }

  /** Records that a lender has ended. */
  synchronized void ended(LenderAddress address) {
    listed.remove(address);
  }

  /**
   * Returns the lenders with free memory, those with the most first.
   *
   * @param nowNanos monotonic
   */
  synchronized List<LenderAddress> lenders(long nowNanos) {
    removeSilent(nowNanos);
    return listed.entrySet().stream()
        .filter(each -> each.getValue().freeBytes() > 0)
        .sorted(
            Comparator.comparingLong(
                    (Map.Entry<LenderAddress, Listed> each) -> -each.getValue().freeBytes())
                .thenComparing(each -> each.getKey().toString()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void removeSilent(long nowNanos) {
    listed.values().removeIf(each -> nowNanos - each.untilNanos() > 0);
  }
}
