package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import org.junit.jupiter.api.Tag;

/** A graph of layers, from a configuration. */
@Tag("natives")
@Tag("stress")
final class GraphTrainerTest extends TrainerContract {
  @Override
  TrainingEngine engine(ModelSpec spec) {
    return Trainings.dl4jEngine(spec);
  }

  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return TestNetworks.graph(TestNetworks.residual(schema, fit));
  }
}
