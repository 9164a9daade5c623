package io.idlalayer.jobs.lending;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.lending.LenderAnnouncement.Lender;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LenderAnnouncementTest {
  private static final Lender LENDER =
      new Lender(new LenderAddress("host", 1), new LendingProcess("m", "p"));
  private static final String GOOD =
      "{\"formatVersion\":1,\"host\":\"host\",\"port\":1,\"machine\":\"m\",\"process\":\"p\",\"freeBytes\":1,\"periodMillis\":10000}";

  private static Optional<LenderAnnouncement> decoded(String json) {
    return LenderAnnouncement.decode(LENDER.key(), json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void announcement_encodedAndDecoded_isTheSame() {
    LenderAnnouncement said =
        new LenderAnnouncement(
            new Lender(new LenderAddress("::1", 7475), LendingProcess.CURRENT), 1L << 40, 10_000);
    assertThat(LenderAnnouncement.decode(said.lender().key(), said.encode())).contains(said);
    assertThat(LenderAnnouncement.decode(LENDER.key(), said.encode()))
        .as("the key of another lender")
        .isEmpty();
    assertThat(LenderAnnouncement.decode(null, said.encode())).isEmpty();
    assertThat(LenderAnnouncement.decode(said.lender().key(), null)).isEmpty();
  }

  @Test
  void announcement_ofALaterWriter_isReadWithoutItsNewFields() {
    LenderAnnouncement good = new LenderAnnouncement(LENDER, 1, 10_000);
    assertThat(decoded(GOOD)).contains(good);
    assertThat(decoded(GOOD.replace("}", ",\"later\":true}"))).contains(good);
    assertThat(decoded(GOOD.replace("}", ",\"later\":\"" + "x".repeat(3_000) + "\"}")))
        .as("too long")
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "7", "[]", "{", "{\"formatVersion\":1}"})
  void announcement_thatIsNoObjectOrLacksFields_isIgnored(String json) {
    assertThat(decoded(json)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"formatVersion\":1 -> \"formatVersion\":2",
        "\"freeBytes\":1 -> \"freeBytes\":-1",
        "\"freeBytes\":1 -> \"freeBytes\":1e3",
        "\"freeBytes\":1 -> \"freeBytes\":1,\"freeBytes\":1",
        "10000 -> 0",
        "10000 -> 60001",
        "\"port\":1 -> \"port\":\"1\"",
        "\"port\":1 -> \"port\":0",
        "\"host\":\"host\" -> \"host\":\"\"",
        "\"process\":\"p\" -> \"process\":null",
        "\"process\":\"p\" -> \"process\":\"p q\"",
        "\"machine\":\"m\" -> \"machine\":\"\"",
        "} -> } 7"
      })
  void announcement_withAWrongValue_isIgnored(String change) {
    String[] sides = change.split(" -> ");
    assertThat(GOOD).contains(sides[0]);
    assertThat(decoded(GOOD.replace(sides[0], sides[1]))).isEmpty();
  }

  @Test
  void current_process_isTheSameEachTime() {
    assertThat(LendingProcess.CURRENT.name()).startsWith(ProcessHandle.current().pid() + "@");
    assertThat(LendingProcess.CURRENT.machine()).isNotEmpty();
  }
}
