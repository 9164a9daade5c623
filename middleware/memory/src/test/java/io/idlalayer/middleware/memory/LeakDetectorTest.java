package io.idlalayer.middleware.memory;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handles that become garbage. */
class LeakDetectorTest {
  private final TieredMemory memory = Tiers.of(200, 200);

  private TieredArray array() {
    return new TieredArray(memory, Tiers.make(memory, FAST, 8), ElementType.LONG);
  }

  private MemObject lose() {
    return array().object();
  }

  private static void collect() {
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () -> {
              System.gc();
              return garbage.refersTo(null);
            });
  }

  /** A handle that is lost after all others: once it is noticed, they would have been. */
  private void collectHandles() {
    MemObject last = lose();
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () -> {
              System.gc();
              return memory.leaked().contains(last);
            });
  }

  @Test
  void anArrayThatIsLost_isADefect_andIsNotFreed() throws InterruptedException {
    MemObject object = lose();
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () -> {
              System.gc();
              return memory.leaked().equals(List.of(object));
            });
    assertThat(memory.verify().sound()).isFalse();
    assertThat(memory.verify().problems())
        .singleElement()
        .asString()
        .contains("leaked")
        .contains(object.toString());
    assertThat(object.retired()).isFalse();
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(8);
    // Who finds it after all puts it right.
    memory.retire(object);
    assertThat(memory.leaked()).isEmpty();
    assertThat(memory.verify().sound()).isTrue();
  }

  @Test
  void whatWasRetired_isNotLost() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      array().retire();
      memory.retire(array().object());
    }
    collectHandles();
    assertThat(memory.leaked()).hasSize(1);
  }

  @Test
  void whatItsOwnerKeepsForALaterCollection_isNotLost() throws InterruptedException {
    List<MemObject> dead = new ArrayList<>();
    TieredArray array =
        new TieredArray(memory, Tiers.make(memory, FAST, 8), ElementType.LONG, dead::add);
    assertThat(array.retire()).isTrue();
    array = null;
    collectHandles();
    assertThat(memory.leaked()).doesNotContainAnyElementsOf(dead);
    assertThat(dead.get(0).retired()).isFalse();
  }

  @Test
  void anotherHandle_keepsAnObject() {
    TieredArray kept = array();
    try {
      for (int i = 0; i < 3; i++) {
        new TieredArray(memory, kept.object(), ElementType.FLOAT).type();
      }
      collectHandles();
      assertThat(memory.leaked()).doesNotContain(kept.object());
    } finally {
      Reference.reachabilityFence(kept);
    }
  }

  @Test
  void aScopeThatIsOpen_isAnOwner() throws InterruptedException {
    MemObject temporary;
    MemObject escaped;
    try (AllocationScope scope = memory.openScope()) {
      temporary = lose();
      escaped = scope.escape(lose());
      collect();
      assertThat(memory.leaked()).isEmpty();
    }
    assertThat(temporary.retired()).isTrue();
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () -> {
              System.gc();
              return memory.leaked().equals(List.of(escaped));
            });
  }

  @Test
  void aClosedMemory_hasNoLeaks() {
    collectHandles();
    memory.close();
    assertThat(memory.leaked()).isEmpty();
  }
}
