package io.idlalayer.modelcontroller.engine.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.compile.NetworkCompiler;
import io.idlalayer.modelcontroller.engine.compile.NetworkConfiguration;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.StoredArray;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.distribution.Distribution;
import org.deeplearning4j.nn.conf.distribution.NormalDistribution;
import org.deeplearning4j.nn.conf.distribution.OrthogonalDistribution;
import org.deeplearning4j.nn.conf.distribution.TruncatedNormalDistribution;
import org.deeplearning4j.nn.conf.distribution.UniformDistribution;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.weights.IWeightInit;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.nn.weights.WeightInitDistribution;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Compares new networks with those that Deeplearning4j's own builders make. */
final class InitialNetworkTest {
  private static final List<String> ENTRIES =
      List.of(
          ModelArtifact.CONFIGURATION_ENTRY,
          ModelArtifact.COEFFICIENTS_ENTRY,
          ModelArtifact.UPDATER_STATE_ENTRY);

  private static Map<String, byte[]> theirs(ModelSpec spec, long seed) throws Exception {
    try (ArrayNetwork network = LibraryBuilders.create(spec, seed)) {
      return ZipEntries.read(network.encode(), ENTRIES, ZipEntries.LARGEST_BYTES);
    }
  }

  private static NetworkPlan plan(ModelSpec spec, ObjectNode configuration) throws Exception {
    return NetworkCompiler.compile(NetworkConfiguration.read(configuration), spec.inputWidth());
  }

  private static String ours(ModelSpec spec, long seed) throws Exception {
    ObjectNode configuration = InitialNetwork.configuration(spec, seed);
    LayerTrees.nameParameters(configuration, plan(spec, configuration));
    return ConfigurationJson.text(configuration);
  }

  private static float[] theirParameters(ModelSpec spec, long seed) throws Exception {
    byte[] array = Objects.requireNonNull(theirs(spec, seed).get(ModelArtifact.COEFFICIENTS_ENTRY));
    return Objects.requireNonNull(
        StoredArray.read(ByteBuffer.wrap(array), "the parameters").floats());
  }

  private static float[] ourParameters(ModelSpec spec, long seed) throws Exception {
    ObjectNode configuration = InitialNetwork.configuration(spec, seed);
    return InitialParameters.of(NetworkConfiguration.read(configuration), plan(spec, configuration))
        .draw(seed);
  }

  private static List<ModelSpec> specified() {
    List<ModelSpec> specs = new ArrayList<>();
    for (ModelSpec.Updater updater : ModelSpec.Updater.values()) {
      for (double l2 : new double[] {0, 1e-4}) {
        ModelSpec.Fit fit = new ModelSpec.Fit(32, 1, updater, 0.01, l2);
        for (SampleSchema schema : List.of(Trainings.classes(64, 3), Trainings.target(64))) {
          for (ModelSpec.Network network :
              List.of(
                  new ModelSpec.Network.Mlp(List.of()),
                  new ModelSpec.Network.Mlp(List.of(8, 5)),
                  new ModelSpec.Network.Mlp(List.of(8), 2),
                  new ModelSpec.Network.Mlp(List.of(6, 4), 16),
                  new ModelSpec.Network.Cnn(8, 8, 1, List.of(4, 6), 7),
                  new ModelSpec.Network.Cnn(4, 8, 2, List.of(3), 5))) {
            specs.add(new ModelSpec(schema, network, fit, true));
          }
        }
        specs.add(TestNetworks.dlrm(fit));
        specs.add(TestNetworks.wideAndDeep(fit));
      }
    }
    for (TargetLoss loss :
        List.of(
            TargetLoss.ABSOLUTE,
            TargetLoss.POISSON,
            TargetLoss.huber(1.5),
            TargetLoss.quantile(0.9))) {
      for (int members : new int[] {1, 3}) {
        specs.add(
            new ModelSpec(
                    Trainings.target(4),
                    new ModelSpec.Network.Mlp(List.of(8), members),
                    Trainings.ADAM,
                    true)
                .with(loss));
      }
    }
    return specs;
  }

  @Tag("natives")
  @Test
  void configuration_ofASpecifiedNetwork_isThatOfDeeplearning4jsBuilders() throws Exception {
    for (ModelSpec spec : specified()) {
      byte[] expected = theirs(spec, 7).get(ModelArtifact.CONFIGURATION_ENTRY);
      assertThat(ours(spec, 7))
          .as("%s %s", spec.network(), spec.fit())
          .isEqualTo(new String(Objects.requireNonNull(expected), StandardCharsets.UTF_8));
    }
  }

  @Tag("natives")
  @Test
  void configuration_ofAUsersNetwork_isWhatDeeplearning4jMakesOfIt() throws Exception {
    for (ModelSpec spec : TestNetworks.ofEveryLayer()) {
      byte[] expected = theirs(spec, 1L << 40).get(ModelArtifact.CONFIGURATION_ENTRY);
      String found = ours(spec, 1L << 40);
      assertThat(found)
          .isEqualTo(new String(Objects.requireNonNull(expected), StandardCharsets.UTF_8));
      if (found.contains("\"vertices\"")) {
        assertThat(ComputationGraphConfiguration.fromJson(found).toJson()).isEqualTo(found);
      } else {
        assertThat(MultiLayerConfiguration.fromJson(found).toJson()).isEqualTo(found);
      }
    }
  }

