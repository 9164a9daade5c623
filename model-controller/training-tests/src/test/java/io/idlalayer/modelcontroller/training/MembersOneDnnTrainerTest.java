package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Several perceptrons side by side, with oneDNN. */
@Tag("natives")
final class MembersOneDnnTrainerTest extends TrainerContract {
  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec.Network.Mlp(List.of(16), 4);
  }

  @Override
  TrainingEngine engine(ModelSpec spec) {
    return new TapeEngine(spec, new OneDnnKernels());
  }
}
