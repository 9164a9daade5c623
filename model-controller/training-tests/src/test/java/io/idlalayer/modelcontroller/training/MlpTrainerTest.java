package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** The networks that the product builds. */
@Tag("natives")
@Tag("stress")
final class MlpTrainerTest extends TrainerContract {
  @Override
  TrainingEngine engine(ModelSpec spec) {
    return Trainings.dl4jEngine(spec);
  }

  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec.Network.Mlp(List.of(16));
  }
}
