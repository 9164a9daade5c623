package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import org.junit.jupiter.api.Tag;

/** Layers one after the other, from a configuration, with oneDNN. */
@Tag("natives")
@Tag("stress")
final class StackOneDnnTrainerTest extends TrainerContract {
  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return TestNetworks.stack(schema, fit);
  }

  @Override
  TrainingEngine engine(ModelSpec spec) {
    return new TapeEngine(spec, new OneDnnKernels());
  }
}
