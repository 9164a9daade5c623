package io.idlalayer.jobs.lending;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LenderRosterTest {
  private static final long SECOND = 1_000_000_000;

  private static final String SELF = "mine/1/1";

  private final LenderRoster roster = new LenderRoster(SELF);

  private static LenderAddress lender(int number) {
    return new LenderAddress("host", number);
  }

  private static LenderAnnouncement announcement(int number, long freeBytes) {
    return new LenderAnnouncement(lender(number), "process-" + number, freeBytes, 10_000);
  }

  @Test
  void lenders_withFreeMemory_areThoseWithTheMostFirst() {
    roster.heard(announcement(1, 100), 0);
    roster.heard(announcement(2, 300), 0);
    roster.heard(announcement(3, 0), 0);
    roster.heard(announcement(4, 100), 0);
    assertThat(roster.lenders(0)).containsExactly(lender(2), lender(1), lender(4));
    roster.heard(announcement(2, 50), 1);
    assertThat(roster.lenders(1)).containsExactly(lender(1), lender(4), lender(2));
    roster.ended(lender(4));
    assertThat(roster.lenders(1)).containsExactly(lender(1), lender(2));
  }

  @Test
  void lenders_thatAreSilentForThreePeriods_leave() {
    roster.heard(announcement(1, 100), 0);
    assertThat(roster.lenders(30 * SECOND)).containsExactly(lender(1));
    assertThat(roster.lenders(30 * SECOND + 1)).isEmpty();
  }

  @Test
  void lenders_ofThisProcess_areLeftOut() {
    roster.heard(new LenderAnnouncement(lender(1), SELF, 100, 10_000), 0);
    assertThat(roster.lenders(0)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "localhost", "::1"})
  void lenders_onLoopbackAddresses_areThoseOfThisMachine(String host) {
    LenderAddress address = new LenderAddress(host, 7475);
    roster.heard(new LenderAnnouncement(address, "other/7/7", 100, 10_000), 0);
    roster.heard(new LenderAnnouncement(address, "no name of a process", 100, 10_000), 0);
    assertThat(roster.lenders(0)).isEmpty();
    roster.heard(new LenderAnnouncement(address, "mine/7/7", 100, 10_000), 0);
    assertThat(roster.lenders(0)).containsExactly(address);
  }

  @Test
  void lenders_beyondTheBound_areIgnoredUntilOthersLeave() {
    for (int i = 1; i <= 100; i++) {
      roster.heard(announcement(i, i), i);
    }
    assertThat(roster.lenders(100)).hasSize(LenderRoster.MOST_LENDERS).doesNotContain(lender(100));
    roster.heard(announcement(1, 7_000), 101);
    assertThat(roster.lenders(101)).first().isEqualTo(lender(1));
    roster.heard(announcement(100, 8_000), 100 * SECOND);
    assertThat(roster.lenders(100 * SECOND)).containsExactly(lender(100));
  }

  @Test
  void announcement_encodedAndDecoded_isTheSame() {
    LenderAnnouncement said =
        new LenderAnnouncement(new LenderAddress("::1", 7475), "host/1/2", 1L << 40, 10_000);
    assertThat(LenderAnnouncement.decode(LenderAnnouncement.key(said.address()), said.encode()))
        .contains(said);
    assertThat(LenderAnnouncement.decode(LenderAnnouncement.key(lender(1)), said.encode()))
        .as("the key of another lender")
        .isEmpty();
    assertThat(LenderAnnouncement.decode(null, said.encode())).isEmpty();
    assertThat(LenderAnnouncement.decode(LenderAnnouncement.key(said.address()), null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "7",
        "[]",
        "{",
        "{\"formatVersion\":1}",
        "{\"formatVersion\":2,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":-1,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":0}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":4000000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":null,\"freeBytes\":1,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":\"1\",\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1e3,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":10000}",
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":10000} 7"
      })
  void announcement_thatIsNone_isIgnored(String json) {
    assertThat(
            LenderAnnouncement.decode(
                LenderAnnouncement.key(lender(1)), json.getBytes(StandardCharsets.UTF_8)))
        .isEmpty();
  }

  @Test
  void announcement_ofALaterWriter_isReadWithoutItsNewFields() {
    String json =
        "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"process\":\"p\",\"freeBytes\":1,"
            + "\"periodMillis\":10000,\"later\":true}";
    assertThat(
            LenderAnnouncement.decode(
                LenderAnnouncement.key(lender(1)), json.getBytes(StandardCharsets.UTF_8)))
        .contains(new LenderAnnouncement(lender(1), "p", 1, 10_000));
    String longer = json.replace("\"p\"", "\"" + "p".repeat(3_000) + "\"");
    assertThat(
            LenderAnnouncement.decode(
                LenderAnnouncement.key(lender(1)), longer.getBytes(StandardCharsets.UTF_8)))
        .as("too long")
        .isEmpty();
  }
}
