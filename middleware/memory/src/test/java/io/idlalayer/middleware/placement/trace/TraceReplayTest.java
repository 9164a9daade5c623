package io.idlalayer.middleware.placement.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A replay under the policies of the product. */
final class TraceReplayTest extends TraceReplayContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  private static Run replay(PlacementName name) throws Exception {
    return replay(PolicyCase.of(name).create(), GRAPH.peakBytes(), DirectArena::new, true);
  }

  @Test
  void allFast_takesTheRecordedTimeAndMovesNothing() throws Exception {
    Run run = replay(PlacementName.ALL_FAST);
    assertThat(run.nanos()).isEqualTo(STEPS * GRAPH.fastNanos());
    assertThat(run.after().traffic().flows()).isEmpty();
    assertThat(run.after().slowUses()).isZero();
    assertThat(run.after().fast().highWaterBytes()).isEqualTo(GRAPH.peakBytes());
  }

  @Test
  void allSlow_everyUseCrossesOnce() throws Exception {
    Run run = replay(PlacementName.ALL_SLOW);
    long reads = 8 * 640L + 7 * 1280 + 8 * (640 + 1280);
    long writes = 8 * 1280L + 8 * 640;
    assertThat(run.after().slowReadBytes() - run.before().slowReadBytes()).isEqualTo(STEPS * reads);
    assertThat(run.after().slowWrittenBytes() - run.before().slowWrittenBytes())
        .isEqualTo(STEPS * writes);
    assertThat(run.after().fastUses()).isZero();
  }

  @Test
  void replay_recordedSoftEviction_isRepeated() throws Exception {
    TaskGraph.Tensor lasting = new TaskGraph.Tensor("w", 64, TaskGraph.TensorKind.PARAMETER, false);
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new TaskGraph.Kernel(
                    "k",
                    List.of(0),
                    List.of(),
                    new TaskGraph.Lifetimes(List.of(), List.of(0), List.of()),
                    1,
                    List.of(),
                    null)),
            List.of(lasting));
    TieredMemory memory = Tiers.of(1024, 1024);
    List<MemObject> noted = new ArrayList<>();
    PlacementPolicy noting =
        new PlacementPolicy() {
          @Override
          public String name() {
            return "noting";
          }

          @Override
          public Placement place(AllocationRequest request, MemoryView view) {
            return Placement.of(Placement.FAST);
          }

          @Override
          public void softEvicted(MemObject object, MemoryView view) {
            noted.add(object);
          }
        };
    try (PlacedMemory placed = new PlacedMemory(memory, noting, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true)) {
      replay.step();
      assertThat(noted).containsExactlyElementsOf(memory.objects());
    }
  }

  @Test
  void aHollowArena_givesNoObjectAway() {
    try (HollowArena arena = new HollowArena(Tiers.fast(4 << 20))) {
      assertThat(arena.view(0, 1000).capacity()).isEqualTo(1000);
      assertThat(arena.pieceBytes()).isEqualTo(arena.capacityBytes());
      assertThatThrownBy(() -> arena.view(0, 2 << 20))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("2,097,152");
    }
  }
}
