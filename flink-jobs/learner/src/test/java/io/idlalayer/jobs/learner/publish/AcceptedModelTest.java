package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class AcceptedModelTest {
  private static final UpdateRecord FIRED =
      UpdateRecord.fired(7, new UpdateRecord.Firing(1500, 2, 1, ExampleEvents.grounds("why")));

  private static AcceptedModel model(UpdateRecord update) {
    return new AcceptedModel(
        update,
        new ModelArtifact(new TreeMap<>(Map.of("a", new byte[] {1}, "b", new byte[0]))),
        new Lineage("parent", "digest", new TreeMap<>(Map.of("events-0", 42L)), 99),
        new byte[] {7},
        true);
  }

  private static AcceptedModel restored(AcceptedModel model) {
    return AcceptedModel.restore(model.snapshot(), model.artifactSnapshot());
  }

  @Test
  void restore_withEveryPart_isAsItWas() {
    UpdateRecord update =
        FIRED
            .trained(new UpdateRecord.Training(5, 0.5, 0.75, 0.625, ExampleEvents.tensors()))
            .published(new UpdateRecord.Published(6, 1600));
    AcceptedModel read = restored(model(update));
    assertThat(read.update()).isEqualTo(update);
    assertThat(read.lineage())
        .isEqualTo(new Lineage("parent", "digest", new TreeMap<>(Map.of("events-0", 42L)), 99));
    assertThat(read.publishedVersion()).isEqualTo(6);
    assertThat(read.artifact().files()).containsOnlyKeys("a", "b");
    assertThat(read.artifact().files().get("a")).containsExactly(1);
  }

  @Test
  void restore_ofWhatIsNotPublished_leavesThatPartOut() {
    UpdateRecord update = FIRED.trained(new UpdateRecord.Training(5, 0.5, 0.75, 0.625, null));
    AcceptedModel read = restored(model(update));
    assertThat(read.update()).isEqualTo(update);
    assertThat(read.update().published()).isNull();
  }

  @Test
  void restore_filesOfSomethingElse_isRefused() {
    AcceptedModel model = model(FIRED);
    assertThatThrownBy(() -> AcceptedModel.restore(model.snapshot(), model.snapshot()))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("'model artifact'")
        .hasMessageContaining("of 'accepted model'");
  }
}
