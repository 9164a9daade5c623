package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TensorGrantTest {
  @Test
  void refused_bytesThatAreNotWantedAnyMore_leavesTheNewGrant() {
    TensorGrant grant = new TensorGrant(64);
    grant.want(1024);
    long carriedOut = grant.wantedBytes();
    grant.want(2048);

    grant.refused(carriedOut, "there is no memory");

    assertThat(grant.refusal()).isEmpty();
    assertThat(grant.wantedBytes()).isEqualTo(2048);
    grant.refused(2048, "there is no memory");
    assertThat(grant.refusal()).isEqualTo("there is no memory");
    assertThat(grant.wantedBytes()).isZero();
  }
}
