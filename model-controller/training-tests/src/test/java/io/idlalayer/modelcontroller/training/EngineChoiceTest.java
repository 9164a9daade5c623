package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelloader.natives.KernelRuntime;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

@Tag("natives")
final class EngineChoiceTest {
  private static final ModelSpec MLP = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
  private static final ModelSpec GRAPH =
      new ModelSpec(
          Trainings.classes(2, 2),
          TestNetworks.graph(TestNetworks.residual(Trainings.classes(2, 2), Trainings.ADAM)),
          Trainings.ADAM,
          true);

  /** A vertex that the product's engine does not know. */
  private static final ModelSpec SCALED =
      new ModelSpec(
          Trainings.classes(2, 2),
          TestNetworks.graph(
              TestNetworks.joined(
                  Trainings.classes(2, 2), Trainings.ADAM, new L2NormalizeVertex())),
          Trainings.ADAM,
          true);

  @Test
  void auto_takesTheProductsEngineForAnMlpAndAGraph() {
    for (ModelSpec spec : List.of(MLP, GRAPH)) {
      EngineChoice.Description chosen = EngineChoice.of(EngineName.AUTO, spec, null).description();
      assertThat(chosen.name()).startsWith("onednn 3.");
      assertThat(chosen.threads()).isEqualTo(KernelRuntime.threads());
      assertThat(chosen.reason()).isEmpty();
    }
  }

  @Test
  void auto_takesDeeplearning4jForWhatTheEngineDoesNotKnow_andSaysWhy() {
    EngineChoice.Description graph = EngineChoice.of(EngineName.AUTO, SCALED, null).description();
    assertThat(graph.name()).startsWith("deeplearning4j ");
    assertThat(graph.reason()).contains("'sum' is a L2NormalizeVertex");
  }

  private static ModelSpec activated(IActivation function) {
    return stacked(network -> network.activation(function));
  }

