package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.trace.KernelTrace;
import io.idlalayer.modelcontroller.training.placed.PlacedNetworkTest.Net;
import io.idlalayer.modelcontroller.training.placed.PlacedNetworkTest.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.CacheMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.layers.recurrent.Bidirectional;
import org.deeplearning4j.nn.conf.weightnoise.DropConnect;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.optimize.listeners.ScoreIterationListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Borrowing, giving back, failing and being watched. */
class PlacedNetworkLifeTest {
  private static PlacedMemory memory(PlacementName policy, long fastBytes) {
    return PlacedNetworkTest.memory(policy, fastBytes, null);
  }

  private static void fit(PlacedNetwork placed, Net net, int step) throws InterruptedException {
    PlacedNetworkTest.fit(placed, net.batches.apply(step));
  }

  /** Plain steps and placed ones in turn, each placed part in a memory of its own. */
  private static Outcome inTurns(Net net, int[] placedSteps) throws InterruptedException {
    Model network = net.network.get();
    Nd4j.getRandom().setSeed(5);
    List<Double> scores = new ArrayList<>();
    int step = 0;
    for (int part : placedSteps) {
      if (part == 0) {
        PlacedNetworkTest.fit(network, net.batches.apply(step++));
        scores.add(network.score());
        continue;
      }
      try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 4096);
          PlacedNetwork placed = PlacedNetworkTest.place(network, memory)) {
        for (int i = 0; i < part; i++) {
          fit(placed, net, step++);
          scores.add(network.score());
        }
      }
    }
    return Outcome.of(network, scores);
  }

  @ParameterizedTest
  @EnumSource(Net.class)
  void aNetworkGoesOn_whereItWasGivenBack(Net net) throws Exception {
    Outcome plain = inTurns(net, new int[10]);
    inTurns(net, new int[] {5, 5}).equalBits(plain);
    inTurns(net, new int[] {3, 0, 0, 4, 0}).equalBits(plain);
  }

  @Test
  void backwardPasses_changeNeitherInputsNorKeptGradients() throws Exception {
    Net net = Net.RESIDUAL;
    List<KernelTrace> kernels = new ArrayList<>();
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS_LMP, 1 << 20);
        PlacedNetwork placed = PlacedNetworkTest.place(net.network.get(), memory)) {
      PlacedNetworkTest.fit(placed, net.batches.apply(0));
      placed.observe(kernels::add);
      PlacedNetworkTest.fit(placed, net.batches.apply(1));
    }
    List<KernelTrace> convolutions =
        kernels.stream().filter(each -> each.name().matches("backward .* convolution")).toList();
    assertThat(convolutions).isNotEmpty();
    for (KernelTrace kernel : convolutions) {
      String own = kernel.name().replace("backward", "forward");
      assertThat(kernel.uses())
          .filteredOn(use -> use.written() && !use.created())
          .allMatch(use -> use.tensor().startsWith(own), "made by the layer's own forward pass");
      assertThat(kernel.uses())
          .filteredOn(use -> use.tensor().startsWith("gradients"))
          .allMatch(KernelTrace.Use::created);
    }
  }

  @Test
  void steps_hundreds_leaveNothing() throws Exception {
    assertNothingIsLeft(200);
  }

  @Test
  @Tag("stress")
  void steps_thousands_leaveNothing() throws Exception {
    assertNothingIsLeft(5_000);
  }

  private static void assertNothingIsLeft(int steps) throws Exception {
    Net net = Net.MLP;
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS_LMP, 4096);
        PlacedNetwork placed = PlacedNetworkTest.place(net.network.get(), memory)) {
      Nets.Batch batch = net.batches.apply(0);
      PlacedNetworkTest.fit(placed, batch);
      int objects = memory.memory().objects().size();
      long bytes = live(memory);
      long peak = placed.peakBytes();
      for (int i = 0; i < steps; i++) {
        PlacedNetworkTest.fit(placed, batch);
        assertThat(memory.memory().objects()).hasSize(objects);
      }
      // Parameters and updater state of three layers.
      assertThat(objects).isEqualTo(6);
      assertThat(live(memory)).isEqualTo(bytes);
      assertThat(placed.peakBytes()).isEqualTo(peak);
      assertThat(memory.memory().verify(true).problems()).isEmpty();
      assertThat(Nd4j.getMemoryManager().getCurrentWorkspace()).isNull();
    }
  }

  private static long live(PlacedMemory memory) {
    return memory.memory().objects().stream().mapToLong(MemObject::bytes).sum();
  }

  @ParameterizedTest
  @EnumSource(Net.class)
  void fit_kernels_changeOnlyWhatTheyDeclare(Net net) throws Exception {
    WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS.create());
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, 8192, null);
        PlacedNetwork placed = PlacedNetworkTest.place(net.network.get(), memory)) {
      for (int step = 0; step < 3; step++) {
        fit(placed, net, step);
      }
      assertThat(policy.broken).isEmpty();
    }
  }

  /** Fails at every allocation of a step in turn. */
  @ParameterizedTest
  @EnumSource(
      value = Net.class,
      names = {"MLP", "CNN_DROPOUT", "LSTM", "RESIDUAL"})
  void aStepThatFails_canBeClosed_andTriedAgain(Net net) throws Exception {
    WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS_LM.create());
    policy.watch = false;
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, 8192, null);
        PlacedNetwork placed = PlacedNetworkTest.place(net.network.get(), memory)) {
      int kept = memory.memory().objects().size();
      int before = policy.allocations();
      fit(placed, net, 0);
      int perStep = policy.allocations() - before;
      assertThat(perStep).isGreaterThan(3);
      for (int i = 0; i < perStep; i++) {
        boolean interrupts = i % 2 == 0;
        policy.failAt = interrupts ? -1 : policy.allocations() + i;
        policy.interruptAt = interrupts ? policy.allocations() + i : -1;
        assertThatThrownBy(() -> fit(placed, net, 0))
            .isInstanceOf(interrupts ? InterruptedException.class : DeviceFullException.class);
        assertThat(memory.memory().objects()).hasSize(kept);
        assertThat(memory.memory().objects().stream().anyMatch(MemObject::pinned)).isFalse();
        assertThat(memory.memory().verify(true).problems()).isEmpty();
        assertThat(memory.memory().verify().regionsInFlight()).isZero();
        assertThat(memory.memory().verify().quarantined()).isZero();
        assertThat(Nd4j.getMemoryManager().getCurrentWorkspace()).isNull();
      }
      assertThatCode(() -> fit(placed, net, 0)).doesNotThrowAnyException();
    }
  }

  @Test
  void borrowingThatFails_leavesTheNetworkAsItWas() throws Exception {
    Net net = Net.CNN_NORMALIZED;
    Outcome plain = inTurns(net, new int[3]);
    Model network = net.network.get();
    Nd4j.getRandom().setSeed(5);
    WatchingPolicy policy = new WatchingPolicy(PlacementName.FIRST_TOUCH.create());
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, 8192, null)) {
      policy.failAt = 7;
      assertThatThrownBy(() -> PlacedNetworkTest.place(network, memory))
          .isInstanceOf(DeviceFullException.class);
      policy.interruptAt = 10;
      assertThatThrownBy(() -> PlacedNetworkTest.place(network, memory))
          .isInstanceOf(InterruptedException.class);
      assertThat(memory.memory().objects()).isEmpty();
    }
    List<Double> scores = new ArrayList<>();
    for (int step = 0; step < 3; step++) {
      PlacedNetworkTest.fit(network, net.batches.apply(step));
      scores.add(network.score());
    }
    Outcome.of(network, scores).equalBits(plain);
  }

  @Test
  void anInterrupt_endsTheStep_andStaysPendingThroughClosing() throws Exception {
    Net net = Net.CNN;
    Model network = net.network.get();
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS, 4096)) {
      PlacedNetwork placed = PlacedNetworkTest.place(network, memory);
      fit(placed, net, 0);
      int[] kernels = new int[1];
      placed.observe(
          trace -> {
            if (++kernels[0] == 5) {
              Thread.currentThread().interrupt();
            }
          });
      assertThatThrownBy(() -> fit(placed, net, 1)).isInstanceOf(InterruptedException.class);
      assertThat(kernels[0]).isEqualTo(5);
      Thread.currentThread().interrupt();
      placed.close();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(memory.memory().objects()).isEmpty();
      assertThat(network.params().sumNumber().doubleValue()).isFinite();
    }
  }

  @Test
  void whatIsClosed_isNotUsed_andClosesOnce() throws Exception {
    try (PlacedMemory memory = memory(PlacementName.ALL_SLOW, 4096)) {
      Model network = Net.MLP.network.get();
      PlacedNetwork placed = PlacedNetworkTest.place(network, memory);
      assertThatThrownBy(
              () -> placed.fit(new INDArray[0], Net.MLP.batches.apply(0).labels(), null, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("0 arrays of features");
      INDArray counts = Nd4j.create(DataType.INT32, Nets.ROWS, 12);
      assertThatThrownBy(() -> PlacedNetworkTest.fit(placed, Nets.batch(counts, Nets.classes(1))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("INT");
      placed.close();
      placed.close();
      assertThatThrownBy(() -> fit(placed, Net.MLP, 0)).isInstanceOf(IllegalStateException.class);
      PlacedNetworkTest.fit(network, Net.MLP.batches.apply(0));
    }
  }

  @ParameterizedTest
  @EnumSource(Net.class)
  void anObserver_canDrawTheGraphOfAStep(Net net) throws Exception {
    try (PlacedMemory memory = memory(PlacementName.CACHED_ARRAYS_LM, 4096);
        PlacedNetwork placed = PlacedNetworkTest.place(net.network.get(), memory)) {
      List<KernelTrace> traces = new ArrayList<>();
      placed.observe(traces::add);
      List<List<String>> names = new ArrayList<>();
      for (int step = 0; step < 3; step++) {
        traces.clear();
        fit(placed, net, step);
        names.add(traces.stream().map(PlacedNetworkLifeTest::described).toList());
        checkGraph(traces, step);
      }
      assertThat(names.get(1)).isEqualTo(names.get(0)).doesNotHaveDuplicates();
      assertThat(names.get(2)).isEqualTo(names.get(0));
    }
  }

  private static String described(KernelTrace trace) {
    return trace.name()
        + trace.uses().stream()
            .map(
                use ->
                    use.tensor() + use.kind() + use.read() + use.written() + use.object().bytes())
            .toList();
  }

  /** Reads only what is there, and what a step makes ends in it. */
  private static void checkGraph(List<KernelTrace> traces, int step) {
    Set<MemObject> alive = new HashSet<>();
    for (int i = 0; i < traces.size(); i++) {
      KernelTrace trace = traces.get(i);
      assertThat(trace.step()).isEqualTo(step);
      assertThat(trace.index()).isEqualTo(i);
      assertThat(trace.nanos()).isNotNegative();
      for (KernelTrace.Use use : trace.uses()) {
        boolean own = use.kind() == TensorKind.INTERMEDIATE || use.kind() == TensorKind.INPUT;
        if (use.created()) {
          assertThat(alive.add(use.object())).isTrue();
        } else if (own) {
          assertThat(alive).contains(use.object());
        }
      }
      assertThat(alive).containsAll(trace.retired());
      trace.retired().forEach(alive::remove);
    }
    assertThat(alive).isEmpty();
  }

  @Test
  void fit_stack_runsItsKernelsInOrder() throws Exception {
    try (PlacedMemory memory = memory(PlacementName.ALL_FAST, 1 << 20);
        PlacedNetwork placed = PlacedNetworkTest.place(Net.CNN_NORMALIZED.network.get(), memory)) {
      List<KernelTrace> traces = new ArrayList<>();
      placed.observe(traces::add);
      fit(placed, Net.CNN_NORMALIZED, 0);
      assertThat(traces.stream().map(KernelTrace::name))
          .startsWith("input", "forward 0 convolution", "forward 1 batchnormalization")
          .containsSubsequence("backward 6 output", "update 6 output", "backward 5 dense")
          .endsWith("backward 0 convolution", "update 0 convolution");
      KernelTrace norm = traces.get(2);
      long activations = 4L * Nets.ROWS * 4 * 8 * 8;
      // The output, and two arrays that the layer detaches for its backward pass.
      assertThat(
              norm.uses().stream()
                  .filter(use -> use.created() && use.object().bytes() == activations))
          .hasSize(3);
    }
  }

  private static MultiLayerNetwork dense(UnaryOperator<NeuralNetConfiguration.Builder> change) {
    MultiLayerNetwork network =
        new MultiLayerNetwork(
            change
                .apply(Nets.base(new Adam(0.01)))
                .list()
                .layer(new DenseLayer.Builder().nOut(8).build())
                .layer(Nets.output())
                .setInputType(InputType.feedForward(12))
                .build());
    network.init();
    return network;
  }

  private static MultiLayerNetwork series(
      org.deeplearning4j.nn.conf.layers.Layer layer, boolean truncated) {
    NeuralNetConfiguration.ListBuilder list =
        Nets.base(new Adam(0.01))
            .list()
            .layer(layer)
            .layer(
                new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nOut(Nets.CLASSES)
                    .build())
            .setInputType(InputType.recurrent(5));
    if (truncated) {
      list.backpropType(BackpropType.TruncatedBPTT).tBPTTLength(3);
    }
    MultiLayerNetwork network = new MultiLayerNetwork(list.build());
    network.init();
    return network;
  }

  private static void refused(MultiLayerNetwork network, String why) throws InterruptedException {
    try (PlacedMemory memory = memory(PlacementName.ALL_SLOW, 4096)) {
      assertThatThrownBy(() -> PlacedNetwork.of(network, memory))
          .isInstanceOf(UnsupportedNetworkException.class)
          .hasMessageContaining(why);
      assertThat(memory.memory().objects()).isEmpty();
    }
  }

  @Test
  void whatCannotBePlaced_isSaid() throws Exception {
    refused(
        dense(conf -> conf.weightNoise(new DropConnect(0.9))), "layer 0 (DenseLayer) has weight");
    refused(dense(conf -> conf.cacheMode(CacheMode.DEVICE)), "cache mode");
    refused(dense(conf -> conf.dataType(DataType.FLOAT16)), "HALF");
    refused(
        dense(conf -> conf.optimizationAlgo(OptimizationAlgorithm.LBFGS)), "algorithm is LBFGS");
    MultiLayerNetwork heard = dense(conf -> conf);
    heard.setListeners(new ScoreIterationListener(1));
    refused(heard, "listeners");
    refused(series(new LSTM.Builder().nOut(6).build(), true), "truncates");
    refused(series(new Bidirectional(new LSTM.Builder().nOut(6).build()), false), "other layers");
    refused(series(new FrozenLayer(new LSTM.Builder().nOut(6).build()), false), "frozen");
  }
}
