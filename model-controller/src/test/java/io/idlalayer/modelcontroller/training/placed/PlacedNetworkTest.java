package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.Arena;
import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.DeviceSpec;
import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.DirectArena;
import io.idlalayer.middleware.memory.MappedArena;
import io.idlalayer.middleware.memory.MemorySettings;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Training in a placed memory gives the bits of plain training, whatever moves meanwhile. */
class PlacedNetworkTest {
  private static final long LARGE = 1 << 21;
  private static final int STEPS = 4;

  @TempDir Path directory;

  enum Net {
    MLP(Nets::mlp, Nets::flat),
    NESTEROVS(Nets::nesterovs, Nets::flat),
    CNN(() -> Nets.cnn(false, 1), Nets::images),
    CNN_NORMALIZED(() -> Nets.cnn(true, 1), Nets::images),
    CNN_DROPOUT(() -> Nets.cnn(true, 0.5), Nets::images),
    LSTM(Nets::lstm, Nets::series),
    RESIDUAL(Nets::residual, Nets::images),
    FORKED(Nets::forked, Nets::pairs);

    final Supplier<Model> network;
    final IntFunction<Nets.Batch> batches;

    Net(Supplier<Model> network, IntFunction<Nets.Batch> batches) {
      this.network = network;
      this.batches = batches;
    }
  }

  /** What training leaves behind. */
  record Outcome(float[] parameters, float[] state, List<Double> scores) {
    static Outcome of(Model network, List<Double> scores) {
      INDArray state =
          network instanceof ComputationGraph graph
              ? graph.getUpdater().getStateViewArray()
              : ((MultiLayerNetwork) network).getUpdater().getStateViewArray();
      return new Outcome(
          network.params().dup().data().asFloat(),
          state == null ? new float[0] : state.dup().data().asFloat(),
          scores);
    }

    void equalBits(Outcome other) {
      assertThat(scores).isEqualTo(other.scores);
      assertThat(parameters).isEqualTo(other.parameters);
      assertThat(state).isEqualTo(other.state);
    }
  }

  private static final Map<Net, Outcome> PLAIN = new EnumMap<>(Net.class);
  private static final Map<Net, Long> PEAKS = new EnumMap<>(Net.class);

  private static Outcome plain(Net net) {
    return PLAIN.computeIfAbsent(net, each -> plain(each, STEPS));
  }

