package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelcontroller.training.NetworkLibrary;
import io.idlalayer.modelcontroller.training.TrainingEngine;
import io.idlalayer.modelloader.nd4j.Dl4jRuntime;
import io.idlalayer.modelloader.nd4j.NativeBackend;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Optional;

/**
 * The network library of Deeplearning4j and SameDiff, which trains the networks that iDlaLayer's
 * engine does not support.
 */
public final class Deeplearning4j implements NetworkLibrary {
  private static final String EPOCHS_ARE_NOT_COUNTED =
      "schedules of ScheduleType.EPOCH stay at their first value, since a learner counts no epochs;"
          + " use ScheduleType.ITERATION, which counts mini-batches";

  @Override
  public String name() {
    return "deeplearning4j " + Dl4jRuntime.version();
  }

  @Override
  public Optional<String> obstacle() {
    return NativeBackend.obstacle();
  }

  @Override
  public List<String> warnings(ModelSpec spec) {
    return NetworkFactory.countsEpochs(spec) ? List.of(EPOCHS_ARE_NOT_COUNTED) : List.of();
  }

  @Override
  public TrainingEngine engine(ModelSpec spec) {
    return new Dl4jEngine(spec);
  }

  @Override
  public Optional<String> problem(ModelSpec spec) {
    return NetworkCheck.problem(spec);
  }
}
