package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Map;
import java.util.TreeMap;

/** What a learner knows of a mixed model, for the test of its format. */
public final class MixedBases {
  private MixedBases() {}

  public static byte[] example() {
    return new MixedBase(
            7,
            new float[] {1, 2.5f},
            3,
            "digest",
            new float[] {-1, 0},
            new int[] {4, 0},
            40,
            new ModelArtifact(new TreeMap<>(Map.of("model.zip", new byte[] {1, 2}))))
        .snapshot(true);
  }

  public static byte[] readAndWritten(byte[] bytes) {
    return MixedBase.restore(bytes).snapshot(MixedBase.open(bytes));
  }
}
