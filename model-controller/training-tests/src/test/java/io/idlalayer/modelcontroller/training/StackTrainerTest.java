package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import org.junit.jupiter.api.Tag;

/** Layers one after the other, from a configuration. */
@Tag("natives")
final class StackTrainerTest extends TrainerContract {
  @Override
  TrainingEngine engine(ModelSpec spec) {
    return Trainings.dl4jEngine(spec);
  }

  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return TestNetworks.stack(schema, fit);
  }
}
