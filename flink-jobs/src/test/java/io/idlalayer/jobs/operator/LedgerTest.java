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
    ledger.ended("events", 1, 7, 2);

    Ledger restored = Ledger.decode(ledger.encode().clone());

    assertThat(restored)
        .usingRecursiveComparison()
        .ignoringFields("encoded", "inputs")
        .isEqualTo(ledger);
    assertThat(restored.inputOffsets()).isEqualTo(ledger.inputOffsets());
    assertThat(restored.allEnded()).isFalse();
  }

  @Test
  void endedOnlyWhenEveryPartitionHasEnded() {
    Ledger ledger = new Ledger();
    ledger.ended("events", 0, 5, 2);
    assertThat(ledger.allEnded()).isFalse();
    ledger.ended("events", 1, 5, 2);
    assertThat(ledger.allEnded()).isTrue();
  }

  @Test
  void dataAfterTheEndReopensTheInput() {
    Ledger ledger = new Ledger();
    ledger.ended("events", 0, 5, 1);
    ledger.finish();
    ledger.read("events", 0, 6);
    assertThat(ledger.allEnded()).isFalse();
    assertThat(ledger.finished()).isFalse();
    assertThat(ledger.inputOffsets()).containsEntry("events-0", 7L);
  }

  @Test
  void aFinishedLedgerStaysFinishedThroughState() {
    Ledger ledger = new Ledger();
    ledger.ended("events", 0, 5, 1);
    ledger.finish();
    assertThat(Ledger.decode(ledger.encode().clone()).finished()).isTrue();
  }

  @Test
  void stateOfANewerProgramIsRefused() {
    byte[] newer = new Ledger().encode().clone();
    newer[0] = 3;
    assertThatThrownBy(() -> Ledger.decode(newer))
        .hasMessageContaining("ledger state has format version 3");
  }
}
