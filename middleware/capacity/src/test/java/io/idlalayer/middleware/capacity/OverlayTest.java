package io.idlalayer.middleware.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.capacity.LayerLoad.Kind;
import io.idlalayer.middleware.capacity.Overlay.Options;
import io.idlalayer.middleware.capacity.Overlay.Parallelism;
import io.idlalayer.middleware.capacity.Overlay.Result;
import io.idlalayer.middleware.capacity.Overlay.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The acceptance vectors of MC-DLA, on the devices of the paper. */
final class OverlayTest {
  private static final Offset<Double> EXACT = within(1e-9);
  private static final Options ALL = new Options(Rule.ALL, Parallelism.DATA, true);
  private static final Options ALL_OUT = new Options(Rule.ALL, Parallelism.DATA, false);

  private static Interconnect links(int devices, long deviceBytes) {
    return new Interconnect(devices, deviceBytes, 6, 25e9, 0, 0, 256e9);
  }

  private static SystemSpec host(int devices, double bytesPerSecond) {
    return Topology.beside("host", links(devices, 1L << 40), bytesPerSecond, bytesPerSecond, 6);
  }

  private static SystemSpec ring(int devices, PagePlacement placement) {
    return Topology.RING.system(links(devices, 1L << 40), placement, true);
  }

  static Stream<SystemSpec> overlays() {
    return Stream.of(
        host(1, 16e9),
        host(1, 75e9),
        Topology.STAR.system(links(1, 1L << 40), PagePlacement.LOCAL, false),
        Topology.FOLDED.system(links(1, 1L << 40), PagePlacement.LOCAL, false),
        ring(1, PagePlacement.LOCAL),
        ring(1, PagePlacement.BW_AWARE));
  }

