package io.idlalayer.benchmarks.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlockWorkloadTest {
  private static final int BLOCKS = 1000;

  @ParameterizedTest
  @EnumSource
  void iteration_ofAllProcesses_readsEachBlockOnce(BlockWorkload workload) {
    int[] reads = new int[BlockWorkload.SHARED_BLOCKS + BLOCKS];
    int largest = 0;
    for (int process = 0; process < 4; process++) {
      BlockWorkload.Part part = BlockWorkload.Part.of(process, 4, BLOCKS);
      assertThat(part.blocks()).isGreaterThan(largest);
      largest = part.blocks();
      int[] references = workload.iteration(part, 3, 7);
      assertThat(references).isEqualTo(workload.iteration(part, 3, 7));
      for (int block : references) {
        reads[block]++;
      }
    }
    assertThat(Arrays.stream(reads).skip(BlockWorkload.SHARED_BLOCKS)).containsOnly(1);
    assertThat(Arrays.stream(reads).limit(BlockWorkload.SHARED_BLOCKS).sum()).isPositive();
  }
}
