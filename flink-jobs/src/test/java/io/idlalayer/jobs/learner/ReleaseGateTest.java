package io.idlalayer.jobs.learner;

import static io.idlalayer.jobs.learner.GateScenario.gate;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.ScoredBatch;
import io.idlalayer.modelcontroller.evaluation.ScoringBatch;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Arrays;
import java.util.Collections;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is compared with what, and what is said of it when. */
final class ReleaseGateTest {
  @Test
  void restored_theVersionInServiceIsOfAnotherLineage_nothingIsComparedWithIt() {
    ServedVersion found = new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>()));
    ReleaseGate foreign = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 0);
    foreign.restored(found, false);
    assertThat(foreign.accepted(0)).as("published at once").isFalse();
    assertThat(foreign.rival()).isNull();
    assertThat(foreign.inServiceVersion()).isEqualTo(7);
    ReleaseGate own = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 0);
    own.restored(found, true);
    assertThat(own.accepted(0)).isTrue();
    assertThat(own.rival()).isNotNull();
  }

  /** So many samples that both models predicted rightly. */
  private static ScoredBatch scoredAlike(int count) {
    return scoredAlike(count, 1);
  }

  private static ScoredBatch scoredAlike(int count, long model) {
    float[] right = new float[count];
    Arrays.fill(right, 1);
    Sample sample = new Sample("s", new float[] {1}, new int[0], 1);
    return new ScoredBatch(
        ScoringBatch.toCompare(
            new long[count], Collections.nCopies(count, sample), IdVectors.NONE, IdVectors.NONE),
        new float[count],
        right,
        "",
        new ScoredBatch.Rival(1, model, new float[count], right));
  }

  /**
   * Scoring is slower than updates: the samples that decide were all scored by the model before.
   */
  @Test
  void accepted_theVersionInServiceScoredNothing_isNoBaseline() {
    ReleaseGate gate = new ReleaseGate(gate(Action.OFF, AfterPublishing.ROLL_BACK), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    gate.accepted(0);
    gate.published(new ServedVersion(8, "digest", 4, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(512, 1));
    gate.accepted(1);
    gate.published(new ServedVersion(9, "digest", 5, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(88, 1));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).as("of the version that was found good").isEqualTo(3);
    assertThat(gate.opened()).isTrue();
  }

  @Test
  void accepted_theVersionInServiceScoredTheLastSamples_isTheBaseline() {
    ReleaseGate gate = new ReleaseGate(gate(Action.OFF, AfterPublishing.ROLL_BACK), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    gate.accepted(0);
    gate.published(new ServedVersion(8, "digest", 4, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(512, 1));
    gate.accepted(1);
    gate.published(new ServedVersion(9, "digest", 5, new ModelArtifact(new TreeMap<>())));
    gate.add(scoredAlike(88, 2));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).isEqualTo(5);
  }

  @Test
  void hold_trustedSamplesTakeLong_nothingIsSaidBeforeTheLast() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(256));
    assertThat(gate.doubtful()).as("a newer model may not take its place").isFalse();
    assertThat(gate.look(9_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(256));
    assertThat(gate.look(18_000, false)).as("the scorer works").isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(88));
    assertThat(gate.look(27_000, false)).isEqualTo(ReleaseGate.Step.RELEASE);
  }

  @Test
  void hold_trustedSamplesAreNotScored_isSaidAndPublished() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 600);
    gate.restored(new ServedVersion(7, "digest", 3, new ModelArtifact(new TreeMap<>())), true);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(256));
    assertThat(gate.look(5_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(14_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(15_000, false)).isEqualTo(ReleaseGate.Step.RELEASE_UNCOMPARED);
  }

  @Test
  void newestServes_untilItIsRefusedOrRolledBack() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.ROLL_BACK), 0);
    assertThat(gate.newestServes()).isTrue();
    gate.published(new ServedVersion(1, "a", 1, new ModelArtifact(new TreeMap<>())));
    gate.refused();
    assertThat(gate.newestServes()).isFalse();
    gate.published(new ServedVersion(2, "b", 2, new ModelArtifact(new TreeMap<>())));
    assertThat(gate.newestServes()).isTrue();
    gate.rolledBack(new ServedVersion(2, "b", 2, new ModelArtifact(new TreeMap<>())), false);
    assertThat(gate.newestServes()).isFalse();
  }
}
