package io.idlalayer.benchmarks.placement;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Move;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listings that the sources print with errors: as printed, beside what they must do. */
class PrintedListingsTest {
  private final TieredMemory memory = Tiers.of(100, 1000);

  /** CachedArrays: what follows the second allocation stands in the branch of the failed first. */
  private void printedPrefetch(MemObject object) throws InterruptedException {
    if (object.in(FAST)) {
      return;
    }
    Region target = memory.allocate(FAST, object.bytes()).orElse(null);
    if (target == null) {
      List<Region> start = memory.regions(FAST).subList(0, 1);
      memory.evictFrom(
          FAST, start, object.bytes(), region -> Tiers.demote(memory, region.parent()));
      target = memory.allocate(FAST, object.bytes()).orElseThrow();
      try (Move move = memory.move(object)) {
        move.copyTo(target);
        move.link(target);
        move.setPrimary(target);
      }
    }
  }

  private PlacedMemory ours() {
    return new PlacedMemory(
        memory, ComparedPolicy.CACHED_ARRAYS_LMP.create(), PolicyEnvironment.of(memory));
  }

  @Test
  void prefetch_asPrinted_copiesNothingWhenThereIsRoom() throws InterruptedException {
    MemObject object = Tiers.make(memory, SLOW, 40);
    Tiers.fill(memory, object, 6);
    printedPrefetch(object);
    assertThat(object.in(FAST)).isFalse();
    assertThat(memory.verify().regionsInFlight()).isEqualTo(1);
    memory.free(Tiers.regionAt(memory, FAST, 0));

    ours().run(new KernelEvent(0, "use", List.of(object), List.of()), arguments -> {});
    assertThat(object.in(FAST)).isTrue();
    assertThat(memory.verify().regionsInFlight()).isZero();
    assertThat(Tiers.read(memory, object)).containsOnly(6);
  }

  @Test
  void prefetch_asPrinted_worksOnlyOnAFullDevice() throws InterruptedException {
    MemObject full = Tiers.make(memory, FAST, 100);
    MemObject object = Tiers.make(memory, SLOW, 40);
    printedPrefetch(object);
    assertThat(object.in(FAST)).isTrue();
    assertThat(full.in(SLOW)).isTrue();
    assertThat(memory.verify(true).sound()).isTrue();
  }

  /**
   * Operations of a backward pass in their order.
   *
   * @param id id of the first operation
   * @param millis milliseconds that each operation takes
   * @param working bytes that each operation needs
   * @param limit size of the near memory
   */
  private record Backward(int id, int[] millis, int[] working, int limit) {
    /**
     * Returns the operation at whose start a transfer begins, by AutoVM's listing 3.3; 0 if none.
     *
     * @param consumer the first operation that needs the tensor
     * @param millisNeeded duration of its transfer
     * @param printed whether to return the operation next to the consumer, not the earliest of the
     *     window
     */
    int start(int consumer, int millisNeeded, int bytes, boolean printed) {
      List<Integer> window = new ArrayList<>();
      int covered = 0;
      for (int op = consumer - 1; op >= id && covered < millisNeeded; op--) {
        window.add(op);
        covered += millis[op - id];
      }
      while (!window.isEmpty()
          && window.stream().anyMatch(op -> working[op - id] + bytes > limit)) {
        window.remove(window.size() - 1);
      }
      window.forEach(op -> working[op - id] += bytes);
      return window.isEmpty() ? 0 : window.get(printed ? 0 : window.size() - 1);
    }

    /** Milliseconds that the consumer waits for a transfer begun at an operation. */
    int stall(int start, int consumer, int millisNeeded) {
      int hidden = 0;
      for (int op = start; op < consumer; op++) {
        hidden += millis[op - id];
      }
      return Math.max(0, millisNeeded - hidden);
    }
  }

  /** dFC2, dFC1, dConv2, dPool, dRelu, dConv1 of the example network. */
  private static Backward example() {
    return new Backward(7, new int[] {1, 2, 4, 2, 2, 5}, new int[] {10, 30, 60, 75, 90, 100}, 120);
  }

  @Test
  void prefetchStart_asPrinted_isTooLate() {
    Backward free = new Backward(7, example().millis(), new int[6], 120);
    int dConv1 = 12;
    int ours = free.start(dConv1, 4, 20, false);
    int printed = free.start(dConv1, 4, 20, true);
    // The text: the transfer for dConv1 is hidden by dRelu and dPool, so it starts at dPool.
    assertThat(ours).isEqualTo(10);
    assertThat(free.stall(ours, dConv1, 4)).isZero();
    assertThat(printed).isEqualTo(11);
    assertThat(free.stall(printed, dConv1, 4)).isEqualTo(2);
  }

  @Test
  void prefetchStarts_ofTheExample() {
    Backward backward = example();
    // y4, y3, y2, y1 in the order of their consumers, with what each reserves.
    assertThat(backward.start(8, 2, 20, false)).isEqualTo(7);
    assertThat(backward.start(9, 2, 20, false)).isEqualTo(8);
    assertThat(backward.start(10, 4, 40, false)).isEqualTo(9);
    assertThat(backward.start(11, 4, 40, false)).isEqualTo(10);
    assertThat(backward.stall(10, 11, 4)).isEqualTo(2);
  }
}
