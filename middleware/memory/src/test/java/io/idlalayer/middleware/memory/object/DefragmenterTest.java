package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.FaultyArena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DefragmenterTest {
  private final FaultyArena fastArena = new FaultyArena(Tiers.fast(100));
  private final TieredMemory memory =
      new TieredMemory(
          List.of(new TieredMemory.Tier(Tiers.fast(100), fastArena), Tiers.tier(Tiers.slow(1000))),
          Tiers.SETTINGS,
          new VirtualClock());
  private final List<MemObject> kept = new ArrayList<>();

  @AfterEach
  void countsAreExact() throws InterruptedException {
    assertThat(memory.verify(true).problems()).isEmpty();
    assertThat(memory.verify().regionsInFlight()).isZero();
    for (int i = 0; i < kept.size(); i++) {
      assertThat(Tiers.read(memory, kept.get(i))).containsOnly(i + 1);
    }
    memory.close();
  }

  /** Positive lengths are objects, negative ones holes. */
  private void arrange(int... lengths) throws InterruptedException {
    List<MemObject> holes = new ArrayList<>();
    for (int length : lengths) {
      MemObject object = Tiers.make(memory, FAST, Math.abs(length));
      if (length < 0) {
        holes.add(object);
      } else {
        kept.add(object);
        Tiers.fill(memory, object, kept.size());
      }
    }
    for (MemObject hole : holes) {
      memory.retire(hole);
    }
  }

  private List<Long> offsets() {
    return kept.stream().map(object -> object.primary().offset()).toList();
  }

  @Test
  void regionsMoveDown_inTheOrderOfTheirAddresses() throws InterruptedException {
    arrange(-20, 10, 15, -10, 20, -25);
    assertThat(memory.use(FAST).fragmentation()).isGreaterThan(0.5);
    assertThat(memory.defragment(FAST)).isEqualTo(45);
    // The 15 find no room in the 10 left below and go there through the 25 at the end.
    assertThat(offsets()).containsExactly(0L, 10L, 25L);
    assertThat(memory.use(FAST).fragmentation()).isZero();
    assertThat(memory.use(FAST).largestFreeBytes()).isEqualTo(55);
    assertThat(memory.traffic().bytes(FAST, FAST)).isEqualTo(45);
    assertThat(memory.defragment(FAST)).isZero();
  }

  @Test
  void aHoleThatIsTooSmall_isClosedThroughAnother() throws InterruptedException {
    arrange(-5, 20, -75);
    assertThat(memory.defragment(FAST)).isEqualTo(40);
    assertThat(offsets()).containsExactly(0L);
    assertThat(memory.use(FAST).fragmentation()).isZero();
  }

  @Test
  void withoutAHoleThatIsLargeEnough_itStays() throws InterruptedException {
    arrange(-5, 90, -5);
    assertThat(memory.defragment(FAST)).isZero();
    assertThat(offsets()).containsExactly(5L);
  }

  @Test
  void theBudget_boundsIt() throws InterruptedException {
    arrange(-30, 20, -50);
    memory.setBudget(FAST, 39);
    assertThat(memory.defragment(FAST)).isZero();
    memory.setBudget(FAST, 40);
    assertThat(memory.defragment(FAST)).isEqualTo(20);
    assertThat(memory.use(FAST).highWaterBytes()).isEqualTo(100);
  }

  @Test
  void whatIsUsed_stays() throws InterruptedException {
    arrange(-20, 10, 10, 10, 10, -10, 10);
    memory.pin(kept.get(0));
    try (ReadLease reading = memory.read(kept.get(1));
        WriteLease writing = memory.write(kept.get(2));
        Move moving = memory.move(kept.get(3))) {
      assertThat(memory.defragment(FAST)).isEqualTo(10);
      assertThat(offsets()).containsExactly(20L, 30L, 40L, 50L, 0L);
      assertThat(reading.region().state()).isEqualTo(RegionState.USED);
      assertThat(writing.region().state()).isEqualTo(RegionState.USED);
      assertThat(moving.primary().offset()).isEqualTo(50);
    }
    memory.unpin(kept.get(0));
  }

  @Test
  void links_moveAsTheyAre() throws InterruptedException {
    arrange(20, 20, 20);
    for (MemObject object : kept) {
      Tiers.demote(memory, object);
      Tiers.promote(memory, object);
    }
    Tiers.fill(memory, kept.get(1), 2);
    memory.retire(kept.remove(0));
    Tiers.fill(memory, kept.get(0), 1);
    Tiers.fill(memory, kept.get(1), 2);
    try (Move move = memory.move(kept.get(1))) {
      move.copyTo(move.linked(SLOW).orElseThrow());
    }
    long before = memory.traffic().bytes(FAST, SLOW);
    // The stale twin moves without a copy, the one that is up to date with one.
    assertThat(memory.defragment(SLOW)).isEqualTo(20);
    assertThat(kept.get(0).dirty()).isTrue();
    assertThat(kept.get(1).dirty()).isFalse();
    assertThat(kept.get(0).linked(SLOW).orElseThrow().offset()).isZero();
    assertThat(kept.get(1).linked(SLOW).orElseThrow().offset()).isEqualTo(20);
    assertThat(memory.traffic().bytes(FAST, SLOW)).isEqualTo(before);
    assertThat(kept).allMatch(object -> object.in(FAST));
    Tiers.demote(memory, kept.get(0));
  }

  @Test
  void aReaderWhoComesMeanwhile_keepsTheOldBytes() throws InterruptedException {
    arrange(-30, 20, -50);
    List<ReadLease> leases = new ArrayList<>();
    fastArena.beforePut =
        () -> {
          try {
            leases.add(memory.read(kept.get(0)));
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    assertThat(memory.defragment(FAST)).isEqualTo(20);
    fastArena.beforePut = () -> {};
    assertThat(offsets()).containsExactly(0L);
    assertThat(leases).isNotEmpty().allMatch(lease -> lease.region().offset() == 30);
    byte[] seen = new byte[20];
    leases.get(0).bytes().get(seen);
    assertThat(seen).containsOnly(1);
    assertThat(memory.verify().quarantined()).isEqualTo(1);
    leases.forEach(ReadLease::close);
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(20);
  }

  @Test
  void aDeviceThatFails_costsNothing() throws InterruptedException {
    arrange(-30, 20, -50);
    fastArena.fault = FaultyArena.Fault.BROKEN;
    assertThatThrownBy(() -> memory.defragment(FAST)).isInstanceOf(DeviceFailureException.class);
    fastArena.fault = FaultyArena.Fault.NONE;
    assertThat(offsets()).containsExactly(30L);
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(20);
  }

  @Test
  void anInterrupt_endsIt() throws InterruptedException {
    arrange(-30, 20, -50);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> memory.defragment(FAST)).isInstanceOf(InterruptedException.class);
    assertThat(offsets()).containsExactly(30L);
  }

  @Test
  void aRelocation_isWithinADevice() throws InterruptedException {
    arrange(20);
    Region slow = memory.allocate(SLOW, 20).orElseThrow();
    try (Move move = memory.move(kept.get(0))) {
      assertThatThrownBy(() -> move.relocate(move.primary(), slow))
          .isInstanceOf(LinkConflictException.class);
    }
    memory.free(slow);
  }
}
