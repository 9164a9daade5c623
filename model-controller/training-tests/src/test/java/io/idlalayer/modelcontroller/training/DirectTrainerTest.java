package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.device.FileArena;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A trainer whose slow tensors are in a file past the page cache makes the models of one whose
 * tensors are all in DRAM. Skipped if the temporary folder allows no such file.
 */
class DirectTrainerTest {
  /** The tensors of its training take many times the bytes of its largest kernel. */
  private static final ModelSpec MLP =
      new ModelSpec(
          Trainings.classes(2, 2),
          new ModelSpec.Network.Mlp(Collections.nCopies(8, 32)),
          new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, 0.001, 0),
          false);

  private static final long FAST_BYTES = 80 << 10;
  private static final long SLOW_BYTES = 1 << 22;

  @TempDir Path directory;

  @BeforeEach
  void checkFileSystem() {
    try {
      FileArena.check(directory);
    } catch (IOException refused) {
      assumeTrue(false, refused.getMessage());
    }
  }

  private TensorSettings settings(long fastBytes, PlacementName policy) {
    return new TensorSettings(fastBytes, directory, SLOW_BYTES, policy, FileAccess.DIRECT, null);
  }

  private static NetworkTrainer trainer(ModelSpec spec, @Nullable TensorSettings settings) {
    TensorShares.Tenant tenant =
        settings == null ? null : new TensorShares("app", 1, settings).tenant("app-0");
    return new NetworkTrainer(
        spec, true, new TapeEngine(spec, MachineKernels.best(), tenant, new NetworkForms()));
  }

  private static TrainingBatch batch(long update, List<Sample> samples) {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      rows.add(Trainings.row(rows.size() + 1000 * update, i, samples.get(i)));
    }
    return new TrainingBatch(update, rows);
  }

  private static List<TrainingResult> twoUpdates(
      ModelSpec spec, @Nullable TensorSettings settings, List<Sample> samples) throws Exception {
    try (NetworkTrainer trainer = trainer(spec, settings)) {
      int half = samples.size() / 2;
      TrainingResult one =
          trainer.train(new TrainingRequest(null, batch(1, samples.subList(0, half)), 7));
      return List.of(
          one,
          trainer.train(
              new TrainingRequest(
                  one.model(), batch(2, samples.subList(half, samples.size())), 8)));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      names = {"ALL_SLOW", "FIRST_TOUCH", "CACHED_ARRAYS", "AUTO", "AUTOVM", "AUTOTM", "REDL"})
  void train_pastThePageCache_givesTheSameModels(PlacementName policy) throws Exception {
    List<Sample> points = Trainings.separable(300, 3);
    List<TrainingResult> placed = twoUpdates(MLP, settings(FAST_BYTES, policy), points);
    Trainings.assertSameModels(placed, twoUpdates(MLP, null, points));
    for (TrainingResult result : placed) {
      TensorTraffic traffic = Objects.requireNonNull(result.traffic());
      assertThat(traffic.highWaterBytes()).isBetween(1L, FAST_BYTES);
      assertThat(traffic.slowToFastBytes()).as("bytes read from the file").isPositive();
      assertThat(traffic.slowReadBytes()).as("bytes that kernels read in the file").isZero();
    }
    assertThat(directory.resolve("plans").getParent()).isDirectoryNotContaining("glob:**.bin");
  }

  @Test
  void train_convolutionalNetwork_givesTheSameModels() throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(64, 2),
            new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 16),
            new ModelSpec.Fit(16, 1, ModelSpec.Updater.NESTEROVS, 0.01, 1e-3),
            true);
    List<Sample> bars = Trainings.bars(60, 4);
    Trainings.assertSameModels(
        twoUpdates(spec, settings(160 << 10, PlacementName.CACHED_ARRAYS), bars),
        twoUpdates(spec, null, bars));
  }

  @Test
  void train_withoutRoomForTheLargestKernel_saysWhatToRaise() throws Exception {
    try (NetworkTrainer trainer = trainer(MLP, settings(256, PlacementName.CACHED_ARRAYS))) {
      TrainingBatch batch = batch(1, Trainings.separable(40, 3));
      assertThatThrownBy(() -> trainer.train(new TrainingRequest(null, batch, 7)))
          .isInstanceOf(TrainingFailedException.class)
          .hasMessageContaining("(memory.tensors): device fast has no room");
    }
  }

  @Test
  void anInterrupt_beforeTheFirstTraining_isNoLackOfSpace() throws Exception {
    try (NetworkTrainer trainer = trainer(MLP, settings(FAST_BYTES, PlacementName.CACHED_ARRAYS))) {
      TrainingBatch batch = batch(1, Trainings.separable(40, 3));
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> trainer.train(new TrainingRequest(null, batch, 7)))
          .isInstanceOf(InterruptedException.class);
      assertThat(trainer.train(new TrainingRequest(null, batch, 7)).traffic()).isNotNull();
    }
  }
}