  private static Outcome plain(Net net, int steps) {
    Model network = net.network.get();
    Nd4j.getRandom().setSeed(5);
    List<Double> scores = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      Nets.Batch batch = net.batches.apply(step);
      fit(network, batch);
      scores.add(network.score());
    }
    return Outcome.of(network, scores);
  }

  static void fit(Model network, Nets.Batch batch) {
    if (network instanceof ComputationGraph graph) {
      graph.fit(batch.features(), batch.labels(), batch.featureMasks(), batch.labelMasks());
    } else {
      ((MultiLayerNetwork) network)
          .fit(
              batch.features()[0],
              batch.labels()[0],
              batch.featureMasks() == null ? null : batch.featureMasks()[0],
              batch.labelMasks() == null ? null : batch.labelMasks()[0]);
    }
  }

  static PlacedNetwork place(Model network, PlacedMemory memory) throws InterruptedException {
    return network instanceof ComputationGraph graph
        ? PlacedNetwork.of(graph, memory)
        : PlacedNetwork.of((MultiLayerNetwork) network, memory);
  }

  static PlacedMemory memory(PlacementName policy, long fastBytes, Path mapped) {
    return memory(policy.create(), fastBytes, mapped);
  }

  static PlacedMemory memory(PlacementPolicy policy, long fastBytes, Path mapped) {
    DeviceSpeed speed = DeviceSpeed.symmetric(8e9, 0);
    DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, (fastBytes + 63) / 64 * 64, speed);
    DeviceSpec slow = new DeviceSpec("slow", DeviceKind.SLOW, LARGE, DeviceSpeed.slowerThan(speed));
    Arena below =
        mapped == null
            ? new DirectArena(slow)
            : new MappedArena(slow, mapped, new MappedArena.Options(1 << 20, false));
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, new DirectArena(fast)),
                new TieredMemory.Tier(slow, below)),
            new MemorySettings(4, 1 << 16, 120_000_000_000L, true),
            new VirtualClock());
    if (policy instanceof WatchingPolicy watching) {
      watching.in(memory);
    }
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory, new SplittableRandom(1)));
  }

  private static Outcome placed(Net net, PlacedMemory memory, int steps)
      throws InterruptedException {
    Model network = net.network.get();
    Nd4j.getRandom().setSeed(5);
    List<Double> scores = new ArrayList<>();
    try (PlacedNetwork placed = place(network, memory)) {
      for (int step = 0; step < steps; step++) {
        fit(placed, net.batches.apply(step));
        scores.add(network.score());
        assertThat(memory.memory().verify(false).problems()).isEmpty();
      }
      PEAKS.putIfAbsent(net, placed.peakBytes());
    }
    assertThat(memory.memory().verify(true).problems()).isEmpty();
    return Outcome.of(network, scores);
  }

  static void fit(PlacedNetwork placed, Nets.Batch batch) throws InterruptedException {
    placed.fit(batch.features(), batch.labels(), batch.featureMasks(), batch.labelMasks());
  }

  private static long peak(Net net) throws InterruptedException {
    if (!PEAKS.containsKey(net)) {
      try (PlacedMemory memory = memory(PlacementName.ALL_FAST, LARGE, null)) {
        placed(net, memory, 1);
      }
    }
    return PEAKS.get(net);
  }

  static Stream<Arguments> placements() {
    List<Arguments> all = new ArrayList<>();
    for (Net net : Net.values()) {
      for (PlacementName policy : PlacementName.values()) {
        for (int percent : new int[] {100, 50, 20, 10}) {
          if (policy != PlacementName.ALL_FAST || percent == 100) {
            all.add(Arguments.of(net, policy, percent));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("placements")
  void fit_underEveryPolicy_givesTheSameBits(Net net, PlacementName policy, int percent)
      throws Exception {
    long fast = policy == PlacementName.ALL_FAST ? LARGE : peak(net) * percent / 100;
    try (PlacedMemory memory = memory(policy, fast, percent == 20 ? directory : null)) {
      placed(net, memory, STEPS).equalBits(plain(net));
      DeviceUse used = memory.stats().fast();
      assertThat(used.highWaterBytes()).isLessThanOrEqualTo(used.budgetBytes());
      if (percent < 100) {
        long moved = memory.stats().policy().evictions() + memory.stats().slowUses();
        assertThat(moved).isPositive();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("nets")
  void aFastDeviceThatIsTooSmall_isSaid(Net net) throws Exception {
    try (PlacedMemory memory = memory(PlacementName.ALL_FAST, peak(net) / 2, null)) {
      Model network = net.network.get();
      float[] before = network.params().dup().data().asFloat();
      assertThatThrownBy(() -> placed(net, memory, 1)).isInstanceOf(DeviceFullException.class);
      assertThat(network.params().dup().data().asFloat()).isEqualTo(before);
      assertThat(memory.memory().objects()).isEmpty();
    }
  }

  static Stream<Net> nets() {
    return Stream.of(Net.values());
  }

  /** Every policy but the one that refuses falls back to the slow device. */
  @ParameterizedTest
  @EnumSource(
      value = PlacementName.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ALL_FAST"})
  void aFastDeviceThatHoldsNoKernel_isDoneWithout(PlacementName policy) throws Exception {
    try (PlacedMemory memory = memory(policy, 256, null)) {
      placed(Net.MLP, memory, STEPS).equalBits(plain(Net.MLP));
      assertThat(memory.stats().slowUses()).isPositive();
    }
  }
}
