package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.ChildProcess;
import io.idlalayer.testkit.Tries;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that uses Deeplearning4j's engine without a trainer does not die of a collection. */
@Tag("natives")
final class CollectedArraysIT {
  private static final int STEPS = Tries.choose(200, 20_000);

  @Test
  void fit_garbageIsCollectedAllTheTime_reachesTheEnd() throws Exception {
    try (ChildProcess process =
        ChildProcess.start(CollectedArraysMain.class, Integer.toString(STEPS))) {
      String said = process.end();
      assertThat(process.exitCode()).as(said).isZero();
      assertThat(said)
          .contains(CollectedArraysMain.FREED_BY + "nd4j-memory")
          .contains(CollectedArraysMain.STEPS + STEPS);
    }
  }
}
