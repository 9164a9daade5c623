package io.idlalayer.benchmarks.campaign.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ModelRecoveryTest {
  private static final long LATER = ModelRecovery.START_NANOS + 11;

  private final ModelRecovery recovery = new ModelRecovery();

  @Test
  void certain_twoCheckpointsAfterAVersion_afterTheTimeOfAStart() {
    recovery.started(0);
    recovery.looked(1, 0, 0);
    recovery.looked(2, 1, 5);
    assertThat(recovery.certain(LATER)).isFalse();
    recovery.looked(3, 1, 10);
    assertThat(recovery.certain(20)).isFalse();
    assertThat(recovery.certain(LATER)).isTrue();
  }

  /** The second run completes a checkpoint before its first training: no model is in it. */
  @Test
  void certain_aKillBetweenTheCheckpoints_isNot() {
    recovery.started(0);
    recovery.looked(1, 9, 0);
    recovery.started(9);
    recovery.looked(2, 9, 5);
    recovery.looked(3, 16, 10);
    assertThat(recovery.certain(LATER)).isFalse();
    recovery.looked(4, 17, 10);
    assertThat(recovery.certain(LATER)).isTrue();
  }

  @Test
  void certain_aKillLater_staysSo() {
    recovery.looked(1, 1, 0);
    recovery.looked(2, 1, 10);
    recovery.started(4);
    assertThat(recovery.certain(LATER)).isTrue();
  }
}
