package io.idlalayer.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.cluster.ClusterSpec.Spot;
import io.idlalayer.benchmarks.cluster.ClusterSpec.Tier;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Stage;
import io.idlalayer.benchmarks.cluster.HighLowAllocation.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values computed by hand from the rules of UniRedl, with the errata of its formulas. */
class UnifiedVectorsTest {
  private static final long GB = 1_000_000_000L;
  private static final double MEGABYTE = 1e6;
  private static final double EXACT = 1e-12;

  private static HighLowAllocation allocation(double reads) {
    return new HighLowAllocation(Medium.DRAM, Medium.NVM, reads);
  }

  @Test
  void ratios_ofTheSourcesMemories_areThoseOfTheCaseStudy() {
    HighLowAllocation mixed = HighLowAllocation.of(Medium.DRAM, Medium.NVM, 0.8, 0.2);
    assertThat(mixed.latencyRatio()).isCloseTo(0.25, within(EXACT));
    assertThat(mixed.bandwidthRatio()).isEqualTo(0.5);
    assertThat(mixed.paperShare()).isCloseTo(2.0 / 3, within(EXACT));
    assertThat(HighLowAllocation.dramShare(mixed.latencyRatio())).isCloseTo(0.8, within(EXACT));
    assertThat(allocation(1).latencyRatio()).isCloseTo(1.0 / 3, within(EXACT));
    assertThat(allocation(0).latencyRatio()).isCloseTo(0.125, within(EXACT));
    HighLowAllocation equal = new HighLowAllocation(Medium.DRAM, Medium.DRAM, 0.8);
    assertThat(equal.paperShare()).isEqualTo(0.5);
  }

  @ParameterizedTest
  @CsvSource({
    "30, 0.6666666667, 48, 16, 20, 10, 0",
    "30, 0.8, 48, 16, 24, 6, 0",
    "60, 0.6666666667, 48, 16, 44, 16, 0",
    "70, 0.6666666667, 48, 16, 48, 16, 6",
    "10, 0.5, 0, 16, 0, 10, 0",
    "10, 0.5, 48, 0, 10, 0, 0",
    "10, 0.5, 0, 0, 0, 0, 10",
  })
  void split_byAShare_respectsRoom(
      long all, double share, long dramRoom, long nvmRoom, double dram, double nvm, double disk) {
    Split split = HighLowAllocation.split(all * GB, share, dramRoom * GB, nvmRoom * GB);
    assertThat((double) split.dramBytes() / GB).isCloseTo(dram, within(1e-6));
    assertThat((double) split.nvmBytes() / GB).isCloseTo(nvm, within(1e-6));
    assertThat((double) split.diskBytes() / GB).isCloseTo(disk, within(1e-6));
    assertThat(split.dramBytes() + split.nvmBytes() + split.diskBytes()).isEqualTo(all * GB);
  }

