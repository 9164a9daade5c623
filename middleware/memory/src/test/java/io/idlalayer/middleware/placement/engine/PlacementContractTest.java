package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The policies of the product. */
final class PlacementContractTest extends PlacementContract {
  @Override
  protected List<PolicyCase> policies() {
    return PolicyCase.shipped();
  }

  private static void sound(PlacedMemory memory) {
    assertThat(memory.memory().verify(true).problems()).isEmpty();
  }

  @Test
  void aKernelThatWaits_keepsItsArgumentsInPlace() throws Exception {
    try (PlacedMemory memory =
        PlacedTiers.of(PlacementName.CACHED_ARRAYS.unplanned(), 2048, new RealClock())) {
      MemObject written = memory.create(new AllocationRequest(100, Hint.AUTO));
      MemObject read = memory.create(new AllocationRequest(100, Hint.AUTO));
      List<Boolean> placedFast = new ArrayList<>();
      Thread waiting =
          new Thread(
              () -> {
                try {
                  memory.run(
                      new KernelEvent(1, "second", List.of(written, read), List.of()),
                      arguments -> placedFast.add(arguments.region(read).in(FAST)));
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      memory.run(
          new KernelEvent(0, "first", List.of(), List.of(written)),
          arguments -> {
            waiting.start();
            await().atMost(Tiers.PATIENCE).until(read::pinned);
            assertThatThrownBy(() -> Tiers.demote(memory.memory(), read))
                .isInstanceOf(PinnedException.class);
          });
      waiting.join();
      assertThat(placedFast).containsExactly(true);
      assertThat(read.pinned()).isFalse();
      Tiers.demote(memory.memory(), read);
      assertThat(read.in(SLOW)).isTrue();
    }
  }

  @Test
  void steps_manyThousand_holdTheirBytes() throws Exception {
    assertBytesHold(4_000);
  }

  @Test
  @Tag("stress")
  void steps_aHundredThousand_holdTheirBytes() throws Exception {
    assertBytesHold(100_000);
  }

  private static void assertBytesHold(int steps) throws Exception {
    try (PlacedMemory memory =
            PlacedTiers.of(PlacementName.CACHED_ARRAYS.unplanned(), 64, new VirtualClock());
        ToyNet net = new ToyNet(memory, 8, 16)) {
      for (int i = 0; i < 100; i++) {
        net.step();
      }
      long after = bytes(memory);
      int objects = memory.memory().objects().size();
      for (int i = 0; i < steps; i++) {
        net.step();
      }
      assertThat((double) bytes(memory)).isBetween(0.99 * after, 1.01 * after);
      assertThat(memory.memory().objects()).hasSize(objects);
      assertThat(memory.memory().verify().regionsInFlight()).isZero();
      sound(memory);
    }
  }

  private static long bytes(PlacedMemory memory) {
    return memory.memory().use(FAST).occupiedBytes() + memory.memory().use(SLOW).occupiedBytes();
  }

  @Test
  void create_policyOfAName_hasItsKey() {
    for (PlacementName name : PlacementName.values()) {
      assertThat(PolicyCase.of(name).create().name()).isEqualTo(name.key());
    }
  }

  @Test
  void firstTouch_staysWhereItWasPut() throws Exception {
    try (PlacedMemory memory =
        PlacedTiers.of(PlacementName.FIRST_TOUCH.unplanned(), 10, new VirtualClock())) {
      memory.memory().setBudget(FAST, 10);
      MemObject first = memory.create(new AllocationRequest(6, Hint.AUTO));
      MemObject second = memory.create(new AllocationRequest(6, Hint.AUTO));
      MemObject third = memory.create(new AllocationRequest(4, Hint.AUTO));
      memory.retire(first);
      MemObject fourth = memory.create(new AllocationRequest(6, Hint.AUTO));
      assertThat(Stream.of(second, third, fourth).map(object -> object.in(FAST)))
          .containsExactly(false, true, true);
      memory.retire(fourth);
      memory.run(new KernelEvent(0, "use", List.of(second), List.of(third)), arguments -> {});
      memory.endOfStep();
      assertThat(second.in(FAST)).isFalse();
      assertThat(third.in(FAST)).isTrue();
    }
  }
}
