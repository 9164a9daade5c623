package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.weightnoise.DropConnect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** A trainer whose tensors are placed makes the models of one whose tensors are not. */
class PlacedTrainerTest {
  private static final long SLOW_BYTES = 1 << 22;
  private static final ModelSpec MLP = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);

  @TempDir Path directory;

  private TensorSettings settings(long fastBytes, PlacementName policy) {
    return new TensorSettings(fastBytes, directory, SLOW_BYTES, policy);
  }

  private static NetworkTrainer trainer(
      ModelSpec spec, boolean heldOut, @Nullable TensorPlacement placement) {
    TensorShares.Tenant tenant =
        placement == null ? null : new TensorShares("app", 1, placement).tenant("app-0");
    return new NetworkTrainer(
        spec, heldOut, new TapeEngine(spec, MachineKernels.best(), tenant, new NetworkForms()));
  }

  /** Rows of which some are there more than once. */
  private static TrainingBatch batch(long update, List<Sample> samples) {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      for (int k = 0; k <= i % 3; k++) {
        rows.add(Trainings.row(rows.size() + 1000 * update, i, samples.get(i)));
      }
    }
    return new TrainingBatch(update, rows);
  }

  private static List<TrainingResult> twoUpdates(
      ModelSpec spec, @Nullable TensorPlacement placement, List<Sample> samples) throws Exception {
    try (NetworkTrainer trainer = trainer(spec, true, placement)) {
      int half = samples.size() / 2;
      TrainingBatch first = batch(1, samples.subList(0, half));
      TrainingBatch second = batch(2, samples.subList(half, samples.size()));
      TrainingResult one = trainer.train(new TrainingRequest(null, first, 7));
      return List.of(one, trainer.train(new TrainingRequest(one.model(), second, 8)));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      names = {"ALL_SLOW", "FIRST_TOUCH", "CACHED_ARRAYS", "AUTO", "AUTOTM"})
  void theArtifactsAreEqual_byteForByte(PlacementName policy) throws Exception {
    List<Sample> points = Trainings.separable(300, 3);
    List<TrainingResult> placed = twoUpdates(MLP, settings(2048, policy), points);
    Trainings.assertSameModels(placed, twoUpdates(MLP, null, points));
    for (TrainingResult result : placed) {
      TensorTraffic traffic = Objects.requireNonNull(result.traffic());
      assertThat(traffic.kernels()).isPositive();
      assertThat(traffic.slowUses()).isPositive();
      assertThat(traffic.highWaterBytes()).isLessThanOrEqualTo(2048);
      boolean moves = policy == PlacementName.CACHED_ARRAYS || policy.planned();
      assertThat(traffic.forcedEvictions() > 0).isEqualTo(moves);
      assertThat(traffic.fastToSlowBytes() > 0).isEqualTo(moves);
    }
  }

  @Test
  void train_convolutionalNetwork_givesTheSameModel() throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(64, 2),
            new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 16),
            new ModelSpec.Fit(16, 1, ModelSpec.Updater.NESTEROVS, 0.01, 1e-3),
            true);
    List<Sample> bars = Trainings.bars(60, 4);
    Trainings.assertSameModels(
        twoUpdates(spec, settings(1 << 16, PlacementName.CACHED_ARRAYS), bars),
        twoUpdates(spec, null, bars));
  }

  @Tag("natives")
  @Test
  void train_graph_givesTheSameModel() throws Exception {
    SampleSchema schema = Trainings.classes(2, 2);
    ModelSpec spec =
        new ModelSpec(
            schema,
            TestNetworks.graph(TestNetworks.residual(schema, Trainings.ADAM)),
            Trainings.ADAM,
            true);
    List<Sample> points = Trainings.separable(200, 3);
    Trainings.assertSameModels(
        twoUpdates(spec, settings(4096, PlacementName.CACHED_ARRAYS), points),
        twoUpdates(spec, null, points));
  }

  @Tag("natives")
  @Test
  void choice_networkThatTheEngineDoesNotKnow_isRefused() {
    String json =
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(
                new DenseLayer.Builder().nIn(2).nOut(8).weightNoise(new DropConnect(0.9)).build())
            .layer(
                new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nIn(8)
                    .nOut(2)
                    .build())
            .build()
            .toJson();
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(2, 2), new ModelSpec.Network.Dl4jJson(json), Trainings.ADAM, true);
    TensorShares devices =
        new TensorShares("app", 1, settings(1 << 16, PlacementName.CACHED_ARRAYS));
    assertThatThrownBy(() -> EngineChoice.of(EngineName.AUTO, spec, devices))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory.tensors")
        .hasMessageContaining("weight noise");
    assertThat(EngineChoice.of(EngineName.AUTO, MLP, devices).description().reason()).isEmpty();
  }

  @Test
  void aFastDeviceThatIsTooSmall_failsTheTraining_andNotTheTrainer() throws Exception {
    try (NetworkTrainer trainer = trainer(MLP, false, settings(256, PlacementName.ALL_FAST))) {
      TrainingBatch batch = batch(1, Trainings.separable(40, 3));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> trainer.train(new TrainingRequest(null, batch, 7)))
            .isInstanceOfSatisfying(
                TrainingFailedException.class,
                failed -> {
                  assertThat(failed.kind()).isEqualTo(TrainingFailedException.Kind.NO_SPACE);
                  assertThat(failed.ofThisBatch()).isFalse();
                })
            .hasMessageContaining("(memory.tensors): device fast has no room");
      }
    }
  }

  /** The look for the rows that are to blame makes another network. */
  @Test
  void divergingTraining_inLittleMemory_failsInWords() throws Exception {
    ModelSpec spec =
        Trainings.mlp(
            Trainings.classes(2, 2), new ModelSpec.Fit(32, 5, ModelSpec.Updater.SGD, 1e30, 0));
    List<TrainingRow> rows = new ArrayList<>();
    for (Sample sample : Trainings.separable(40, 3)) {
      rows.add(new TrainingRow(rows.size(), rows.size(), sample, 0.5f, true));
    }
    Set<TrainingFailedException.Kind> kinds = EnumSet.noneOf(TrainingFailedException.Kind.class);
    for (int fastBytes = 1 << 10; fastBytes <= 1 << 16; fastBytes += 1 << 10) {
      try (NetworkTrainer trainer =
          trainer(spec, false, settings(fastBytes, PlacementName.ALL_FAST))) {
        TrainingRequest request = new TrainingRequest(null, new TrainingBatch(1, rows), 7);
        assertThatThrownBy(() -> trainer.train(request))
            .isInstanceOfSatisfying(
                TrainingFailedException.class, failed -> kinds.add(failed.kind()));
      }
    }
    assertThat(kinds)
        .containsOnly(TrainingFailedException.Kind.NO_SPACE, TrainingFailedException.Kind.DIVERGED);
  }

  /** The file of the slow device was being written. */
  @Test
  void anInterrupt_beforeTheFirstTraining_isNoLackOfSpace() throws Exception {
    try (NetworkTrainer trainer =
        trainer(MLP, false, settings(2048, PlacementName.CACHED_ARRAYS))) {
      TrainingBatch batch = batch(1, Trainings.separable(40, 3));
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> trainer.train(new TrainingRequest(null, batch, 7)))
          .isInstanceOf(InterruptedException.class);
      assertThat(trainer.train(new TrainingRequest(null, batch, 7)).traffic()).isNotNull();
    }
  }

  private static TensorDevices counting(TensorDevices devices, AtomicInteger opened) {
    return new TensorDevices() {
      @Override
      public PlacedMemory open() {
        opened.incrementAndGet();
        return devices.open();
      }

      @Override
      public void close() {
        devices.close();
      }
    };
  }

  @Test
  void warmUp_placesNothing_andTheFirstTrainingFindsItsDevicesOpen() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    TensorDevices devices = settings(2048, PlacementName.CACHED_ARRAYS).devices();
    TensorPlacement counted = () -> counting(devices, opened);
    TensorShares shares = new TensorShares("app", 1, counted);
    shares.enter();
    EngineChoice choice = EngineChoice.of(EngineName.AUTO, MLP, shares);
    assertThat(choice.warmUp(System::nanoTime)).as("a stand-in tells nothing").isNull();
    assertThat(opened).hasValue(1);
    try (Trainer trainer = choice.trainer("app-0", false)) {
      TrainingBatch batch = batch(1, Trainings.separable(40, 3));
      TrainingResult first = trainer.train(new TrainingRequest(null, batch, 7));
      assertThat(first.traffic()).isNotNull();
      assertThat(opened).hasValue(2);
      choice.warmUp(System::nanoTime);
      assertThat(opened).as("the part is a trainer's").hasValue(2);
    }
    shares.leave();
  }

  @Test
  void settings_invalidSize_isRefused() {
    assertThatThrownBy(() -> settings(0, PlacementName.ALL_FAST))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 fast");
  }
}