  @Test
  void allocation_withSharesOrLatenciesThatCannotBe_isRefused() {
    assertThatThrownBy(() -> HighLowAllocation.of(Medium.DRAM, Medium.NVM, 0.8, 0.3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("add up to 1");
    assertThatThrownBy(() -> allocation(-0.1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> allocation(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Medium(-1, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Medium(1, 1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    Medium free = new Medium(0, 0, 1, 1);
    assertThatThrownBy(() -> new HighLowAllocation(free, Medium.NVM, 0.5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void modelShare_boundByBandwidthOrLatency_balancesOrTakesAllDram() {
    HighLowAllocation mixed = allocation(0.8);
    assertThat(mixed.modelShare(0, 1)).isCloseTo(2.0 / 3, within(EXACT));
    assertThat(mixed.modelShare(1, 1)).isEqualTo(1);
    assertThat(mixed.modelShare(1, 0.8)).isEqualTo(0.8);
    assertThat(mixed.modelShare(0, 0.5)).as("less room than the balance").isEqualTo(0.5);
    double before = 0;
    for (double latencyBound : new double[] {0, 0.25, 0.5, 0.75, 1}) {
      double share = mixed.modelShare(latencyBound, 1);
      assertThat(share).isGreaterThanOrEqualTo(before);
      before = share;
    }
    assertThatThrownBy(() -> mixed.modelShare(1.1, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMegabyte_costsByItsPlace_andTheOrderFollows() {
    ClusterSpec socket = ClusterSpec.source(Medium.SOCKET);
    ClusterSpec gigabit = ClusterSpec.source(Medium.GIGABIT);
    Spot remote = new Spot(1, Tier.DRAM);
    // Local NVM of 9 GB/s, as in the vector.
    Medium nvm = new Medium(270, 720, 9, 9);
    assertThat(socket.nanos(0, remote, MEGABYTE, false)).isCloseTo(58_974, within(1.0));
    assertThat(nvm.nanos(MEGABYTE, false)).isCloseTo(111_381, within(1.0));
    assertThat(gigabit.nanos(0, remote, MEGABYTE, false)).isCloseTo(8_647_009, within(1.0));
  }

  @Test
  void copy_ofLocalNvm_paysFromTwoUsesOn() {
    Medium nvm = new Medium(270, 720, 9, 9);
    ClusterSpec spec =
        new ClusterSpec(
            List.of(new ClusterSpec.Node("one", GB, GB)),
            Medium.DRAM,
            nvm,
            Medium.DISK,
            Medium.SOCKET,
            1);
    Spot local = new Spot(0, Tier.NVM);
    assertThat(spec.copyPays(0, local, MEGABYTE, 1)).isFalse();
    assertThat(spec.copyPays(0, local, MEGABYTE, 2)).isTrue();
    double direct = spec.nanos(0, local, MEGABYTE, false);
    assertThat(2 * direct / 1e3).isCloseTo(222.8, within(0.05));
    assertThat((direct + 2 * Medium.DRAM.nanos(MEGABYTE, false)) / 1e3)
        .isCloseTo(167.1, within(0.1));
  }

  /** Each block is somewhere else and is read twice, or once, by node 0. */
  private static ClusterLayout walked(int passes) {
    long[] sizes = new long[5];
    Arrays.fill(sizes, 1 << 20);
    List<Access> accesses = new ArrayList<>();
    for (int block = 0; block < sizes.length; block++) {
      accesses.add(new Access(0, block, false, passes));
    }
    Stage empty = new Stage(List.of(), 1e9);
    ClusterTrace trace =
        new ClusterTrace(
            "walk",
            sizes,
            new int[] {0, 1, 0, 1, 0},
            List.of(empty, empty, new Stage(accesses, 0)),
            0,
            1,
            0);
    ClusterLayout layout =
        new ClusterLayout(ClusterSpec.of(Medium.SOCKET, 2, 8 << 20, 8 << 20), trace);
    layout.create(0, new Spot(0, Tier.DRAM));
    layout.create(1, new Spot(1, Tier.DRAM));
    layout.create(2, new Spot(0, Tier.NVM));
    layout.create(3, new Spot(1, Tier.NVM));
    layout.create(4, new Spot(0, Tier.DISK));
    layout.begin();
    new UnifiedPlacement(true).before(1, 1e9, 1e9, layout);
    return layout;
  }

  @Test
  void walk_throughAllPlaces_bringsWhatIsUsedAgainToLocalDram() {
    ClusterLayout twice = walked(2);
    for (int block = 0; block < 5; block++) {
      assertThat(twice.spot(block)).as("block %d", block).isEqualTo(new Spot(0, Tier.DRAM));
    }
    assertThat(twice.movedBytes()).as("all but the first").isEqualTo(4L << 20);

    ClusterLayout once = walked(1);
    assertThat(once.spot(1)).as("one use over the link").isEqualTo(new Spot(1, Tier.DRAM));
    assertThat(once.spot(3)).as("one use over the link").isEqualTo(new Spot(1, Tier.NVM));
    assertThat(once.spot(2)).as("brought beside computing").isEqualTo(new Spot(0, Tier.DRAM));
    assertThat(once.spot(4)).isEqualTo(new Spot(0, Tier.DRAM));
  }
}
