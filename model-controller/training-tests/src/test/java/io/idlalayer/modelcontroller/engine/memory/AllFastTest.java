package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Training whose tensors all fit the fast device runs without placement, as long as they do. */
final class AllFastTest {
  private static final int INPUTS = 64;
  private static final int ROWS = 16;
  private static final long AMPLE_BYTES = 1 << 22;
  private static final ModelSpec SPEC =
      new ModelSpec(
          Trainings.classes(INPUTS, 2),
          new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 128),
          new ModelSpec.Fit(ROWS, 1, ModelSpec.Updater.ADAM, 0.01, 1e-3),
          false);

  private final PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime);

  @AfterEach
  void close() {
    desk.close();
  }

  private PlacedMemory memory(PlacementName policy, MemoryClock clock) {
    DeviceSpeed speed = DeviceSpeed.symmetric(1e9, 0);
    TieredMemory memory =
        new TieredMemory(
            List.of(tier("fast", DeviceKind.FAST, speed), tier("slow", DeviceKind.SLOW, speed)),
            MemorySettings.DEFAULT,
            clock);
    return new PlacedMemory(memory, policy.create(desk), PolicyEnvironment.of(memory));
  }

  private static TieredMemory.Tier tier(String name, DeviceKind kind, DeviceSpeed speed) {
    DeviceSpec spec = new DeviceSpec(name, kind, AMPLE_BYTES, speed);
    return new TieredMemory.Tier(spec, new DirectArena(spec));
  }

  private static DeviceId fast(PlacedMemory memory) {
    return memory.memory().first(DeviceKind.FAST);
  }

  private static EngineNetwork network(TensorMemory memory, long seed) {
    return new EngineNetworks(SPEC, MachineKernels.best(), () -> memory, new NetworkForms())
        .create(seed);
  }

  /** Trains on the batch of a step, and predicts; every third mini-batch is smaller. */
  private static void step(EngineNetwork network, int step) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(step);
    int rows = step % 3 == 2 ? ROWS - 5 : ROWS;
    float[] features = new float[rows * INPUTS];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextDouble();
    }
    float[] labels = new float[rows * 2];
    for (int row = 0; row < rows; row++) {
      labels[2 * row + random.nextInt(2)] = 1;
    }
    network.fit(features, labels, rows, null, null, null);
    assertThat(network.output(features, rows)).hasSize(2 * rows);
  }

  private static void steps(EngineNetwork network, int from, int to) throws InterruptedException {
    for (int step = from; step < to; step++) {
      step(network, step);
    }
  }

  private static byte[] plain(long seed, int steps) throws Exception {
    try (EngineNetwork network = network(new DramTensors(), seed)) {
      steps(network, 0, steps);
      return network.encode();
    }
  }

  /** In virtual time each kernel is placed, so that both ways can be compared. */
  @Test
  void training_thatFits_countsAsPlacedKernels() throws Exception {
    try (PlacedMemory whole = memory(PlacementName.AUTO, new RealClock());
        PlacedMemory each = memory(PlacementName.AUTO, new VirtualClock())) {
      for (PlacedMemory memory : List.of(whole, each)) {
        try (EngineNetwork network = network(new PlacedTensors(memory, "1/"), 1)) {
          steps(network, 0, 6);
          assertThat(network.encode()).isEqualTo(plain(1, 6));
        }
      }
      PlacementStats fast = whole.stats();
      PlacementStats placed = each.stats();
      assertThat(fast.kernels()).isEqualTo(placed.kernels());
      assertThat(fast.fastUses()).isEqualTo(placed.fastUses());
      assertThat(fast.slowUses()).isZero();
      assertThat(placed.slowUses()).isZero();
      PlanUse use = whole.planUse().orElseThrow();
      assertThat(use.planner()).isEqualTo(PlanUse.FITS);
      assertThat(use.measuredNanos()).isPositive();
      assertThat(use.differingSteps()).isZero();
      // The tensors that pass share a block, whose size may differ from their peak by gaps.
      assertThat((double) fast.fast().highWaterBytes())
          .isBetween(0.9 * placed.fast().highWaterBytes(), 1.5 * placed.fast().highWaterBytes());
      assertThat(whole.memory().objects()).isEmpty();
      assertThat(whole.memory().verify(true).problems()).isEmpty();
    }
  }

  @Test
  void training_whoseBudgetShrinksAndGrows_isPlacedMeanwhile() throws Exception {
    for (PlacementName name : List.of(PlacementName.AUTO, PlacementName.CACHED_ARRAYS)) {
      try (PlacedMemory memory = memory(name, new RealClock());
          EngineNetwork network = network(new PlacedTensors(memory, "1/"), 1)) {
        steps(network, 0, 4);
        long lasting = memory.memory().use(fast(memory)).occupiedBytes();
        assertThat(memory.stats().slowUses()).isZero();
        memory.memory().setBudget(fast(memory), lasting + (1 << 10));
        steps(network, 4, 8);
        long slowUses = memory.stats().slowUses();
        assertThat(slowUses).as(name.key()).isPositive();
        memory.memory().setBudget(fast(memory), AMPLE_BYTES);
        steps(network, 8, 12);
        long later = memory.stats().slowUses();
        steps(network, 12, 15);
        assertThat(memory.stats().slowUses()).as("all is fast again").isEqualTo(later);
        assertThat(network.encode()).as(name.key()).isEqualTo(plain(1, 15));
        assertThat(memory.memory().verify(true).problems()).isEmpty();
      }
    }
  }

  /** Two networks of one trainer, of which the memory holds one and a part of the other. */
  @Test
  void twoNetworks_inABudgetForOne_takeTurns() throws Exception {
    try (PlacedMemory memory = memory(PlacementName.AUTO, new RealClock());
        EngineNetwork one = network(new PlacedTensors(memory, "1/"), 1)) {
      step(one, 0);
      memory
          .memory()
          .setBudget(fast(memory), memory.memory().use(fast(memory)).highWaterBytes() + (1 << 10));
      try (EngineNetwork two = network(new PlacedTensors(memory, "2/"), 2)) {
        step(two, 0);
        for (int step = 1; step < 7; step++) {
          step(one, step);
          step(two, step);
        }
        steps(one, 7, 10);
        assertThat(one.encode()).isEqualTo(plain(1, 10));
        assertThat(two.encode()).isEqualTo(plain(2, 7));
        assertThat(memory.stats().slowUses() + memory.stats().policy().evictions()).isPositive();
        assertThat(memory.memory().verify(true).problems()).isEmpty();
      }
    }
  }
}
