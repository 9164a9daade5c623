package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.network.PairwiseDots;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.learning.regularization.L2Regularization;

/** Networks over features with tables. */
final class TableNetworksTest {
  private static final int ROWS = 7;

  static List<ModelSpec> networks() {
    return List.of(
        TestNetworks.dlrm(Trainings.ADAM),
        TestNetworks.wideAndDeep(Trainings.ADAM),
        TestNetworks.tables(new ModelSpec.Network.Mlp(List.of(8)), Trainings.ADAM));
  }

  private static ModelSpec withFit(ModelSpec spec, ModelSpec.Fit fit) {
    return new ModelSpec(spec.schema(), spec.network(), fit, false, spec.embeddings());
  }

  private static byte[] trained(ModelSpec spec, TrainingEngine engine) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    try (TrainableNetwork network = engine.create(5);
        TrainingSteps steps = network.steps(1)) {
      for (int i = 0; i < 5; i++) {
        float[] features = Parity.features(random, ROWS * spec.inputWidth(), 1);
        steps.fit(features, Parity.labels(random, ROWS, spec.outputWidth()), ROWS, null);
      }
      return network.encode();
    }
  }

  @Tag("natives")
  @ParameterizedTest
  @MethodSource("networks")
  void aFileOfTheEngine_isServedWithTheSamePredictions(ModelSpec spec) throws Exception {
    try (TrainingEngine engine = new TapeEngine(spec, MachineKernels.best())) {
      byte[] file = trained(spec, engine);
      float[] features = Parity.features(new SplittableRandom(2), ROWS * spec.inputWidth(), 2);
      try (TrainableNetwork ours = engine.decode(file);
          ArrayNetwork served = NetworkFactory.decode(spec, file)) {
        float[] expected = served.output(features, ROWS);
        float[] found = ours.output(features, ROWS);
        for (int i = 0; i < expected.length; i++) {
          assertThat(found[i]).isCloseTo(expected[i], within(1e-6f));
        }
        assertThat(ours.encode()).isEqualTo(file);
      }
    }
  }

  @Tag("natives")
  @Test
  void decode_otherFit_takesEffect() throws Exception {
    for (ModelSpec.Updater updater : ModelSpec.Updater.values()) {
      ModelSpec.Fit before = new ModelSpec.Fit(32, 1, updater, 0.01, 0.1);
      ModelSpec.Fit after = new ModelSpec.Fit(32, 1, updater, 0.5, 0.25);
      for (ModelSpec plain : List.of(TestNetworks.dlrm(before), TestNetworks.wideAndDeep(before))) {
        byte[] file;
        try (TrainingEngine engine = Trainings.dl4jEngine(plain)) {
          file = trained(plain, engine);
        }
        ModelSpec changed = withFit(plain, after);
        try (GraphNetwork network = (GraphNetwork) NetworkFactory.decode(changed, file)) {
          for (Layer layer : network.layers().getLayers()) {
            BaseLayer weighted = (BaseLayer) layer.conf().getLayer();
            assertThat(weighted.getIUpdater().getLearningRate(0, 0)).isEqualTo(0.5);
            assertThat(weighted.getRegularization()).containsExactly(new L2Regularization(0.25));
          }
        }
        // Both engines go on alike.
        SplittableRandom random = new SplittableRandom(3);
        float[] features = Parity.features(random, ROWS * plain.inputWidth(), 1);
        float[] labels = Parity.labels(random, ROWS, plain.outputWidth());
        try (TrainingEngine theirs = Trainings.dl4jEngine(changed);
            TrainingEngine ours = new TapeEngine(changed, MachineKernels.best());
            TrainableNetwork one = theirs.decode(file);
            TrainableNetwork other = ours.decode(file)) {
          one.steps(1).fit(features, labels, ROWS, null);
          other.steps(1).fit(features, labels, ROWS, null);
          Parity.assertSame(updater.toString(), other.encode(), one.encode());
        }
      }
    }
  }

  private static void assertRefused(ModelSpec spec, String... words) {
    assertThatThrownBy(() -> LibraryBuilders.create(spec, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(words);
  }

  @Tag("natives")
  @Test
  void create_withoutWhatTheNetworkTakes_isRefused() {
    ModelSpec.Network dlrm = new ModelSpec.Network.Dlrm(List.of(4), List.of(4));
    ModelSpec.Network wide = new ModelSpec.Network.WideAndDeep(List.of(4));
    SampleSchema schema = Trainings.classes(4, 3);
    assertRefused(
        TestNetworks.tables(dlrm, Trainings.ADAM, schema.label(), List.of(3, 4)), "[3, 4]");
    assertRefused(new ModelSpec(schema, dlrm, Trainings.ADAM, false), "features with tables", "[]");
    assertRefused(new ModelSpec(schema, wide, Trainings.ADAM, false), "features with tables");
    ModelSpec known = TestNetworks.dlrm(Trainings.ADAM);
    SampleSchema ids =
        new SampleSchema(
            List.of(), List.of(), List.of(), known.schema().ids(), schema.label(), null);
    assertRefused(
        new ModelSpec(ids, dlrm, Trainings.ADAM, false, known.embeddings()),
        "needs dense or categorical features");
  }

  @Tag("natives")
  @Test
  void decode_fileOfOtherTables_isRefused() throws Exception {
    ModelSpec wider =
        TestNetworks.tables(
            new ModelSpec.Network.WideAndDeep(List.of(16, 8)),
            Trainings.ADAM,
            Trainings.classes(4, 3).label(),
            List.of(4, 6));
    byte[] file;
    try (TrainingEngine engine = Trainings.dl4jEngine(wider)) {
      file = trained(wider, engine);
    }
    assertThatThrownBy(() -> NetworkFactory.decode(TestNetworks.wideAndDeep(Trainings.ADAM), file))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("takes the inputs");
  }

  /** This is the only class outside Deeplearning4j that a configuration may name. */
  @Tag("natives")
  @Test
  void create_graphWithAnotherClassOfOurs_isRefused() {
    String json = TestNetworks.parts().build().toJson();
    assertThat(json).contains(PairwiseDots.class.getName() + "\"");
    ModelSpec.Network other =
        new ModelSpec.Network.Dl4jJson(
            json.replace(
                PairwiseDots.class.getName() + "\"", PairwiseDots.class.getName() + "Vertex\""));
    assertRefused(
        new ModelSpec(Trainings.classes(6, 3), other, Trainings.ADAM, false), "names the class");
    ModelSpec.Network empty =
        new ModelSpec.Network.Dl4jJson(json.replace("\"dim\" : 2", "\"dim\" : 0"));
    assertRefused(
        new ModelSpec(Trainings.classes(6, 3), empty, Trainings.ADAM, false), "vectors of 0");
  }

  @Test
  void pairwiseDots_countEachPairOnce_andRefuseHalfVectors() {
    PairwiseDots dots = new PairwiseDots(4);
    assertThat(dots.getOutputType(0, InputType.feedForward(4), InputType.feedForward(8)))
        .isEqualTo(InputType.feedForward(3));
    assertThat(dots.clone()).isEqualTo(dots).hasSameHashCodeAs(dots);
    assertThatThrownBy(() -> dots.getOutputType(0, InputType.feedForward(6)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("6 numbers is not vectors of 4");
    assertThatThrownBy(() -> dots.getOutputType(0, InputType.recurrent(4)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
