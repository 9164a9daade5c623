package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The fake that simulations publish to keeps to the contract of the real place. */
final class FakeModelsTest extends PublishedModelsContract {
  private boolean fails;

  @Override
  PublishedModels open() {
    return new FakeModels(() -> fails);
  }

  @Test
  void publish_thatFails_leavesTheCurrentVersion() throws Exception {
    fails = true;
    PublishedModels models = open();
    assertThatThrownBy(() -> models.publish(null)).isInstanceOf(IOException.class);
    assertThat(models.current()).isEmpty();
  }
}
