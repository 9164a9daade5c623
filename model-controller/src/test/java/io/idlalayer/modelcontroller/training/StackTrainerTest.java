package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.artifact.ModelSpec;

/** Layers one after the other, from a configuration. */
final class StackTrainerTest extends Dl4jTrainerContract {
  @Override
  ModelSpec.Network network(SampleSchema schema, ModelSpec.Fit fit) {
    return TestNetworks.stack(schema, fit);
  }
}
