package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReusePredictorTest {
  @Test
  void reuse_isPredictedFromTheStepBefore() throws InterruptedException {
    TieredMemory memory = Tiers.of(400, 1000);
    ReusePredictor reuse = new ReusePredictor();
    for (int step = 0; step < 2; step++) {
      MemObject early = Tiers.make(memory, FAST, 10);
      MemObject late = Tiers.make(memory, FAST, 10);
      reuse.kernel(new KernelEvent(0, "a", List.of(), List.of(early)));
      reuse.kernel(new KernelEvent(1, "b", List.of(), List.of(late)));
      if (step == 0) {
        assertThat(reuse.distance(early)).isEqualTo(MemoryView.UNKNOWN);
      } else {
        assertThat(reuse.distance(early)).isEqualTo(3);
        assertThat(reuse.distance(late)).isEqualTo(2);
      }
      reuse.kernel(new KernelEvent(2, "c", List.of(), List.of()));
      reuse.kernel(new KernelEvent(3, "d", List.of(late), List.of()));
      reuse.kernel(new KernelEvent(4, "e", List.of(early), List.of()));
      reuse.retired(early);
      assertThat(reuse.distance(early)).isEqualTo(MemoryView.UNKNOWN);
    }
  }
}
