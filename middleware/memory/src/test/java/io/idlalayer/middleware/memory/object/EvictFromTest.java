package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceFullException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A[0,20) used, F[20,30), B[30,50) used, F[50,55), C[55,80) used, F[80,100). */
class EvictFromTest {
  private final TieredMemory memory = Tiers.of(100, 1000);
  private MemObject a;
  private MemObject b;
  private MemObject c;
  private final List<MemObject> evicted = new ArrayList<>();

  @BeforeEach
  void arrange() throws InterruptedException {
    a = Tiers.make(memory, FAST, 20);
    MemObject hole = Tiers.make(memory, FAST, 10);
    b = Tiers.make(memory, FAST, 20);
    MemObject small = Tiers.make(memory, FAST, 5);
    c = Tiers.make(memory, FAST, 25);
    memory.retire(hole);
    memory.retire(small);
  }

  private void evict(Region region) throws InterruptedException {
    MemObject object = region.parent();
    evicted.add(object);
    Tiers.demote(memory, object);
  }

  private Iterable<Region> starts(long... offsets) {
    List<Region> regions = new ArrayList<>();
    for (long offset : offsets) {
      regions.add(Tiers.regionAt(memory, FAST, offset));
    }
    return regions;
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
    assertThat(memory.verify().regionsInFlight()).isZero();
  }

  @Test
  @DisplayName("1.6.1: a span grows forward, then the allocation takes its start")
  void aSpanGrowsForward_thenAllocatesBestFit() throws InterruptedException {
    Span span = memory.evictFrom(FAST, starts(20), 40, this::evict);
    assertThat(evicted).containsExactly(b, c);
    assertThat(span).isEqualTo(new Span(FAST, 20, 80));
    assertThat(layout()).containsExactly("USED[0,20)", "FREE[20,100)");
    Tiers.make(memory, FAST, 40);
    assertThat(layout()).containsExactly("USED[0,20)", "USED[20,60)", "FREE[60,100)");
    sound();
  }

  @Test
  @DisplayName("1.6.1: with C pinned the span grows backward")
  void aPinForward_letsItGrowBackward() throws InterruptedException {
    memory.pin(c);
    Span span = memory.evictFrom(FAST, starts(20), 40, this::evict);
    assertThat(evicted).containsExactly(b, a);
    assertThat(span).isEqualTo(new Span(FAST, 0, 55));
    sound();
  }

  @Test
  @DisplayName("1.6.1: with A and C pinned nothing is evicted")
  void pinsOnBothSides_evictNothing() {
    memory.pin(a);
    memory.pin(c);
    List<String> before = layout();
    assertThatThrownBy(() -> memory.evictFrom(FAST, starts(20), 40, this::evict))
        .isInstanceOfSatisfying(
            DeviceFullException.class,
            full -> {
              assertThat(full.requestedBytes()).isEqualTo(40);
              assertThat(full.freeBytes()).isEqualTo(35);
              assertThat(full.largestFreeBytes()).isEqualTo(20);
            });
    assertThat(evicted).isEmpty();
    assertThat(layout()).isEqualTo(before);
    sound();
  }

  @Test
  void anotherStart_isTriedWhenTheFirstLeadsNowhere() throws InterruptedException {
    memory.pin(b);
    Span span = memory.evictFrom(FAST, starts(20, 55), 40, this::evict);
    assertThat(evicted).containsExactly(c);
    assertThat(span).isEqualTo(new Span(FAST, 50, 50));
    sound();
  }

  @Test
  void leasesAndMoves_keepARegionOutOfTheSpan() throws InterruptedException {
    try (ReadLease reading = memory.read(c);
        Move moving = memory.move(a)) {
      assertThatThrownBy(() -> memory.evictFrom(FAST, starts(20), 40, this::evict))
          .isInstanceOf(DeviceFullException.class);
    }
    assertThat(memory.evictFrom(FAST, starts(20), 40, this::evict).bytes()).isEqualTo(80);
  }

  @Test
  void evictFrom_vetoedRegion_isNotEvicted() {
    EvictionCallback veto =
        new EvictionCallback() {
          @Override
          public void evict(Region region) throws InterruptedException {
            EvictFromTest.this.evict(region);
          }

          @Override
          public boolean mayEvict(Region region) {
            return region.parent() != b;
          }
        };
    assertThatThrownBy(() -> memory.evictFrom(FAST, starts(20), 60, veto))
        .isInstanceOf(DeviceFullException.class);
    assertThat(evicted).isEmpty();
  }

  @Test
  void aCallbackThatFreesNothing_aborts() {
    assertThatThrownBy(
            () ->
                memory.evictFrom(
                    FAST,
                    starts(20),
                    40,
                    region -> {
                      if (region.parent() == b) {
                        evict(region);
                      }
                    }))
        .isInstanceOf(AbortedEvictionException.class);
    assertThat(evicted).containsExactly(b);
    assertThat(layout())
        .containsExactly("USED[0,20)", "FREE[20,55)", "USED[55,80)", "FREE[80,100)");
    sound();
  }

  @Test
  void aCallbackThatFails_aborts() {
    assertThatThrownBy(
            () ->
                memory.evictFrom(
                    FAST,
                    starts(20),
                    40,
                    region -> {
                      throw memory.full(SLOW, 7);
                    }))
        .isInstanceOf(AbortedEvictionException.class)
        .hasMessageContaining("has no room for 7 bytes");
    sound();
  }

  @Test
  void evictFrom_callbackFreesNeighbours_spanGrowsOverThem() throws InterruptedException {
    Span span =
        memory.evictFrom(
            FAST,
            starts(20),
            25,
            region -> {
              evict(region);
              memory.retire(a);
              memory.retire(c);
            });
    assertThat(evicted).containsExactly(b);
    assertThat(span).isEqualTo(new Span(FAST, 0, 100));
    sound();
  }

  @Test
  void aClaimedSpan_isNotAllocatedMeanwhile() throws InterruptedException {
    memory.evictFrom(
        FAST,
        starts(20),
        40,
        region -> {
          evict(region);
          assertThat(memory.allocate(FAST, 21)).isEmpty();
          // Would fit best in the hole at the start of the span.
          Region outside = memory.allocate(FAST, 10).orElseThrow();
          assertThat(outside.offset()).isEqualTo(80);
          memory.free(outside);
        });
    sound();
  }

  @Test
  void aBudgetBelowTheCapacity_evictsMoreThanTheSpanNeeds() throws InterruptedException {
    memory.setBudget(FAST, 65);
    // 65 are occupied: room for 20 bytes is free at the end, but not in the budget.
    Span span = memory.evictFrom(FAST, starts(80), 20, this::evict);
    assertThat(evicted).containsExactly(c);
    assertThat(span.bytes()).isGreaterThanOrEqualTo(20);
    Tiers.make(memory, FAST, 20);
    sound();
  }

  @Test
  void startsThatAreGone_leadNowhere() throws InterruptedException {
    Region gone = a.primary();
    memory.retire(a);
    assertThatThrownBy(() -> memory.evictFrom(FAST, List.of(gone), 40, this::evict))
        .isInstanceOf(DeviceFullException.class);
    Region slow = Tiers.make(memory, SLOW, 10).primary();
    assertThatThrownBy(() -> memory.evictFrom(FAST, List.of(slow), 40, this::evict))
        .isInstanceOf(DeviceFullException.class);
    assertThatThrownBy(() -> memory.evictFrom(FAST, List.of(), 0, this::evict))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
