package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PageRankTest {
  @Test
  void ranks_ofAnEdge_areThoseOfTheFormula() {
    PageRank graph = new PageRank(2);
    graph.add(0, 1);
    double[] ranks = graph.ranks(PageRank.equal(2));
    // a = (0.15 + 0.85 b) / 2 and b = a + 0.85 a, where node 1 has no edge; a + b = 1.
    double first = 1 / 2.85;
    assertThat(ranks[0]).isCloseTo(first, within(1e-7));
    assertThat(ranks[1]).isCloseTo(1 - first, within(1e-7));
  }

  @Test
  void ranks_ofACircle_areEqual() {
    PageRank graph = new PageRank(3);
    graph.add(0, 1);
    graph.add(1, 2);
    graph.add(2, 0);
    assertThat(graph.ranks(new double[] {1, 0, 0})).containsExactly(third(), within(1e-7));
  }

  private static double[] third() {
    return PageRank.equal(3);
  }

  @Test
  void ranks_fromThoseBeforeOneMoreEdge_endSoonerInTheSamePlace() {
    int nodes = 500;
    SplittableRandom random = new SplittableRandom(1);
    PageRank graph = new PageRank(nodes);
    for (int i = 0; i < 5_000; i++) {
      graph.add(random.nextInt(nodes), random.nextInt(nodes));
    }
    double[] before = graph.ranks(PageRank.equal(nodes));
    graph.add(3, 7);
    double[] warm = graph.ranks(before);
    int warmIterations = graph.iterations();
    double[] cold = graph.ranks(PageRank.equal(nodes));
    assertThat(warmIterations).isLessThan(graph.iterations());
    assertThat(PageRank.distance(warm, cold)).isLessThan(1e-6);
    assertThat(PageRank.distance(before, cold)).isGreaterThan(1e-5);
    assertThat(Arrays.stream(warm).sum()).isCloseTo(1, within(1e-9));
  }

  @Test
  void distance_ofTwoRankings_addsUpDifferences() {
    assertThat(PageRank.distance(new double[] {0.5, 0.5}, new double[] {0.25, 0.75}))
        .isEqualTo(0.5);
  }
}
