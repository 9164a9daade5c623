package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.factory.Nd4j;

/** Every kind of layer gives the bits of plain training, and writes only what it said. */
class LayerZooTest {
  private static final int STEPS = 3;

  static Stream<String> layers() {
    return LayerZoo.all().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void fit_everyLayer_trainsAsWithoutPlacement(String name) throws Exception {
    LayerZoo.Specimen plain = LayerZoo.all().get(name);
    Nd4j.getRandom().setSeed(5);
    List<Double> scores = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      PlacedNetworkTest.fit(plain.network(), plain.batches().apply(step));
      scores.add(plain.network().score());
    }
    PlacedNetworkTest.Outcome expected = PlacedNetworkTest.Outcome.of(plain.network(), scores);
    for (long fast : new long[] {2048, 16_384}) {
      WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS_LMP.create());
      try (PlacedMemory memory = PlacedNetworkTest.memory(policy, fast, null)) {
        LayerZoo.Specimen placed = LayerZoo.all().get(name);
        outcome(placed, memory).equalBits(expected);
        assertThat(policy.broken).isEmpty();
        assertThat(memory.memory().objects()).isEmpty();
      }
    }
  }

  private static PlacedNetworkTest.Outcome outcome(LayerZoo.Specimen specimen, PlacedMemory memory)
      throws InterruptedException {
    MultiLayerNetwork network = specimen.network();
    Nd4j.getRandom().setSeed(5);
    List<Double> scores = new ArrayList<>();
    try (PlacedNetwork placed = PlacedNetwork.of(network, memory)) {
      for (int step = 0; step < STEPS; step++) {
        PlacedNetworkTest.fit(placed, specimen.batches().apply(step));
        scores.add(network.score());
        assertThat(memory.memory().verify(true).problems()).isEmpty();
      }
    }
    return PlacedNetworkTest.Outcome.of(network, scores);
  }
}
