package io.idlalayer.jobs.capacity;

import io.idlalayer.jobs.settings.NetworkChecks;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.NetworkLibrary;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;

/**
 * Checks networks by compiling them, as the training will. A check needs the memory of the network
 * while it runs.
 */
public final class TrainingChecks implements NetworkChecks {
  @Override
  public Optional<String> network(ModelSpec spec, EngineName engine) {
    return EngineChoice.problem(engine, spec);
  }

  @Override
  public Optional<String> engine(ModelSpec spec, boolean placed) {
    return EngineChoice.obstacle(spec, placed);
  }

  @Override
  public Optional<String> library() {
    return NetworkLibrary.isProvided() ? Optional.empty() : Optional.of(NetworkLibrary.MISSING);
  }

  @Override
  public Optional<String> onnx(ModelSpec spec) {
    return OnnxModel.problem(spec, () -> EngineChoice.newFile(spec));
  }
}