  private static ModelSpec stacked(UnaryOperator<NeuralNetConfiguration.Builder> changed) {
    SampleSchema schema = Trainings.classes(2, 2);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Dl4jJson(
            changed
                .apply(TestNetworks.builder(Trainings.ADAM))
                .list()
                .layer(TestNetworks.dense(2, 16))
                .layer(TestNetworks.output(schema, 16))
                .build()
                .toJson()),
        Trainings.ADAM,
        true);
  }

  @Test
  void auto_ofAnEluWhoseAlphaIsNotOne_takesDeeplearning4j() {
    EngineChoice.Description other =
        EngineChoice.of(EngineName.AUTO, activated(new ActivationELU(0.5)), null).description();
    assertThat(other.name()).startsWith("deeplearning4j ");
    assertThat(other.reason()).contains("'layer0'", "ELU with alpha 0.5");
    assertThat(EngineChoice.of(EngineName.AUTO, activated(new ActivationELU()), null).description())
        .extracting(EngineChoice.Description::reason)
        .isEqualTo("");
  }

  @Test
  void aRefusedKernel_leavesAutoToPlainJavaWithTheReason() throws Exception {
    EngineChoice choice =
        EngineChoice.of(
            EngineName.AUTO, MLP, null, () -> FaultyKernels.without("activationBackward"));
    EngineChoice.Description chosen = choice.description();
    assertThat(chosen.name()).isEqualTo(new JavaKernels().name());
    assertThat(chosen.reason())
        .isEqualTo(
            "oneDNN refuses this network: the backward pass of layer 'layer0' cannot be made:"
                + " activationBackward failed with status 3");
    choice.warmUp(System::nanoTime);
    try (Trainer trainer = choice.trainer("app-0", false)) {
      assertThat(trained(trainer)).isNotEmpty();
    }
  }

  @Test
  void aRefusedKernel_failsTheWishForOneDnnWithAdvice() {
    assertThatThrownBy(
            () ->
                EngineChoice.of(
                    EngineName.ONEDNN, MLP, null, () -> FaultyKernels.without("activation")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("oneDNN refuses this network: the forward pass of layer 'layer0'")
        .hasMessageContaining("set training.engine to auto");
  }

  @Test
  void aMissingLibrary_leavesAutoToPlainJava() {
    Supplier<KernelLibrary> missing =
        () -> {
          throw new UnsatisfiedLinkError("no jnidnnl");
        };
    EngineChoice.Description chosen =
        EngineChoice.of(EngineName.AUTO, MLP, null, missing).description();
    assertThat(chosen.name()).isEqualTo(new JavaKernels().name());
    assertThat(chosen.reason()).contains("cannot be loaded", "no jnidnnl");
    assertThatThrownBy(() -> EngineChoice.of(EngineName.ONEDNN, MLP, null, missing))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no jnidnnl");
  }

  @Test
  void paddingOfAPooling_asLargeAsTheKernel_leavesAutoToDeeplearning4j() throws Exception {
    SampleSchema schema = Trainings.classes(4 * 4, 2);
    ModelSpec spec =
        new ModelSpec(
            schema,
            new ModelSpec.Network.Dl4jJson(
                TestNetworks.builder(Trainings.ADAM)
                    .list()
                    .layer(
                        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG)
                            .name("pooled")
                            .kernelSize(2, 2)
                            .stride(2, 2)
                            .padding(2, 2)
                            .avgPoolIncludePadInDivisor(true)
                            .build())
                    .layer(TestNetworks.output(schema, 0))
                    .setInputType(InputType.convolutionalFlat(4, 4, 1))
                    .build()
                    .toJson()),
            Trainings.ADAM,
            true);
    EngineChoice choice = EngineChoice.of(EngineName.AUTO, spec, null);
    assertThat(choice.description().name()).startsWith("deeplearning4j ");
    assertThat(choice.description().reason())
        .contains("layer 'pooled' pools with padding 2 x 2 and a kernel of 2 x 2");
    assertThatThrownBy(() -> EngineChoice.of(EngineName.ONEDNN, spec, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'pooled'");
    choice.warmUp(System::nanoTime);
  }

  @Test
  void warnings_nameTheSlowKernelsOfALayer() throws Exception {
    SampleSchema schema = Trainings.classes(2 * 8 * 8, 2);
    // oneDNN computes all of a larger mini-batch fast.
    ModelSpec.Fit pairs = new ModelSpec.Fit(2, 1, ModelSpec.Updater.ADAM, 0.01, 0);
    ModelSpec spec =
        new ModelSpec(
            schema,
            new ModelSpec.Network.Dl4jJson(
                TestNetworks.builder(Trainings.ADAM)
                    .list()
                    .layer(convolution("usual", 3, 1, 16))
                    .layer(convolution("padded", 5, 5, 1))
                    .layer(TestNetworks.output(schema, 0))
                    .setInputType(InputType.convolutionalFlat(8, 8, 2))
                    .build()
                    .toJson()),
            pairs,
            true);
    EngineChoice choice = EngineChoice.of(EngineName.AUTO, spec, null);
    EngineChoice.Description chosen = choice.description();
    assertThat(chosen.reason()).isEmpty();
    assertThat(chosen.warnings())
        .singleElement()
        .asString()
        .startsWith("oneDNN has only its slow reference implementation for ")
        .contains("convolution of layer 'padded' (ref:any)")
        .doesNotContain("usual");
    assertThat(EngineChoice.of(EngineName.AUTO, MLP, null).description().warnings()).isEmpty();
    choice.warmUp(System::nanoTime);
  }

  /** Returns a stack whose learning rate falls after a number of iterations or epochs. */
  private static ModelSpec falling(ScheduleType counted) {
    return stacked(network -> network.updater(new Sgd(new StepSchedule(counted, 0.1, 0.5, 5_000))));
  }

  @Test
  void warnings_nameSchedulesThatNeverMove() {
    ModelSpec epochs = falling(ScheduleType.EPOCH);
    for (EngineName wanted : List.of(EngineName.AUTO, EngineName.DEEPLEARNING4J)) {
      EngineChoice.Description chosen = EngineChoice.of(wanted, epochs, null).description();
      assertThat(chosen.name()).startsWith("deeplearning4j ");
      assertThat(chosen.reason().contains("ScheduleType.EPOCH"))
          .isEqualTo(wanted == EngineName.AUTO);
      assertThat(chosen.warnings())
          .singleElement()
          .asString()
          .contains("schedules of ScheduleType.EPOCH stay at their first value");
      assertThat(EngineChoice.of(wanted, falling(ScheduleType.ITERATION), null).description())
          .extracting(EngineChoice.Description::warnings)
          .isEqualTo(List.of());
    }
  }

  /** No library can train it as its author meant it, so none is tried. */
  @Test
  void aMistake_isRefusedWithoutALibrary() {
    SampleSchema schema = Trainings.classes(2, 2);
    String good = json(stacked(network -> network));
    Map<String, String> mistakes =
        Map.of(
            "{\n\"confs\": [",
            "it is not JSON",
            "{}",
            "it is not a DL4J configuration",
            good.replace("\"nin\" : 2", "\"nin\" : 3"),
            "takes rows of 3 numbers, and gets 2",
            good.replace("\"nout\" : 2", "\"nout\" : 3"),
            "must be an output layer with 2 outputs",
            good.replaceAll("\"beta1\" : [0-9.]+,", ""),
            "has no finite number 'beta1'",
            json(GRAPH).replaceAll("\"sum\" : \\[ [^\\]]*\\]", "\"sum\" : [ \"none\" ]"),
            "vertex 'sum' takes 'none', which does not exist");
    mistakes.forEach(
        (json, message) -> {
          ModelSpec spec =
              new ModelSpec(schema, new ModelSpec.Network.Dl4jJson(json), Trainings.ADAM, true);
          for (EngineName wanted : EngineName.values()) {
            assertThat(EngineChoice.problem(wanted, spec))
                .hasValueSatisfying(
                    found -> assertThat(found).contains(message).doesNotContain("add idlalayer"));
          }
          assertThatThrownBy(() -> EngineChoice.of(EngineName.AUTO, spec, null))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining(message);
          assertThatThrownBy(() -> EngineChoice.newFile(spec))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining(message);
        });
  }

  private static String json(ModelSpec spec) {
    return ((ModelSpec.Network.Dl4jJson) spec.network()).json();
  }

  /** The product's engine knows a class by its name in any of Deeplearning4j's packages. */
  @Test
  void problem_ofAWishForTheLibrary_isTheLibrarys() {
    String moved =
        json(stacked(network -> network)).replace("nn.conf.layers.DenseLayer", "nn.DenseLayer");
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(2, 2), new ModelSpec.Network.Dl4jJson(moved), Trainings.ADAM, true);
    assertThat(EngineChoice.problem(EngineName.AUTO, spec)).isEmpty();
    assertThat(EngineChoice.problem(EngineName.DEEPLEARNING4J, spec))
        .hasValueSatisfying(
            found -> assertThat(found).startsWith("Deeplearning4j cannot read the new network: "));
    assertThat(EngineChoice.problem(EngineName.DEEPLEARNING4J, GRAPH)).isEmpty();
  }

  private static ConvolutionLayer convolution(String name, int size, int padding, int filters) {
    return new ConvolutionLayer.Builder(size, size)
        .name(name)
        .nOut(filters)
        .padding(padding, padding)
        .activation(Activation.RELU)
        .build();
  }

  @Test
  void aWish_isFollowedOrRefused() {
    EngineChoice.Description theirs =
        EngineChoice.of(EngineName.DEEPLEARNING4J, MLP, null).description();
    assertThat(theirs.name()).startsWith("deeplearning4j ");
    assertThat(theirs.reason()).isEmpty();
    assertThatThrownBy(() -> EngineChoice.of(EngineName.ONEDNN, SCALED, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("L2NormalizeVertex");
  }

  @Test
  void tables_areTrainedByTheProductsEngineOnly() throws Exception {
    for (ModelSpec spec :
        List.of(TestNetworks.dlrm(Trainings.ADAM), TestNetworks.wideAndDeep(Trainings.ADAM))) {
      EngineChoice chosen = EngineChoice.of(EngineName.AUTO, spec, null);
      assertThat(chosen.description().name()).startsWith("onednn 3.");
      chosen.warmUp(System::nanoTime);
      assertThatThrownBy(() -> EngineChoice.of(EngineName.DEEPLEARNING4J, spec, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("only iDlaLayer's engine trains tables");
      try (TrainingEngine theirs = Trainings.dl4jEngine(spec);
          TrainableNetwork network = theirs.create(1);
          TrainingSteps steps = network.steps(1)) {
        float[] features = new float[spec.inputWidth()];
        assertThatThrownBy(() -> steps.fit(features, new float[3], 1, null, new float[1], null))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessage("only iDlaLayer's engine trains tables");
      }
    }
    ModelSpec unbuildable =
        TestNetworks.tables(
            new ModelSpec.Network.Dlrm(List.of(), List.of()),
            Trainings.ADAM,
            Trainings.classes(4, 3).label(),
            List.of(4, 5));
    assertThatThrownBy(() -> EngineChoice.of(EngineName.AUTO, unbuildable, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only iDlaLayer's engine trains tables")
        .hasMessageContaining("[4, 5]");
  }

  @Test
  void warmUp_freesWhatItUsed_andWorksForEveryEngine() throws Exception {
    long before = FloatMemory.liveBytes();
    for (EngineName name : EngineName.values()) {
      EngineChoice.of(name, MLP, null).warmUp(System::nanoTime);
    }
    EngineChoice.of(EngineName.AUTO, Trainings.mlp(Trainings.target(2), Trainings.ADAM), null)
        .warmUp(System::nanoTime);
    assertThat(FloatMemory.liveBytes()).isEqualTo(before);
  }

  @Test
  void warmUp_ofAFastNetwork_measuresItsFastestTraining() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    EngineChoice choice = EngineChoice.of(EngineName.AUTO, MLP, null);
    // The first training takes 500 ms, the others 30, 20, 30, ... ms.
    MeasuredTraining measured =
        choice.warmUp(
            () -> {
              int look = looks.getAndIncrement();
              return look == 0 ? 0 : 1_000_000L * (500 + 25 * (look - 1) + look % 2 * 5);
            });
    assertThat(measured).isEqualTo(new MeasuredTraining(64, 0.02));
    assertThat(looks).as("20 trainings").hasValue(21);
  }

  @Test
  void warmUp_ofASlowNetwork_endsAfterASecond() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    for (EngineName name : EngineName.values()) {
      EngineChoice choice = EngineChoice.of(name, MLP, null);
      looks.set(0);
      assertThat(choice.warmUp(() -> 400_000_000L * looks.getAndIncrement()))
          .isEqualTo(new MeasuredTraining(64, 0.4));
      assertThat(looks).as("three trainings").hasValue(4);
      looks.set(0);
      assertThat(choice.warmUp(() -> 1_100_000_000L * looks.getAndIncrement()))
          .isEqualTo(new MeasuredTraining(64, 1.1));
      assertThat(looks).as("two trainings").hasValue(3);
      looks.set(0);
      assertThat(choice.warmUp(() -> 10_100_000_000L * looks.getAndIncrement())).isNull();
      assertThat(looks).as("one training").hasValue(2);
    }
  }

  @Test
  void testedModels_predictWhatDeeplearning4jPredicts() throws Exception {
    EngineChoice ours = EngineChoice.of(EngineName.AUTO, MLP, null);
    List<Sample> samples = Trainings.separable(300, 3);
    TestedModels models = ours.testedModels();
    try (Trainer trainer = ours.trainer("app-0", false)) {
      TrainingResult first =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, samples), 7));
      TrainingResult second =
          trainer.train(new TrainingRequest(first.model(), Trainings.batch(2, samples), 8));
      for (TrainingResult each : List.of(first, second)) {
        try (TaskModel tested = models.load(each.model());
            Dl4jModel served = Dl4jModel.load(each.model())) {
          double[][] expected = served.predict(samples);
          double[][] found = tested.predict(samples);
          for (int i = 0; i < expected.length; i++) {
            assertThat(found[i])
                .containsExactly(expected[i], org.assertj.core.data.Offset.offset(1e-5));
          }
        }
      }
    }
  }

  /** Tested, then trained, update after update. */
  private static double accuracyBeforeTraining(EngineName name, long seed) throws Exception {
    EngineChoice choice = EngineChoice.of(name, MLP, null);
    TestedModels models = choice.testedModels();
    int correct = 0;
    int tested = 0;
    try (Trainer trainer = choice.trainer("app-0", false)) {
      TrainingResult last = null;
      for (int update = 1; update <= 12; update++) {
        List<Sample> samples = Trainings.separable(250, 100 * seed + update);
        if (last != null) {
          try (TaskModel model = models.load(last.model())) {
            correct += (int) Math.round(samples.size() * Trainings.accuracy(model, samples));
            tested += samples.size();
          }
        }
        last =
            trainer.train(
                new TrainingRequest(
                    last == null ? null : last.model(),
                    Trainings.batch(update, samples),
                    seed + update));
      }
    }
    return (double) correct / tested;
  }

  @Test
  void aStream_isLearnedAsWellByBothEngines() throws Exception {
    for (long seed : new long[] {1, 2}) {
      assertThat(accuracyBeforeTraining(EngineName.ONEDNN, seed))
          .isCloseTo(
              accuracyBeforeTraining(EngineName.DEEPLEARNING4J, seed),
              org.assertj.core.api.Assertions.within(0.003));
    }
  }

  @Test
  void aTrainer_keepsItsNetworkButNotItsFile() throws Exception {
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, MLP, null);
    try (Trainer trainer = choice.trainer("app-0", false)) {
      WeakReference<byte[]> file = new WeakReference<>(trained(trainer));
      for (int i = 0; i < 20 && file.get() != null; i++) {
        System.gc();
      }
      assertThat(file.get()).isNull();
    }
  }

  private static byte[] trained(Trainer trainer) throws Exception {
    return trainer
        .train(new TrainingRequest(null, Trainings.batch(1, Trainings.separable(64, 3)), 7))
        .model()
        .file(ModelArtifact.NETWORK_FILE);
  }

  @Test
  void loadLibrary_onThisMachine_isTheOneThatIsChosen() {
    assertThat(EngineChoice.loadLibrary()).isTrue();
    assertThat(EngineChoice.of(EngineName.AUTO, MLP, null).description().name())
        .startsWith("onednn");
  }
}