  @Tag("natives")
  @Test
  void parameters_areAsManyAsDeeplearning4js_withTheSameConstants() throws Exception {
    List<ModelSpec> all = new ArrayList<>(specified());
    all.addAll(TestNetworks.ofEveryLayer());
    for (ModelSpec spec : all) {
      float[] expected = theirParameters(spec, 3);
      float[] found = ourParameters(spec, 3);
      assertThat(found).as("%s", spec.network()).hasSameSizeAs(expected);
      for (int i = 0; i < found.length; i++) {
        if (expected[i] == 0 || expected[i] == 1) {
          assertThat(found[i]).as("%s, parameter %d", spec.network(), i).isEqualTo(expected[i]);
        }
      }
    }
  }

  private static ModelSpec wide(IWeightInit init) {
    SampleSchema schema = Trainings.classes(100, 2);
    MultiLayerConfiguration configuration =
        new NeuralNetConfiguration.Builder()
            .updater(new Sgd(0.1))
            .weightInit(init)
            .biasInit(0.25)
            .list()
            .layer(new ConvolutionLayer.Builder(3, 5).stride(1, 2).nOut(200).hasBias(false).build())
            .layer(new DenseLayer.Builder().nOut(40).build())
            .layer(
                new OutputLayer.Builder(LossFunction.MCXENT)
                    .nOut(2)
                    .activation(Activation.SOFTMAX)
                    .build())
            .setInputType(InputType.convolutionalFlat(10, 10, 1))
            .build();
    return new ModelSpec(
        schema, new ModelSpec.Network.Dl4jJson(configuration.toJson()), Trainings.ADAM, false);
  }

  private static IWeightInit drawn(Distribution distribution) {
    return new WeightInitDistribution(distribution);
  }

  private record Moments(double mean, double deviation, double fourth, double largest) {
    static Moments of(float[] values, int from, int to) {
      double sum = 0;
      double squares = 0;
      double fourths = 0;
      double largest = 0;
      for (int i = from; i < to; i++) {
        sum += values[i];
      }
      double mean = sum / (to - from);
      for (int i = from; i < to; i++) {
        double distance = values[i] - mean;
        squares += distance * distance;
        fourths += distance * distance * distance * distance;
        largest = Math.max(largest, Math.abs(distance));
      }
      double variance = squares / (to - from);
      return new Moments(
          mean,
          Math.sqrt(variance),
          variance == 0 ? 0 : fourths / (to - from) / (variance * variance),
          largest);
    }
  }

  /** A convolution of 15 x 200 weights, and a product of 4,800 x 40 whose fans are others. */
  @Tag("natives")
  @Test
  void weights_haveTheMomentsOfDeeplearning4js() throws Exception {
    List<IWeightInit> inits = new ArrayList<>();
    for (WeightInit each : WeightInit.values()) {
      if (each != WeightInit.DISTRIBUTION
          && each != WeightInit.IDENTITY
          && each != WeightInit.XAVIER_LEGACY) {
        inits.add(each.getWeightInitFunction());
      }
    }
    inits.add(drawn(new NormalDistribution(0.5, 0.1)));
    inits.add(drawn(new TruncatedNormalDistribution(0.5, 0.1)));
    inits.add(drawn(new UniformDistribution(-1, 3)));
    for (IWeightInit init : inits) {
      ModelSpec spec = wide(init);
      float[] expected = theirParameters(spec, 5);
      float[] found = ourParameters(spec, 5);
      int filters = 15 * 200;
      for (int[] range : new int[][] {{0, filters}, {filters, filters + 4_800 * 40}}) {
        Moments theirs = Moments.of(expected, range[0], range[1]);
        Moments ours = Moments.of(found, range[0], range[1]);
        double error = 5 * theirs.deviation() / Math.sqrt(range[1] - range[0]) + 1e-9;
        String name = init.getClass().getSimpleName();
        assertThat(ours.mean()).as(name).isCloseTo(theirs.mean(), within(2 * error));
        assertThat(ours.deviation()).as(name).isCloseTo(theirs.deviation(), within(2 * error));
        // The error of a kurtosis of n normal numbers is the root of 24 / n.
        double rough = 5 * Math.sqrt(48.0 / (range[1] - range[0]));
        assertThat(ours.fourth()).as(name).isCloseTo(theirs.fourth(), within(rough));
      }
      assertThat(Arrays.copyOfRange(found, found.length - 2, found.length))
          .containsExactly(0.25f, 0.25f);
    }
  }

  @Test
  void draw_isDeterminedByTheSeed() throws Exception {
    ModelSpec spec = TestNetworks.dlrm(Trainings.ADAM);
    assertThat(ourParameters(spec, 3)).containsExactly(ourParameters(spec, 3));
    assertThat(ourParameters(spec, 3)).isNotEqualTo(ourParameters(spec, 4));
    // These bits begin each lineage, on every machine and with every Java.
    assertThat(Arrays.hashCode(ourParameters(spec, 3))).isEqualTo(594_846_778);
  }

  @Tag("natives")
  @Test
  void anInitialisation_thatIsNotKnown_isNamed() {
    ModelSpec spec = wide(drawn(new OrthogonalDistribution(1.0)));
    assertThatThrownBy(() -> ourParameters(spec, 1))
        .isInstanceOf(UncompilableException.class)
        .hasMessageContaining("OrthogonalDistribution")
        .hasMessageContaining("layer 'layer0'");
  }
}
