package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.SmallDevices;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TensorRehearsalTest {
  private static final int INPUTS = 16 * 16;
  private static final int ROWS = 64;

  /** Rows that are tested together: no fewer than are tested here. */
  private static final int TESTED = 1_024;

  private static final long LITTLE = 1 << 16;
  private static final long FEW_BYTES = 1;
  private static final long ROUNDED_BYTES = 64;
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(INPUTS, 2),
          new ModelSpec.Network.Cnn(16, 16, 1, List.of(8), 64),
          new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.01, 1e-3),
          false);

  private static TaskGraph steps(int batch, int networks) throws Exception {
    NetworkPlan plan = EngineNetworks.plan(SPEC, true, new NetworkForms());
    return EngineNetworks.steps(plan, MachineKernels.best(), ROWS, batch, networks);
  }

  private static Optional<TensorRehearsal.Shortage> shortage(
      PlacementName policy, long fastBytes, long slowBytes) throws Exception {
    return shortage(policy, TESTED, fastBytes, slowBytes);
  }

  private static Optional<TensorRehearsal.Shortage> shortage(
      PlacementName policy, int batch, long fastBytes, long slowBytes) throws Exception {
    return TensorRehearsal.shortage(
        steps(batch, 1), new TensorSettings(fastBytes, Path.of("unused"), slowBytes, policy));
  }

  /** Trains as the engine does with this number of bytes. */
  private static void train(PlacementName policy, long fastBytes, long slowBytes)
      throws InterruptedException {
    train(policy, TESTED, fastBytes, slowBytes);
  }

  private static void train(PlacementName policy, int batch, long fastBytes, long slowBytes)
      throws InterruptedException {
    int rows = Math.min(ROWS, batch);
    SmallDevices devices = new SmallDevices(policy, fastBytes, slowBytes);
    try (PlacedMemory memory = devices.open()) {
      TensorMemory tensors = new PlacedTensors(memory, "");
      try (EngineNetwork network =
          new EngineNetworks(SPEC, MachineKernels.best(), () -> tensors, new NetworkForms())
              .create(1)) {
        for (int step = 0; step < 6; step++) {
          network.fit(new float[rows * INPUTS], new float[rows * 2], rows, null, null, null);
          network.output(new float[batch * INPUTS], batch);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      names = {"ALL_SLOW", "FIRST_TOUCH", "CACHED_ARRAYS"})
  void shortage_ofSlowBytes_namesThoseThatTrainingNeeds(PlacementName policy) throws Exception {
    TensorRehearsal.Shortage found = shortage(policy, LITTLE, FEW_BYTES).orElseThrow();
    assertThat(found.device()).isEqualTo(DeviceKind.SLOW);
    assertThat(shortage(policy, LITTLE, found.leastBytes())).isEmpty();
    train(policy, LITTLE, found.leastBytes());
    long tooFew = found.leastBytes() * 2 / 3 / ROUNDED_BYTES * ROUNDED_BYTES;
    assertThat(shortage(policy, LITTLE, tooFew)).isPresent();
    assertThatThrownBy(() -> train(policy, LITTLE, tooFew)).isInstanceOf(DeviceFullException.class);
  }

  @Test
  void shortage_ofFastBytes_whereKernelsCannotAccessTheSlowDevice() throws Exception {
    TaskGraph step = steps(TESTED, 1);
    TensorSettings direct =
        new TensorSettings(
            LITTLE, Path.of("unused"), 1L << 30, PlacementName.ALL_SLOW, FileAccess.DIRECT, null);
    TensorRehearsal.Shortage found = TensorRehearsal.shortage(step, direct).orElseThrow();
    assertThat(found.device()).isEqualTo(DeviceKind.FAST);
    assertThat(found.leastBytes()).isBetween(LITTLE, 2 * step.peakBytes());
    assertThat(shortage(PlacementName.ALL_SLOW, LITTLE, 1L << 30)).isEmpty();
    TensorSettings more =
        new TensorSettings(
            found.leastBytes(),
            Path.of("unused"),
            1L << 30,
            PlacementName.ALL_SLOW,
            FileAccess.DIRECT,
            null);
    assertThat(TensorRehearsal.shortage(step, more)).isEmpty();
  }

  @Test
  void shortage_ofFastBytes_whereNothingMayBeSlow() throws Exception {
    TensorRehearsal.Shortage found =
        shortage(PlacementName.ALL_FAST, LITTLE, 1L << 30).orElseThrow();
    assertThat(found.device()).isEqualTo(DeviceKind.FAST);
    train(PlacementName.ALL_FAST, found.leastBytes(), LITTLE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 100})
  void shortage_batchBelowTheRowsThatCouldBeTested_countsTheRowsOfTheBatch(int batch)
      throws Exception {
    TensorRehearsal.Shortage whole =
        shortage(PlacementName.ALL_SLOW, LITTLE, FEW_BYTES).orElseThrow();
    TensorRehearsal.Shortage found =
        shortage(PlacementName.ALL_SLOW, batch, LITTLE, FEW_BYTES).orElseThrow();
    assertThat(found.leastBytes()).isLessThan(whole.leastBytes() * 2 / 3);
    train(PlacementName.ALL_SLOW, batch, LITTLE, found.leastBytes());
    long tooFew = found.leastBytes() * 2 / 3 / ROUNDED_BYTES * ROUNDED_BYTES;
    assertThatThrownBy(() -> train(PlacementName.ALL_SLOW, batch, LITTLE, tooFew))
        .isInstanceOf(DeviceFullException.class);
  }

  @Test
  void steps_batchAboveAllThatIsTestedTogether_areThoseOfTheMostRows() throws Exception {
    NetworkPlan plan = EngineNetworks.plan(SPEC, true, new NetworkForms());
    long most = 2L * Integer.MAX_VALUE;
    assertThat(EngineNetworks.steps(plan, MachineKernels.best(), ROWS, most, 1).peakBytes())
        .isEqualTo(steps(TESTED, 1).peakBytes());
  }

  @Test
  void shortage_ofTwoNetworks_countsTheNumbersOfBoth() throws Exception {
    long one = steps(TESTED, 1).lastingBytes();
    assertThat(steps(TESTED, 2).lastingBytes()).isEqualTo(2 * one);
  }
}
