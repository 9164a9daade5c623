package io.idlalayer.modelcontroller.deeplearning4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingSteps;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Closing a network frees its memory and collects no garbage. */
@Tag("natives")
final class ClosedNetworksTest {
  private static final int CLOSES = 20;

  private static ModelSpec spec(boolean graph) {
    ModelSpec stacked = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
    return graph
        ? new ModelSpec(
            stacked.schema(),
            TestNetworks.graph(TestNetworks.residual(stacked.schema(), Trainings.ADAM)),
            Trainings.ADAM,
            true)
        : stacked;
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }

  private static Model trained(ArrayNetwork network, ModelSpec spec) throws Exception {
    try (TrainingSteps steps = LibraryTrainingSteps.of(network)) {
      steps.fit(new float[2 * spec.inputWidth()], new float[] {0, 1, 1, 0}, 2, null);
    }
    return network instanceof GraphNetwork graph
        ? graph.layers()
        : ((StackedNetwork) network).layers();
  }

  private static INDArray updaterState(Model network) {
    return network instanceof ComputationGraph graph
        ? graph.getUpdater().getStateViewArray()
        : ((MultiLayerNetwork) network).getUpdater().getStateViewArray();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void close_ofATrainedNetwork_freesAllItsArrays(boolean graph) throws Exception {
    ModelSpec spec = spec(graph);
    List<DataBuffer> buffers = new ArrayList<>();
    try (ArrayNetwork network = LibraryBuilders.create(spec, 1)) {
      Model inner = trained(network, spec);
      buffers.addAll(
          List.of(
              inner.params().data(),
              inner.getGradientsViewArray().data(),
              updaterState(inner).data()));
      assertThat(buffers).noneMatch(DataBuffer::wasClosed);
    }
    assertThat(buffers).allMatch(DataBuffer::wasClosed);
    assertThat(Nd4j.getWorkspaceManager().getAllWorkspacesForCurrentThread()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void close_ofManyNetworks_collectsNoGarbage(boolean graph) throws Exception {
    ModelSpec spec = spec(graph);
    ModelArtifact artifact;
    try (Trainer trainer = Trainings.dl4j(spec)) {
      artifact =
          trainer
              .train(new TrainingRequest(null, Trainings.batch(1, Trainings.separable(64, 1)), 7))
              .model();
    }
    long before = collections();
    for (int i = 0; i < CLOSES; i++) {
      LibraryBuilders.create(spec, i).close();
      Dl4jModel.load(artifact).close();
      assertThat(EngineChoice.obstacle(spec, false)).isEmpty();
    }
    // The young generation fills a few times.
    assertThat(collections() - before).isLessThan(CLOSES);
  }
}
