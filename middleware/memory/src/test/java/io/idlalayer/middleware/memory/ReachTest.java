package io.idlalayer.middleware.memory;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReachTest {
  private final TieredMemory memory = Tiers.of(200, 200);

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify(true).problems()).isEmpty();
    memory.close();
  }

  private MemObject make() {
    return Tiers.make(memory, FAST, 8);
  }

  private record Layer(String name, MemObject weights, int width, List<Object> rest) {}

  /** A class with private fields. */
  private static final class Net {
    private final MemObject object;

    Net(MemObject object) {
      this.object = object;
    }

    Holder holder() {
      return () -> List.of(object);
    }
  }

  @Test
  void everyContainer_isLookedInto() {
    MemObject[] objects = new MemObject[9];
    for (int i = 0; i < objects.length; i++) {
      objects[i] = make();
    }
    List<Object> cycle = new ArrayList<>(List.of(objects[0]));
    Layer layer = new Layer("dense", objects[1], 3, cycle);
    cycle.add(layer);
    cycle.add(cycle);
    cycle.add(new Object[] {objects[2], null, new int[] {4}, new MemObject[][] {{objects[3]}}});
    cycle.add(Map.of(objects[4], Optional.of(objects[5]), "empty", Optional.empty()));
    TieredArray array = new TieredArray(memory, objects[6], ElementType.BYTE);
    cycle.add(array);
    cycle.add(new Net(objects[7]).holder());
    cycle.add(new Net(objects[8]));
    assertThat(Reach.of(layer))
        .containsExactlyInAnyOrder(
            objects[0],
            objects[1],
            objects[2],
            objects[3],
            objects[4],
            objects[5],
            objects[6],
            objects[7]);
    assertThat(Reach.of(null)).isEmpty();
    assertThat(Reach.of("nothing")).isEmpty();
  }

  @Test
  void equalContainers_areNotTheSame() {
    MemObject object = make();
    // Two lists that are equal while they are looked at.
    List<Object> first = new ArrayList<>(List.of(List.of(), object));
    List<Object> second = new ArrayList<>(List.of(List.of(), object));
    assertThat(Reach.of(List.of(first, second))).containsExactly(object);
  }

  @Test
  void aDeepChain_doesNotOverflowTheStack() {
    MemObject object = make();
    Object chain = object;
    for (int i = 0; i < 100_000; i++) {
      chain = new Object[] {chain};
    }
    assertThat(Reach.of(chain)).containsExactly(object);
  }

  @Test
  void cleanup_retiresWhatIsNotKept() throws InterruptedException {
    MemObject kept = make();
    MemObject dead = make();
    MemObject outside = make();
    Layer layer = new Layer("dense", kept, 1, List.of(dead));
    assertThat(Reach.cleanup(layer, List.of(kept), memory::retire)).isEqualTo(1);
    assertThat(dead.retired()).isTrue();
    assertThat(kept.retired() || outside.retired()).isFalse();
    assertThat(Reach.cleanup(layer, null, memory::retire)).isEqualTo(1);
    assertThat(kept.retired()).isTrue();
    assertThat(Reach.cleanup(layer, null, memory::retire)).isZero();
  }

  @Test
  void cleanup_retiresTheRest_thoughOneIsPinned() throws InterruptedException {
    MemObject pinned = make();
    MemObject also = make();
    MemObject rest = make();
    memory.pin(pinned);
    memory.pin(also);
    assertThatThrownBy(() -> Reach.cleanup(List.of(pinned, also, rest), List.of(), memory::retire))
        .isInstanceOfSatisfying(
            PinnedException.class, e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(rest.retired()).isTrue();
  }

  @Test
  void aScope_keepsWhatAValueLeadsTo() throws InterruptedException {
    MemObject dead;
    Layer layer;
    try (AllocationScope scope = memory.openScope()) {
      dead = make();
      layer = scope.escapeAll(new Layer("dense", make(), 1, List.of(make())));
    }
    assertThat(dead.retired()).isTrue();
    assertThat(Reach.of(layer)).hasSize(2).noneMatch(MemObject::retired);
  }
}
