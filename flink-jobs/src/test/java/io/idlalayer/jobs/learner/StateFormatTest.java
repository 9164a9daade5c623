package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Updates and models in keyed state. */
final class StateFormatTest {
  private static final UpdateRecord.Firing FIRING =
      new UpdateRecord.Firing(1500, 2, 1, ExampleEvents.grounds("why"));

  private static FiredUpdate fired(long... passed) {
    return new FiredUpdate(
        new Selection(7, new long[] {3, 4}, new long[] {1}, passed),
        new long[] {1000, 1001},
        FIRING);
  }

  private static AcceptedModel model(UpdateRecord update) {
    TreeMap<String, Long> offsets = new TreeMap<>();
    offsets.put("events-0", 42L);
    return new AcceptedModel(
        new ModelArtifact(new TreeMap<>()), update, "parent", "digest", offsets, 99);
  }

  @Test
  void firedUpdate_withALabelTakenBack_isReadAsItWasWritten() {
    FiredUpdate written = fired(4).withdrawing(3).withdrawing(1);
    FiredUpdate read = FiredUpdate.decode(written.encode());
    assertThat(read.firing()).isEqualTo(FIRING);
    assertThat(read.arrivedAtMillis()).containsExactly(1000, 1001);
    assertThat(read.selection().passedIds()).containsExactly(4);
    assertThat(read.withdrawnIds()).containsExactly(1, 3);
    FiredUpdate left = read.with(new long[] {3, 4});
    assertThat(left.selection().newIds()).containsExactly(4);
    assertThat(left.selection().replayedIds()).isEmpty();
    assertThat(left.arrivedAtMillis()).containsExactly(1001);
    assertThat(left.firing().newSamples()).isEqualTo(1);
  }

  @Test
  void model_withEveryPart_isReadAsItWasWritten() {
    TensorUse tensors = new TensorUse("cached-arrays", 1, 2, 3, 4, 5, 6, 0.5, 7, 8, 9, 10);
    UpdateRecord update =
        UpdateRecord.fired(7, FIRING)
            .trained(new UpdateRecord.Training(5, 0.5, 0.75, 0.625, tensors))
            .published(new UpdateRecord.Published(6, 1600));
    AcceptedModel written = model(update);
    AcceptedModel read = AcceptedModel.decode(written.encodeHead(), written.encodeArtifact());
    assertThat(read.update()).isEqualTo(update);
    assertThat(read.trainedNewSamples()).isEqualTo(99);
    assertThat(read.publishedVersion()).isEqualTo(6);
  }

  @Test
  void model_thatIsNotPublished_isReadWithoutThatPart() {
    UpdateRecord update =
        UpdateRecord.fired(7, FIRING).trained(new UpdateRecord.Training(5, 0.5, 0.75, 0.625, null));
    AcceptedModel written = model(update);
    AcceptedModel read = AcceptedModel.decode(written.encodeHead(), written.encodeArtifact());
    assertThat(read.update()).isEqualTo(update);
    assertThat(read.update().published()).isNull();
  }

  @Test
  void stateOfALaterProgram_isRefused() {
    byte[] later = fired().encode();
    later[0] = 2;
    assertThatThrownBy(() -> FiredUpdate.decode(later))
        .hasMessageContaining("format version 2, this program reads 1");
  }
}
