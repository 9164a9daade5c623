package io.idlalayer.datacontroller.settings;

import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.settings.DataSettings.Staging;

/** Settings for tests: stages by the rank of the gain, fixed shares, eviction by stage. */
public final class TestSettings {
  private TestSettings() {}

  public static DataSettings of(
      Ratios ratios, int budget, int maxSamples, long maxBytes, int maxUnlabeled) {
    return new DataSettings(
        Staging.defaults().with(Score.CONTRIBUTION),
        Replay.of(Policy.STAGE_SHARES, ratios, false, budget),
        maxSamples,
        maxBytes,
        maxUnlabeled,
        DataSettings.Eviction.STAGES);
  }
}
