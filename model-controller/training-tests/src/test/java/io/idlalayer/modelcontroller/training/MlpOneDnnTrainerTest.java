package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** The networks that the product builds, with oneDNN. */
@Tag("natives")
final class MlpOneDnnTrainerTest extends TrainerContract {
  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec.Network.Mlp(List.of(16));
  }

  @Override
  TrainingEngine engine(ModelSpec spec) {
    return new TapeEngine(spec, new OneDnnKernels());
  }
}
