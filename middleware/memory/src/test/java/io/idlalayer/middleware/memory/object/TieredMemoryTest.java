package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TieredMemoryTest {
  private final TieredMemory memory = Tiers.of(100, 1000);
  private final TieredMemory other = Tiers.of(100, 1000);

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify(true).problems()).isEmpty();
  }

  @Test
  @DisplayName("1.6.8: capacity and alignment")
  void badSpecifications_areRefused() {
    assertThatThrownBy(() -> new DeviceSpec("a", DeviceKind.FAST, 100, Tiers.FAST_SPEED))
        .hasMessageContaining("multiple of 64");
    assertThatThrownBy(() -> new DeviceSpec("a", DeviceKind.FAST, 0, Tiers.FAST_SPEED))
        .hasMessageContaining("capacity of 0");
    assertThatThrownBy(() -> new DeviceSpec("a", DeviceKind.FAST, 96, 48, Tiers.FAST_SPEED))
        .hasMessageContaining("power of two");
    assertThatThrownBy(() -> DeviceSpeed.symmetric(Double.NaN, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> DeviceSpeed.symmetric(1, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TierModel(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    TieredMemory.Tier tier = Tiers.tier(Tiers.fast(64));
    assertThatThrownBy(
            () -> new TieredMemory(List.of(tier, tier), MemorySettings.DEFAULT, new VirtualClock()))
        .hasMessageContaining("two devices");
    TieredMemory.Tier wrong = new TieredMemory.Tier(Tiers.fast(128), tier.arena());
    assertThatThrownBy(
            () -> new TieredMemory(List.of(wrong), MemorySettings.DEFAULT, new VirtualClock()))
        .hasMessageContaining("its arena 64");
  }

  @Test
  @DisplayName("1.6.8: size 0, foreign regions, free of a primary")
  void badRequests_areRefused() throws InterruptedException {
    MemObject object = Tiers.make(memory, FAST, 40);
    assertThatThrownBy(() -> memory.allocate(FAST, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> memory.allocate(new DeviceId(2), 1))
        .hasMessageContaining("no device 2");
    try (TieredMemory fastOnly =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(64))), MemorySettings.DEFAULT, new VirtualClock())) {
      assertThatThrownBy(() -> fastOnly.first(DeviceKind.SLOW)).hasMessageContaining("SLOW");
    }
    assertThatThrownBy(() -> memory.free(object.primary()))
        .isInstanceOf(LinkConflictException.class);
    assertThatThrownBy(() -> memory.unpin(object)).isInstanceOf(IllegalStateException.class);
    Region region = memory.allocate(SLOW, 10).orElseThrow();
    assertThatThrownBy(() -> memory.adopt(region, 11)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> memory.adopt(object.primary(), 40))
        .isInstanceOf(LinkConflictException.class);
    assertThatThrownBy(() -> other.free(region)).isInstanceOf(LinkConflictException.class);
    assertThatThrownBy(() -> other.adopt(region, 1)).isInstanceOf(LinkConflictException.class);
    assertThatThrownBy(() -> other.read(object)).isInstanceOf(LinkConflictException.class);
    memory.free(region);
    assertThatThrownBy(() -> memory.free(region)).isInstanceOf(DoubleFreeException.class);
    assertThatThrownBy(() -> memory.adopt(region, 10)).isInstanceOf(StaleRegionException.class);
    assertThatThrownBy(() -> memory.setBudget(FAST, 101)).hasMessageContaining("0 to 100");
    assertThatThrownBy(() -> memory.setBudget(FAST, 39)).hasMessageContaining("evict 1 first");
  }

  @Test
  @DisplayName("1.6.8: links of regions on one device")
  void badMoves_areRefused() throws InterruptedException {
    MemObject object = Tiers.make(memory, FAST, 40);
    Region small = memory.allocate(SLOW, 39).orElseThrow();
    Region second = memory.allocate(FAST, 40).orElseThrow();
    Region twin = memory.allocate(SLOW, 40).orElseThrow();
    Region foreign = other.allocate(SLOW, 40).orElseThrow();
    MemObject neighbour = Tiers.make(memory, SLOW, 40);
    Move ended;
    try (Move move = memory.move(object)) {
      ended = move;
      assertThatThrownBy(() -> move.copyTo(small)).hasMessageContaining("too small");
      assertThatThrownBy(() -> move.link(second)).isInstanceOf(LinkConflictException.class);
      assertThatThrownBy(() -> move.link(foreign)).hasMessageContaining("another memory");
      assertThatThrownBy(() -> move.copyTo(neighbour.primary()))
          .isInstanceOf(LinkConflictException.class);
      assertThatThrownBy(() -> move.setPrimary(twin)).isInstanceOf(LinkConflictException.class);
      assertThatThrownBy(() -> move.drop(move.primary())).isInstanceOf(LinkConflictException.class);
      move.copyTo(twin);
      move.link(twin);
    }
    assertThatThrownBy(() -> ended.copyTo(twin)).isInstanceOf(StaleRegionException.class);
    assertThatThrownBy(() -> memory.free(twin)).isInstanceOf(LinkConflictException.class);
    Tiers.fill(memory, object, 1);
    try (Move move = memory.move(object)) {
      assertThatThrownBy(() -> move.setPrimary(twin)).hasMessageContaining("older");
    }
    memory.free(small);
    memory.free(second);
    assertThatThrownBy(() -> memory.move(object).copyTo(second))
        .isInstanceOf(StaleRegionException.class);
  }

  @Test
  void bytes_outsideALease_areRefused() throws InterruptedException {
    MemObject object = Tiers.make(memory, FAST, 10);
    WriteLease write = memory.write(object);
    assertThat(object.access()).isEqualTo(ObjectAccess.READ_WRITE);
    assertThatThrownBy(() -> memory.move(object)).isInstanceOf(PinnedException.class);
    try (ReadLease own = memory.read(object)) {
      assertThat(own.region()).isSameAs(write.region());
    }
    write.bytes().put(3, (byte) 8);
    write.close();
    write.close();
    assertThatThrownBy(write::bytes).isInstanceOf(StaleRegionException.class);
    try (ReadLease read = memory.read(object)) {
      assertThat(object.access()).isEqualTo(ObjectAccess.READ_ONLY);
      assertThat(read.bytes().get(3)).isEqualTo((byte) 8);
      assertThat(read.bytes().capacity()).isEqualTo(10);
      assertThat(read.bytes().isReadOnly()).isTrue();
      assertThat(read.bytes().isDirect()).isTrue();
    }
    assertThat(object.access()).isEqualTo(ObjectAccess.NOT_BUSY);
  }

  @Test
  @DisplayName("1.6.8: use after retire")
  void whatIsRetired_isGoneForEveryone() throws InterruptedException {
    MemObject object = Tiers.make(memory, FAST, 10);
    memory.pin(object);
    assertThatThrownBy(() -> memory.retire(object)).isInstanceOf(PinnedException.class);
    memory.unpin(object);
    ReadLease lease = memory.read(object);
    assertThat(memory.retire(object)).isTrue();
    assertThat(memory.retire(object)).isFalse();
    assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(10);
    assertThat(memory.verify().quarantined()).isEqualTo(1);
    lease.close();
    assertThat(memory.use(FAST).occupiedBytes()).isZero();
    assertThatThrownBy(() -> memory.write(object)).isInstanceOf(RetiredObjectException.class);
    assertThatThrownBy(() -> memory.move(object)).isInstanceOf(RetiredObjectException.class);
    assertThatThrownBy(() -> memory.pin(object)).isInstanceOf(RetiredObjectException.class);
    assertThatThrownBy(object::primary).isInstanceOf(RetiredObjectException.class);
    assertThat(object.linked(FAST)).isEmpty();
  }

  @Test
  void aBudget_boundsWhatIsOccupied() {
    memory.setBudget(FAST, 50);
    assertThat(memory.allocate(FAST, 51)).isEmpty();
    Region region = memory.allocate(FAST, 50).orElseThrow();
    assertThat(memory.allocate(FAST, 1)).isEmpty();
    assertThat(memory.full(FAST, 1).freeBytes()).isZero();
    memory.setBudget(FAST, 60);
    assertThat(memory.allocate(FAST, 10)).isPresent();
    memory.free(region);
    assertThat(memory.use(FAST).highWaterBytes()).isEqualTo(60);
    assertThat(memory.use(FAST).fragmentation()).isEqualTo(1 - 50.0 / 90);
  }

  @Test
  @DisplayName("1.6.6: zero-fill against eviction, 10,000 rounds")
  void aZeroFillNeverTears_whileTheObjectMoves() throws Exception {
    TieredMemory large = Tiers.of(8192, 8192, new RealClock());
    MemObject object = Tiers.make(large, FAST, 4096);
    AtomicBoolean done = new AtomicBoolean();
    AtomicBoolean torn = new AtomicBoolean();
    Thread mover =
        new Thread(
            () -> {
              try {
                while (!done.get()) {
                  try {
                    Tiers.demote(large, object);
                    Tiers.promote(large, object);
                  } catch (PinnedException beingWritten) {
                    Thread.onSpinWait();
                  }
                  byte[] seen = Tiers.read(large, object);
                  for (byte each : seen) {
                    if (each != seen[0]) {
                      torn.set(true);
                    }
                  }
                }
              } catch (InterruptedException e) {
                torn.set(true);
              }
            });
    Tiers.fill(large, object, 0);
    mover.start();
    for (int i = 1; i <= 10_000; i++) {
      Tiers.fill(large, object, i % 2);
    }
    done.set(true);
    mover.join();
    assertThat(torn).isFalse();
    assertThat(Tiers.read(large, object)).containsOnly(0);
    assertThat(large.traffic().copies(FAST, SLOW)).isPositive();
  }

  @Test
  void write_leaseNeverClosed_timesOut() throws InterruptedException {
    TieredMemory impatient =
        new TieredMemory(
            List.of(Tiers.tier(Tiers.fast(64))),
            new MemorySettings(1, 64, 0, false),
            new VirtualClock());
    MemObject object = Tiers.make(impatient, FAST, 10);
    try (ReadLease lease = impatient.read(object)) {
      assertThatThrownBy(() -> impatient.write(object))
          .isInstanceOf(LeaseTimeoutException.class)
          .hasMessageContaining("close them");
    }
    try (Move move = impatient.move(object)) {
      assertThatThrownBy(() -> impatient.move(object)).isInstanceOf(LeaseTimeoutException.class);
      assertThatThrownBy(() -> impatient.retire(object)).isInstanceOf(LeaseTimeoutException.class);
    }
    assertThat(impatient.retire(object)).isTrue();
  }
}
