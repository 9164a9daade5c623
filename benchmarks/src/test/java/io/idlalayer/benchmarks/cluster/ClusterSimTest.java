package io.idlalayer.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.cluster.ClusterExperiment.Contender;
import io.idlalayer.benchmarks.cluster.ClusterSim.Result;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Node;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Stage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterSimTest {
  private static final long MIB = 1 << 20;

  /** Small memories in the source's proportions: 48 and 16 MiB. */
  private static ClusterSpec small(Medium link) {
    return ClusterSpec.of(link, 4, 48 * MIB, 16 * MIB);
  }

  private static ClusterTrace trace(ClusterWorkload workload) {
    return workload.trace(new long[] {60 * MIB, 60 * MIB, 60 * MIB, 36 * MIB}, MIB / 16);
  }

  /** Asks a policy and looks at the layout after each decision. */
  private record Watched(ClusterPolicy policy) implements ClusterPolicy {
    @Override
    public void create(int block, int node, ClusterLayout layout) {
      policy.create(block, node, layout);
      check(layout);
    }

    @Override
    public void before(int stage, double nanos, double lastNanos, ClusterLayout layout) {
      policy.before(stage, nanos, lastNanos, layout);
      if (policy instanceof UnifiedPlacement) {
        for (int node = 0; node < layout.spec().nodes().size(); node++) {
          assertThat(layout.linkNanos(node)).isLessThanOrEqualTo(0.3 * lastNanos);
        }
      }
    }

    @Override
    public void touched(Access access, ClusterLayout layout) {
      policy.touched(access, layout);
      check(layout);
    }

    private static void check(ClusterLayout layout) {
      for (int node = 0; node < layout.spec().nodes().size(); node++) {
        for (Tier tier : List.of(Tier.DRAM, Tier.NVM)) {
          if (layout.room(new Spot(node, tier)) < 0) {
            throw new AssertionError("node %d has more in %s than fits".formatted(node, tier));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Contender.class)
  void run_ofEachWorkload_staysWithinMemoriesAndIsTheSameAgain(Contender contender) {
    for (ClusterWorkload workload : ClusterWorkload.values()) {
      for (Medium link : List.of(Medium.SOCKET, Medium.GIGABIT)) {
        Result first =
            ClusterSim.run(trace(workload), small(link), new Watched(contender.policy()));
        assertThat(first)
            .isEqualTo(ClusterSim.run(trace(workload), small(link), contender.policy()));
        assertThat(first.seconds()).isPositive();
        assertThat(first.locality()).isBetween(0.0, 1.0);
      }
    }
  }

  @Test
  void unifiedPlacement_besideAllRivals_isTheFastest() {
    for (ClusterWorkload workload : ClusterWorkload.values()) {
      double own =
          ClusterSim.run(trace(workload), small(Medium.SOCKET), new UnifiedPlacement(true))
              .seconds();
      for (Contender contender : Contender.values()) {
        assertThat(
                ClusterSim.run(trace(workload), small(Medium.SOCKET), contender.policy()).seconds())
            .as("%s under %s", workload, contender)
            .isGreaterThanOrEqualTo(own);
      }
    }
  }

  @Test
  void staticPlacement_onFasterMemories_isNeverSlower() {
    ClusterSpec slow = small(Medium.SOCKET);
    Medium faster = new Medium(200, 500, 20, 20);
    ClusterSpec fast =
        new ClusterSpec(slow.nodes(), slow.dram(), faster, slow.disk(), slow.link(), 16);
    for (ClusterWorkload workload : ClusterWorkload.values()) {
      assertThat(ClusterSim.run(trace(workload), fast, new RivalPlacements.FirstTouch()).seconds())
          .isLessThanOrEqualTo(
              ClusterSim.run(trace(workload), slow, new RivalPlacements.FirstTouch()).seconds());
    }
  }

  @Test
  void layout_afterAnyMovesAndLostNodes_hasEachBlockOnceWithinItsRoom() {
    long[] sizes = new long[200];
    int[] homes = new int[sizes.length];
    SplittableRandom random = new SplittableRandom(11);
    for (int block = 0; block < sizes.length; block++) {
      sizes[block] = MIB;
      homes[block] = block % 4;
    }
    ClusterTrace trace = new ClusterTrace("moves", sizes, homes, List.of(), 0, 1, 0);
    ClusterLayout layout = new ClusterLayout(small(Medium.SOCKET), trace);
    for (int block = 0; block < sizes.length; block++) {
      layout.create(block, new Spot(homes[block], Tier.DISK));
    }
    int lost = -1;
    for (int i = 0; i < 10_000; i++) {
      int block = random.nextInt(sizes.length);
      Spot to = new Spot(random.nextInt(4), List.of(Tier.values()).get(random.nextInt(3)));
      if (random.nextInt(100) == 0) {
        if (lost >= 0) {
          layout.restore(lost);
          lost = -1;
        } else {
          lost = random.nextInt(4);
          layout.lose(lost);
        }
      } else if (to.equals(layout.spot(block)) || layout.room(to) >= sizes[block]) {
        layout.move(block, to);
      } else {
        assertThatThrownBy(() -> layout.move(block, to)).isInstanceOf(IllegalStateException.class);
      }
      assertConserved(layout, sizes.length);
    }
  }

  private static void assertConserved(ClusterLayout layout, int blocks) {
    long[][] bytes = new long[4][Tier.values().length];
    for (int block = 0; block < blocks; block++) {
      Spot spot = layout.spot(block);
      assertThat(spot).as("block %d can be read", block).isNotNull();
      bytes[spot.node()][spot.tier().index()] += layout.bytes(block);
    }
    for (int node = 0; node < 4; node++) {
      for (Tier tier : Tier.values()) {
        Spot spot = new Spot(node, tier);
        assertThat(layout.used(spot)).isEqualTo(bytes[node][tier.index()]);
        assertThat(layout.used(spot)).isLessThanOrEqualTo(layout.capacity(spot));
      }
    }
  }

  private static ClusterTrace reads(int blocks, long blockBytes) {
    long[] sizes = new long[blocks];
    Arrays.fill(sizes, blockBytes);
    List<Access> accesses = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      accesses.add(new Access(0, block, false, 1));
    }
    Stage stage = new Stage(accesses, 0);
    return new ClusterTrace(
        "reads", sizes, new int[blocks], List.of(stage, stage, stage), 0.5, 1, 1);
  }

  private static Spot[] placed(ClusterTrace trace, ClusterSpec spec, ClusterPolicy policy) {
    ClusterLayout layout = new ClusterLayout(spec, trace);
    for (int block = 0; block < trace.blockBytes().length; block++) {
      policy.create(block, 0, layout);
    }
    Spot[] spots = new Spot[trace.blockBytes().length];
    Arrays.setAll(spots, layout::spot);
    return spots;
  }

  @ParameterizedTest
  @EnumSource(Contender.class)
  void placement_onOddClusters_findsAPlaceForEachBlock(Contender contender) {
    ClusterTrace trace = reads(8, MIB);
    Spot disk = new Spot(0, Tier.DISK);
    assertThat(
            placed(trace, ClusterSpec.of(Medium.SOCKET, 1, 8 * MIB, 8 * MIB), contender.policy()))
        .as("one node")
        .doesNotContain(disk)
        .doesNotContainNull();
    assertThat(placed(trace, ClusterSpec.of(Medium.SOCKET, 1, 8 * MIB, 0), contender.policy()))
        .as("no NVM")
        .containsOnly(new Spot(0, Tier.DRAM));
    assertThat(placed(trace, ClusterSpec.of(Medium.SOCKET, 1, 0, 8 * MIB), contender.policy()))
        .as("no DRAM")
        .containsOnly(new Spot(0, Tier.NVM));
    assertThat(placed(trace, ClusterSpec.of(Medium.SOCKET, 1, 2 * MIB, MIB), contender.policy()))
        .as("all full")
        .contains(disk)
        .filteredOn(disk::equals)
        .hasSize(5);
    assertThat(placed(reads(1, 9 * MIB), small(Medium.SOCKET), contender.policy()))
        .doesNotContain(disk);
    assertThat(
            placed(
                reads(1, 9 * MIB),
                ClusterSpec.of(Medium.SOCKET, 2, 8 * MIB, 8 * MIB),
                contender.policy()))
        .as("a block larger than each memory")
        .containsExactly(disk);
    assertThat(
            ClusterSim.run(
                    reads(8, MIB),
                    ClusterSpec.of(Medium.SOCKET, 1, 2 * MIB, MIB),
                    contender.policy())
                .seconds())
        .isPositive();
  }

  @Test
  void placement_withoutAProfile_isDramFirst() {
    ClusterTrace trace = trace(ClusterWorkload.KMEANS);
    assertThat(ClusterSim.run(trace, small(Medium.SOCKET), new UnifiedPlacement(false)))
        .isEqualTo(ClusterSim.run(trace, small(Medium.SOCKET), new RivalPlacements.FirstTouch()));
  }

  @Test
  void nodes_withOneNameTwiceOrNone_areRefused() {
    Node node = new Node("a", 1, 1);
    assertThatThrownBy(
            () ->
                new ClusterSpec(
                    List.of(node, node), Medium.DRAM, Medium.NVM, Medium.DISK, Medium.SOCKET, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ClusterSpec.of(Medium.SOCKET, 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Node("a", -1, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
