package io.idlalayer.benchmarks.measure;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Map;

/** Settings of applications whose learner runs in virtual time, without topics and a hot cache. */
public final class VirtualApplication {
  private VirtualApplication() {}

  /** Settings of an application with one partition, which keeps two versions. */
  public static ApplicationSettings of(
      ModelSpec spec,
      EngineName engine,
      long seed,
      UpdateSettings update,
      DataSettings data,
      GateSettings gate) {
    return new ApplicationSettings(
        "virtual",
        1,
        seed,
        new ApplicationSettings.Input(
            "events",
            ApplicationSettings.Format.CSV,
            false,
            TextForm.PLAIN,
            spec.schema(),
            1 << 20),
        spec,
        engine,
        update,
        data,
        new ApplicationSettings.Publishing(null, 0.0, 2, gate, false),
        ApplicationSettings.Memory.ofHotBytes(0),
        new ApplicationSettings.Kafka("virtual-", Map.of()));
  }
}
