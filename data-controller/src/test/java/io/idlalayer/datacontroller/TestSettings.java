package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.DataSettings.Policy;
import io.idlalayer.datacontroller.DataSettings.Ratios;
import io.idlalayer.datacontroller.DataSettings.Replay;
import io.idlalayer.datacontroller.DataSettings.Score;
import io.idlalayer.datacontroller.DataSettings.Staging;

/** Settings for tests: stages by the rank of the gain, fixed shares. */
public final class TestSettings {
  private TestSettings() {}

  public static DataSettings of(
      Ratios ratios, int budget, int maxSamples, long maxBytes, int maxUnlabeled) {
    return new DataSettings(
        Staging.defaults().with(Score.CONTRIBUTION),
        Replay.of(Policy.STAGE_SHARES, ratios, false, budget),
        maxSamples,
        maxBytes,
        maxUnlabeled);
  }
}
