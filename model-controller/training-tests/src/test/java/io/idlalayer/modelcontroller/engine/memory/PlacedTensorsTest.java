package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.SmallDevices;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PlacedTensorsTest {
  private static final int INPUTS = 64;
  private static final int ROWS = 16;
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(INPUTS, 2),
          new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 16),
          new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.01, 1e-3),
          false);
  private static final long AMPLE_BYTES = 1 << 22;

  private static EngineNetwork network(TensorMemory memory) {
    return new EngineNetworks(SPEC, MachineKernels.best(), () -> memory, new NetworkForms())
        .create(1);
  }

  private static void fit(EngineNetwork network, long step) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(step);
    float[] features = new float[ROWS * INPUTS];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextDouble();
    }
    float[] labels = new float[ROWS * 2];
    for (int row = 0; row < ROWS; row++) {
      labels[2 * row + random.nextInt(2)] = 1;
    }
    network.fit(features, labels, ROWS, null, null, null);
  }

  @Test
  void steps_leaveOnlyWhatLasts() throws Exception {
    SmallDevices devices = new SmallDevices(PlacementName.CACHED_ARRAYS, 1 << 14, AMPLE_BYTES);
    try (PlacedMemory memory = devices.open()) {
      try (EngineNetwork network = network(new PlacedTensors(memory, ""))) {
        int lasting = devices.objects();
        // Weights and biases of three layers, each with two numbers of state.
        assertThat(lasting).isEqualTo(18);
        for (int step = 0; step < 50; step++) {
          fit(network, step);
          assertThat(devices.objects()).isEqualTo(lasting);
        }
        network.output(new float[5 * INPUTS], 5);
        assertThat(devices.objects()).isEqualTo(lasting);
        devices.assertSound();
      }
      assertThat(devices.objects()).isZero();
      assertThat(memory.memory().use(memory.memory().first(DeviceKind.SLOW)).occupiedBytes())
          .isZero();
    }
  }

  /** Whichever tensor finds no place: nothing is left of the step, and the network can go. */
  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      names = {"FIRST_TOUCH", "CACHED_ARRAYS"})
  void stepWithoutRoom_fails_andLeavesNothing(PlacementName policy) throws Exception {
    int failures = 0;
    boolean enough = false;
    for (long slowBytes = 64; !enough; slowBytes += 2048) {
      SmallDevices devices = new SmallDevices(policy, 1 << 12, slowBytes);
      try (PlacedMemory memory = devices.open()) {
        try (EngineNetwork network = network(new PlacedTensors(memory, ""))) {
          int lasting = devices.objects();
          byte[] before = network.encode();
          try {
            fit(network, 1);
            enough = true;
          } catch (DeviceFullException full) {
            failures++;
            assertThat(network.encode()).hasSameSizeAs(before);
            assertThat(devices.objects()).isEqualTo(lasting);
          }
          devices.assertSound();
        } catch (DeviceFullException lastingDoesNotFit) {
          failures++;
        }
        assertThat(devices.objects()).isZero();
      }
    }
    assertThat(failures).isGreaterThan(5);
  }

  @Test
  void anInterrupt_endsTheStep_andStaysPendingWhileTheNetworkCloses() throws Exception {
    SmallDevices devices = new SmallDevices(PlacementName.CACHED_ARRAYS, 1 << 12, AMPLE_BYTES);
    try (PlacedMemory memory = devices.open()) {
      try (EngineNetwork network = network(new PlacedTensors(memory, ""))) {
        int lasting = devices.objects();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> fit(network, 1)).isInstanceOf(InterruptedException.class);
        assertThat(devices.objects()).isEqualTo(lasting);
        devices.assertSound();
        fit(network, 1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> network.output(new float[ROWS * INPUTS], ROWS))
            .isInstanceOf(InterruptedRunException.class);
        Thread.currentThread().interrupt();
      }
      assertThat(Thread.interrupted()).isTrue();
      assertThat(devices.objects()).isZero();
    }
  }
}
