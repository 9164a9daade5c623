package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.Selection;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.modelcontroller.training.ModelArtifact;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.UpdateDecision.Facts;
import java.io.IOException;
import java.io.InputStream;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keyed state of this and of earlier programs. */
final class StateFormatTest {
  private byte[] fixture(String name) throws IOException {
    try (InputStream in = getClass().getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static PendingUpdate pending(Facts facts, long... passed) {
    return new PendingUpdate(
        new Selection(7, new long[] {3, 4}, new long[] {1}, passed),
        new long[] {1000, 1001},
        1500,
        new Explanation("area", "why", 2, 1.5, 1.25, 0.5, 0.25, 1, Explanation.NEVER, facts));
  }

  private static AcceptedModel model(UpdateView.Basis basis, @Nullable TensorUse tensors) {
    TreeMap<String, Long> offsets = new TreeMap<>();
    offsets.put("events-0", 42L);
    return new AcceptedModel(
        new ModelArtifact(new TreeMap<>()),
        new UpdateView(
            7, 6, 5, 1500, "area", "why", 1.5, 1.25, 2, 1, 0.5, 0.25, 0.75, 0.625, 1600, basis,
            tensors),
        "parent",
        "digest",
        offsets,
        99);
  }

  @Test
  void pendingUpdate_withALabelTakenBack_isReadAsItWasWritten() {
    PendingUpdate written =
        pending(new Facts(1.125, 2, 3, 4, 5, 6, 7, 8, 9), 4).withdrawing(3).withdrawing(1);
    PendingUpdate read = PendingUpdate.decode(written.encode());
    assertThat(read.explanation()).isEqualTo(written.explanation());
    assertThat(read.arrivedAtMillis()).containsExactly(1000, 1001);
    assertThat(read.selection().passedIds()).containsExactly(4);
    assertThat(read.withdrawnIds()).containsExactly(1, 3);
    PendingUpdate left = read.with(new long[] {3, 4});
    assertThat(left.selection().newIds()).containsExactly(4);
    assertThat(left.selection().replayedIds()).isEmpty();
    assertThat(left.arrivedAtMillis()).containsExactly(1001);
  }

  @Test
  void aModelHeadOfFormat1IsStillRead() throws IOException {
    AcceptedModel expected = model(UpdateView.Basis.UNKNOWN, null);
    AcceptedModel read =
        AcceptedModel.decode(fixture("model-head-1.bin"), expected.encodeArtifact());
    assertThat(read.update()).isEqualTo(expected.update());
    assertThat(read.encodeHead()).isEqualTo(expected.encodeHead());
  }

  @Test
  void aModelHeadOfFormat2IsStillRead() throws IOException {
    AcceptedModel expected = model(new UpdateView.Basis(1.125, 1, 2, 3, 4, 5, 6), null);
    AcceptedModel read =
        AcceptedModel.decode(fixture("model-head-2.bin"), expected.encodeArtifact());
    assertThat(read.update()).isEqualTo(expected.update());
    assertThat(read.encodeHead()).isEqualTo(expected.encodeHead());
  }

  @Test
  void aModelHeadOfFormat3IsReadAndWritten() throws IOException {
    AcceptedModel written =
        model(
            new UpdateView.Basis(1.125, 1, 2, 3, 4, 5, 6),
            new TensorUse("cached-arrays", 1, 2, 3, 4, 5, 6, 0.5, 7, 8, 9, 10));
    assertThat(written.encodeHead()).isEqualTo(fixture("model-head-3.bin"));
    AcceptedModel read = AcceptedModel.decode(written.encodeHead(), written.encodeArtifact());
    assertThat(read.update()).isEqualTo(written.update());
    assertThat(read.trainedNewSamples()).isEqualTo(99);
  }

  @Test
  void stateOfALaterProgramIsRefused() {
    byte[] later = pending(Facts.NONE).encode();
    later[0] = 5;
    assertThatThrownBy(() -> PendingUpdate.decode(later))
        .hasMessageContaining("format version 5, this program reads 4");
  }
}
