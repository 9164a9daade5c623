package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.artifact.ModelSpec;
import java.util.List;

/** The networks that the product builds. */
final class MlpTrainerTest extends Dl4jTrainerContract {
  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec.Network.Mlp(List.of(16));
  }
}