  /** Layers that take 1 ms forward and 2 ms backward, with inputs of 30 MB. */
  private static List<LayerLoad> toy(int layers) {
    List<LayerLoad> made = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      made.add(
          new LayerLoad("l" + i, Kind.WEIGHTED, 1e-3, 2e-3, 30_000_000, 30_000_000, 1_000_000));
    }
    return made;
  }

  private static double seconds(SystemSpec system, Options options, List<LayerLoad> layers) {
    try {
      return new Overlay(system, options).run(layers).seconds();
    } catch (InfeasibleException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @Test
  void run_transferOfOneTensor_takesWhatTheWayCarries() {
    List<LayerLoad> one =
        List.of(
            new LayerLoad("x", Kind.WEIGHTED, 0, 0, 100_000_000, 0, 0),
            new LayerLoad("y", Kind.WEIGHTED, 0, 0, 0, 0, 0));
    assertThat(seconds(host(1, 16e9), ALL, one)).isCloseTo(2 * 6.25e-3, EXACT);
    assertThat(seconds(host(1, 75e9), ALL, one)).isCloseTo(2 * 1.33333333e-3, EXACT);
    assertThat(seconds(ring(1, PagePlacement.LOCAL), ALL, one)).isCloseTo(2 * 1.33333333e-3, EXACT);
    // The halves differ by a part of a page.
    assertThat(seconds(ring(1, PagePlacement.BW_AWARE), ALL, one))
        .isCloseTo(2 * 0.66666667e-3, within(2e-6));
    assertThat(
            seconds(Topology.STAR.system(links(1, 1L << 40), PagePlacement.LOCAL, true), ALL, one))
        .isCloseTo(2 * 2e-3, EXACT);
  }

  @Test
  void run_toyNetworks_takeWhatIsComputedByHand() {
    assertThat(seconds(host(1, 16e9), ALL, toy(2))).isCloseTo(6.875e-3, EXACT);
    assertThat(seconds(host(1, 16e9), ALL, toy(4))).isCloseTo(14.625e-3, EXACT);
    assertThat(14.625 / 12).isEqualTo(1.21875);
    for (SystemSpec fast :
        List.of(
            host(1, 75e9),
            ring(1, PagePlacement.LOCAL),
            ring(1, PagePlacement.BW_AWARE),
            Topology.unlimited("oracle", links(1, 1)))) {
      assertThat(seconds(fast, ALL, toy(2))).as(fast.name()).isCloseTo(6e-3, EXACT);
      assertThat(seconds(fast, ALL, toy(4))).as(fast.name()).isCloseTo(12e-3, EXACT);
    }
  }

  /** The text moves the last input too: 1.875 ms more forward, and as long before the way back. */
  @Test
  void run_lastInputMovedToo_waitsForItsWayBack() {
    assertThat(seconds(host(1, 16e9), ALL_OUT, toy(2))).isCloseTo(9.625e-3, EXACT);
    assertThat(seconds(host(1, 16e9), ALL_OUT, toy(4))).isCloseTo(17.375e-3, EXACT);
    assertThat(seconds(ring(1, PagePlacement.LOCAL), ALL_OUT, toy(4))).isCloseTo(12.4e-3, EXACT);
    assertThat(seconds(Topology.unlimited("oracle", links(1, 1)), ALL_OUT, toy(4)))
        .isCloseTo(12e-3, EXACT);
  }

  @Test
  void run_oneDevice_hasNoCollectives() throws Exception {
    for (Parallelism parallelism : Parallelism.values()) {
      Options options = new Options(Rule.ALL, parallelism, true);
      assertThat(new Overlay(host(1, 16e9), options).run(toy(3)).collectiveSeconds()).isZero();
    }
  }

  /** Sums of gradients wait for one another: 8 layers of 1 MB, 2 * 7/8 of it over 150 GB/s. */
  @Test
  void run_dataParallel_addsGradientsBesideTheLayersBelow() throws Exception {
    Result result = new Overlay(Topology.unlimited("oracle", links(8, 1)), ALL).run(toy(8));
    double reduce = 2 * 7.0 / 8 * 1e6 / 150e9;
    assertThat(result.collectiveSeconds()).isCloseTo(8 * reduce, EXACT);
    assertThat(result.seconds()).isCloseTo(8 * 3e-3 + reduce, EXACT);
  }

  /** Outputs are gathered before the next layer; errors of all but the first layer are added. */
  @Test
  void run_modelParallel_waitsForOutputsAndErrors() throws Exception {
    Options model = new Options(Rule.ALL, Parallelism.MODEL, true);
    Result result = new Overlay(Topology.unlimited("oracle", links(8, 1)), model).run(toy(3));
    double gather = 7.0 / 8 * 30e6 / 150e9;
    double reduce = 2 * gather;
    assertThat(result.seconds()).isCloseTo(9e-3 + 3 * gather + 2 * reduce, EXACT);
  }

  /** Offloading uses the left links, on which half of the gathering waits for its share. */
  @Test
  void run_collectivesOnTheLinksToMemory_shareThem() throws Exception {
    Options model = new Options(Rule.ALL, Parallelism.MODEL, true);
    List<LayerLoad> layers =
        List.of(
            new LayerLoad("a", Kind.WEIGHTED, 0, 1, 75_000_000, 80_000_000, 0),
            new LayerLoad("b", Kind.WEIGHTED, 0, 1, 0, 0, 0));
    SystemSpec shared = Topology.RING.system(links(8, 1L << 40), PagePlacement.LOCAL, false);
    SystemSpec apart = ring(8, PagePlacement.LOCAL);
    // 15/16 of 80 MB, half of it each way at 75 GB/s: 0.5 ms; the offload alone takes 1 ms.
    assertThat(seconds(apart, model, layers) - 2).isCloseTo(1e-3, EXACT);
    // 0.5 ms worth of gathering and 1 ms of offload on one half of the links.
    assertThat(seconds(shared, model, layers) - 2).isCloseTo(1.5e-3, EXACT);
  }

  @ParameterizedTest
  @MethodSource("overlays")
  void run_movedBytes_goOutAndComeBack(SystemSpec system) throws Exception {
    List<LayerLoad> layers = new ArrayList<>(toy(5));
    layers.set(2, new LayerLoad("empty", Kind.WEIGHTED, 1e-3, 1e-3, 0, 0, 0));
    layers.set(3, new LayerLoad("relu", Kind.CHEAP, 1e-3, 1e-3, 30_000_000, 30_000_000, 0));
    Result result = new Overlay(system, ALL).run(layers);
    assertThat(result.movedBytes()).isEqualTo(60_000_000);
    assertThat(result.movedLayers()).isEqualTo(3);
    // What leaves and comes back is all that the lanes at the memory carry.
    double carried = 0;
    for (int lane = 0; lane < system.lanes().size(); lane++) {
      if (system.lanes().get(lane).name().matches("memory node|memory, (out|in)")) {
        carried += result.laneBytes().get(lane);
      }
    }
    assertThat(carried).isCloseTo(2.0 * result.movedBytes(), within(1.0));
    assertThat(result.seconds()).isGreaterThanOrEqualTo(result.computeSeconds() - 1e-12);
    // Three layers of 3 ms, the empty one of 2 ms, and the cheap one, which is computed again.
    assertThat(result.computeSeconds()).isCloseTo(14e-3, EXACT);
    assertThat(new Overlay(system, ALL).run(layers).digest()).isEqualTo(result.digest());
  }

  @Test
  void run_enoughMemory_ruleAllMovesAllTheSameAndDynamicNothing() throws Exception {
    Options dynamic = new Options(Rule.DYNAMIC, Parallelism.DATA, true);
    assertThat(new Overlay(ring(1, PagePlacement.BW_AWARE), ALL).run(toy(3)).movedLayers())
        .isEqualTo(2);
    assertThat(new Overlay(ring(1, PagePlacement.BW_AWARE), dynamic).run(toy(3)).movedLayers())
        .isZero();
  }

  @Test
  void run_dynamicWithLittleMemory_movesConvolutionsThenAll() throws Exception {
    List<LayerLoad> layers = new ArrayList<>(toy(6));
    LayerLoad convolution =
        new LayerLoad("c", Kind.CONVOLUTION, 1e-3, 2e-3, 30_000_000, 30_000_000, 1_000_000);
    layers.set(0, convolution);
    layers.set(1, convolution);
    Options dynamic = new Options(Rule.DYNAMIC, Parallelism.DATA, true);
    // 12 MB of parameters and gradients, 120 MB for the largest layer, 120 MB that stay.
    SystemSpec some = Topology.RING.system(links(1, 252_000_000), PagePlacement.LOCAL, true);
    assertThat(new Overlay(some, dynamic).run(layers).movedLayers()).isEqualTo(2);
    SystemSpec less = Topology.RING.system(links(1, 251_999_999), PagePlacement.LOCAL, true);
    assertThat(new Overlay(less, dynamic).run(layers).movedLayers()).isEqualTo(5);
    SystemSpec tooLittle = Topology.RING.system(links(1, 100_000_000), PagePlacement.LOCAL, true);
    assertThatThrownBy(() -> new Overlay(tooLittle, dynamic).run(layers))
        .isInstanceOfSatisfying(
            InfeasibleException.class,
            refused -> assertThat(refused.leastBytes()).isEqualTo(162_000_000))
        .hasMessageContaining("a device has 100,000,000 bytes");
  }

  @Test
  void systemSpec_whatCannotBe_isRefused() {
    assertThatThrownBy(() -> new Interconnect(8, 1, 3, 25e9, 0, 0, 256e9))
        .hasMessageContaining("3 links");
    assertThatThrownBy(() -> new Interconnect(8, 1, 6, -1, 0, 0, 256e9))
        .hasMessageContaining("above 0");
    SystemSpec good = Topology.unlimited("good", links(8, 1));
    assertThatThrownBy(
            () ->
                new SystemSpec(
                    "apart",
                    8,
                    1,
                    good.lanes(),
                    good.out(),
                    good.in(),
                    List.of(),
                    good.collective(),
                    good.placement()))
        .hasMessageContaining("nothing connects its 8 devices");
    assertThatThrownBy(() -> new LayerLoad("nan", Kind.CHEAP, Double.NaN, 0, 0, 0, 0))
        .hasMessageContaining("layer nan takes NaN s");
  }

  @Test
  void topologies_ofThePaper_haveItsRings() {
    Interconnect paper = links(8, 1);
    assertThat(Topology.STAR.ringNodes(paper)).containsExactly(8, 24, 24);
    assertThat(Topology.FOLDED.ringNodes(paper)).containsExactly(8, 12, 20);
    assertThat(Topology.RING.ringNodes(paper)).containsExactly(16, 16, 16);
  }
}
