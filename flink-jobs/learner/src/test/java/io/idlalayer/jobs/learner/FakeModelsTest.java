package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.PublishedModelsContract;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The fake that simulations publish to keeps to the contract of the real place. */
final class FakeModelsTest extends PublishedModelsContract {
  @Override
  protected PublishedModels open() {
    return new FakeModels();
  }

  @Test
  void publish_thatFails_leavesTheCurrentVersion() throws Exception {
    FakeModels models = new FakeModels();
    models.publishing = FakeModels.Fault.FAILS;
    assertThatThrownBy(() -> models.publish(null)).isInstanceOf(IOException.class);
    assertThat(models.current()).isEmpty();
  }
}
