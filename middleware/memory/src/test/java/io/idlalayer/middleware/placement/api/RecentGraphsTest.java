package io.idlalayer.middleware.placement.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentGraphsTest {
  private static TaskGraph graph(int layers) {
    return RandomGraphs.chain(layers, 64, 128);
  }

  @Test
  void get_equalGraph_isMadeOnce() {
    RecentGraphs<Integer> graphs = new RecentGraphs<>();
    List<TaskGraph> made = new ArrayList<>();
    for (int layers : new int[] {2, 3, 2, 2, 3}) {
      int value =
          graphs.get(
              graph(layers),
              any -> {
                made.add(any);
                return any.kernels().size();
              });
      assertThat(value).isEqualTo(graph(layers).kernels().size());
      assertThat(graphs.get(graph(layers))).isEqualTo(value);
    }
    assertThat(made).hasSize(2);
    assertThat(graphs.get(graph(4))).isNull();
  }

  @Test
  void get_moreThanTheMost_forgetsTheLeastRecent() {
    RecentGraphs<Integer> graphs = new RecentGraphs<>();
    for (int layers = 1; layers <= RecentGraphs.MOST + 1; layers++) {
      int value = layers;
      graphs.get(graph(layers), any -> value);
      // The first one stays in use.
      assertThat(graphs.get(graph(1), any -> -1)).isEqualTo(1);
    }
    assertThat(graphs.values()).hasSize(RecentGraphs.MOST).endsWith(1);
    assertThat(graphs.get(graph(2))).isNull();
  }
}
