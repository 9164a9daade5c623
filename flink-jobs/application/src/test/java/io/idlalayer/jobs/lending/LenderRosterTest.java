package io.idlalayer.jobs.lending;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.lending.LenderAnnouncement.Lender;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LenderRosterTest {
  private static final long SECOND = 1_000_000_000;
  private static final LendingProcess SELF = new LendingProcess("here", "1@1");

  private final LenderRoster roster = new LenderRoster(SELF);

  private static LenderAddress address(int number) {
    return new LenderAddress("host", number);
  }

  private static LenderAnnouncement announcement(int number, long freeBytes) {
    return announcement(address(number), new LendingProcess("there", number + "@1"), freeBytes);
  }

  private static LenderAnnouncement announcement(
      LenderAddress address, LendingProcess process, long freeBytes) {
    return new LenderAnnouncement(new Lender(address, process), freeBytes, 10_000);
  }

  @Test
  void lenders_withFreeMemory_areThoseWithTheMostFirst() {
    roster.heard(announcement(1, 100), 0);
    roster.heard(announcement(2, 300), 0);
    roster.heard(announcement(3, 0), 0);
    roster.heard(announcement(4, 100), 0);
    assertThat(roster.lenders(0)).containsExactly(address(2), address(1), address(4));
    roster.heard(announcement(2, 50), 1);
    assertThat(roster.lenders(1)).containsExactly(address(1), address(4), address(2));
    roster.ended(announcement(4, 100).lender().toString());
    roster.ended("");
    roster.ended("no lender");
    assertThat(roster.lenders(1)).containsExactly(address(1), address(2));
  }

  @Test
  void lenders_thatAreSilentForThreePeriods_leave() {
    roster.heard(announcement(1, 100), 0);
    assertThat(roster.lenders(30 * SECOND)).containsExactly(address(1));
    assertThat(roster.lenders(30 * SECOND + 1)).isEmpty();
  }

  @Test
  void lenders_ofThisProcess_areLeftOut() {
    roster.heard(announcement(address(1), SELF, 100), 0);
    assertThat(roster.lenders(0)).isEmpty();
    roster.heard(announcement(address(1), new LendingProcess("here", "1@2"), 100), 0);
    assertThat(roster.lenders(0)).as("of another process here").containsExactly(address(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "localhost", "::1", "0:0:0:0:0:0:0:1"})
  void lenders_onLoopbackAddresses_areThoseOfThisMachine(String host) {
    LenderAddress loopback = new LenderAddress(host, 7475);
    LendingProcess there = new LendingProcess("there", "7@7");
    LendingProcess here = new LendingProcess("here", "7@7");
    roster.heard(announcement(loopback, there, 100), 0);
    assertThat(roster.lenders(0)).isEmpty();
    assertThat(roster.unreachable()).isEqualTo(1);
    roster.heard(announcement(loopback, here, 100), 0);
    roster.ended(announcement(loopback, there, 100).lender().toString());
    assertThat(roster.lenders(0)).as("not the one that ended there").containsExactly(loopback);
    assertThat(roster.unreachable()).isZero();
  }

  @Test
  void lenders_beyondTheBound_replaceThoseThatWereHeardLongestAgo() {
    for (int i = 1; i <= 100; i++) {
      roster.heard(announcement(i, i), i);
    }
    assertThat(roster.lenders(100))
        .hasSize(LenderRoster.MOST_LENDERS)
        .contains(address(100), address(37))
        .doesNotContain(address(36));
    roster.heard(announcement(37, 7_000), 101);
    roster.heard(announcement(101, 50), 102);
    assertThat(roster.lenders(102))
        .hasSize(LenderRoster.MOST_LENDERS)
        .contains(address(37), address(101))
        .doesNotContain(address(38));
  }
}
