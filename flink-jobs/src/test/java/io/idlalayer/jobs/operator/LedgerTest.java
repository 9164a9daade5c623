package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LedgerTest {
  @Test
  void everythingComesBackFromState() {
    Ledger ledger = new Ledger();
    ledger.received = 10;
    ledger.malformed = 1;
    ledger.unlabeled = 2;
    ledger.duplicates = 3;
    ledger.revived = 4;
    ledger.joined = 5;
    ledger.quarantined = 6;
    ledger.trainedNewSamples = 7;
    ledger.updates = 8;
    ledger.modelVersion = 9;
    ledger.passedOver = 10;
    ledger.read("events", 0, 41);
    ledger.passed("events", 1, 7);

    Ledger restored = Ledger.decode(ledger.encode().clone());

    assertThat(restored)
        .usingRecursiveComparison()
        .ignoringFields("encoded", "inputs")
        .isEqualTo(ledger);
    assertThat(restored.inputOffsets()).isEqualTo(ledger.inputOffsets());
  }

  @Test
  void aPositionNeverGoesBack_butWithItsLog() {
    Ledger ledger = new Ledger();
    ledger.read("events", 0, 6);
    ledger.passed("events", 0, 2);
    assertThat(ledger.inputOffsets()).containsEntry("events-0", 7L);
    ledger.cut("events", 0, 4);
    ledger.cut("events", 3, 4);
    assertThat(ledger.inputOffsets()).containsOnlyKeys("events-0").containsEntry("events-0", 4L);
  }

  @Test
  void dataAfterTheEndReopensTheInput() {
    Ledger ledger = new Ledger();
    ledger.finish();
    ledger.read("events", 0, 6);
    assertThat(ledger.finished()).isFalse();
  }

  @Test
  void aFinishedLedgerStaysFinishedThroughState() {
    Ledger ledger = new Ledger();
    ledger.finish();
    assertThat(Ledger.decode(ledger.encode().clone()).finished()).isTrue();
  }

  @Test
  void stateOfANewerProgramIsRefused() {
    byte[] newer = new Ledger().encode().clone();
    newer[0] = 4;
    assertThatThrownBy(() -> Ledger.decode(newer))
        .hasMessageContaining("ledger state has format version 4");
  }
}
