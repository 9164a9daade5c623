package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A[0,20) used, F[20,30), B[30,50) used, F[50,100). */
class AllocateAtTest {
  private final TieredMemory memory = Tiers.of(100, 1000);
  private MemObject a;
  private MemObject b;
  private final List<MemObject> evicted = new ArrayList<>();

  @BeforeEach
  void arrange() throws InterruptedException {
    a = Tiers.make(memory, FAST, 20);
    MemObject hole = Tiers.make(memory, FAST, 10);
    b = Tiers.make(memory, FAST, 20);
    memory.retire(hole);
  }

  private void evict(Region region) throws InterruptedException {
    MemObject object = region.parent();
    evicted.add(object);
    Tiers.demote(memory, object);
  }

  private List<String> layout() {
    return memory.regions(FAST).stream()
        .map(
            region ->
                "%s[%d,%d)"
                    .formatted(region.state(), region.offset(), region.offset() + region.bytes()))
        .toList();
  }

  private void sound() {
    assertThat(memory.verify(true).problems()).isEmpty();
  }

  @Test
  void allocateAt_middleOfAFreeRegion_leavesBothEndsFree() {
    Region region = memory.allocateAt(FAST, 60, 10).orElseThrow();
    assertThat(layout())
        .containsExactly(
            "USED[0,20)",
            "FREE[20,30)",
            "USED[30,50)",
            "FREE[50,60)",
            "USED[60,70)",
            "FREE[70,100)");
    memory.free(region);
    assertThat(layout()).endsWith("USED[30,50)", "FREE[50,100)");
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(40);
    sound();
  }

  @Test
  void allocateAt_usedBytesOrNoSuchBytes_isEmpty() {
    assertThat(memory.allocateAt(FAST, 25, 10)).isEmpty();
    assertThat(memory.allocateAt(FAST, 45, 10)).isEmpty();
    assertThat(memory.allocateAt(FAST, 95, 10)).isEmpty();
    memory.setBudget(FAST, 45);
    assertThat(memory.allocateAt(FAST, 60, 10)).isEmpty();
    assertThat(memory.allocateAt(FAST, 60, 5)).isPresent();
  }

  @Test
  void allocateAt_negativeOffset_isRefused() {
    assertThatThrownBy(() -> memory.allocateAt(FAST, -1, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("offset -1");
  }

  @Test
  void evictAt_range_evictsThoseWithBytesInIt() throws InterruptedException {
    assertThat(memory.evictAt(FAST, 45, 10, this::evict)).isTrue();
    assertThat(evicted).containsExactly(b);
    assertThat(memory.allocateAt(FAST, 45, 10)).isPresent();
    assertThat(layout())
        .containsExactly("USED[0,20)", "FREE[20,45)", "USED[45,55)", "FREE[55,100)");
    sound();
  }

  @Test
  void evictAt_pinnedObjectInTheRange_evictsNothing() throws InterruptedException {
    memory.pin(a);
    assertThat(memory.evictAt(FAST, 10, 30, this::evict)).isFalse();
    assertThat(evicted).isEmpty();
    assertThat(memory.evictAt(FAST, 95, 10, this::evict)).as("beyond the device").isFalse();
    sound();
  }
}
