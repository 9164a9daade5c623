package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.copy.Traffic;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random operations against a map of byte arrays, audited after each. */
class TieredMemoryPropertyTest {
  private static final long CAPACITY_FAST = 512;

  private static final class Model {
    final SplittableRandom random;
    final TieredMemory memory;
    final Map<MemObject, byte[]> live = new LinkedHashMap<>();
    final Map<MemObject, Integer> pins = new LinkedHashMap<>();
    final Map<MemObject, Region> pinnedAt = new LinkedHashMap<>();
    final List<ReadLease> leases = new ArrayList<>();
    final List<byte[]> leased = new ArrayList<>();
    final List<MemObject> dead = new ArrayList<>();

    Model(long seed, int piece, int align) {
      random = new SplittableRandom(seed);
      DeviceSpec fast =
          new DeviceSpec("fast", DeviceKind.FAST, CAPACITY_FAST, align, Tiers.FAST_SPEED);
      DeviceSpec slow =
          new DeviceSpec("slow", DeviceKind.SLOW, 4 * CAPACITY_FAST, align, Tiers.FAST_SPEED);
      memory =
          new TieredMemory(
              List.of(
                  new TieredMemory.Tier(fast, new DirectArena(fast, piece)),
                  new TieredMemory.Tier(slow, new DirectArena(slow, piece))),
              new MemorySettings(4, 16, 0, true),
              new VirtualClock());
    }

    MemObject any() {
      List<MemObject> all = new ArrayList<>(live.keySet());
      return all.get(random.nextInt(all.size()));
    }

    void create() {
      DeviceId device = random.nextBoolean() ? FAST : SLOW;
      long bytes = 1L + random.nextInt(60);
      Region region = memory.allocate(device, bytes).orElse(null);
      if (region == null) {
        return;
      }
      if (random.nextInt(8) == 0) {
        memory.free(region);
        assertThatThrownBy(() -> memory.free(region)).isInstanceOf(DoubleFreeException.class);
        return;
      }
      MemObject object = memory.adopt(region, bytes);
      byte[] contents = new byte[(int) bytes];
      try (ReadLease lease = memory.read(object)) {
        lease.bytes().get(contents);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      live.put(object, contents);
    }

    void write(MemObject object) throws InterruptedException {
      byte[] bytes = new byte[(int) object.bytes()];
      random.nextBytes(bytes);
      if (object.access() != ObjectAccess.NOT_BUSY) {
        assertThatThrownBy(() -> memory.write(object)).isInstanceOf(LeaseTimeoutException.class);
        return;
      }
      Tiers.fill(memory, object, bytes);
      live.put(object, bytes);
    }

    void moveUp(MemObject object) throws InterruptedException {
      if (object.pinned()) {
        assertThatThrownBy(() -> Tiers.promote(memory, object)).isInstanceOf(PinnedException.class);
        return;
      }
      boolean done = Tiers.promote(memory, object);
      assertThat(object.in(FAST)).isEqualTo(done);
    }

    void moveDown(MemObject object) throws InterruptedException {
      if (object.pinned()) {
        assertThatThrownBy(() -> Tiers.demote(memory, object)).isInstanceOf(PinnedException.class);
        return;
      }
      boolean copies = object.in(FAST) && (object.unlinked() || object.dirty());
      long before = memory.traffic().bytes(FAST, SLOW);
      boolean done = Tiers.demote(memory, object);
      assertThat(object.in(SLOW)).isEqualTo(done);
      assertThat(memory.traffic().bytes(FAST, SLOW) - before)
          .isEqualTo(done && copies ? object.bytes() : 0);
    }

    void retire(MemObject object) throws InterruptedException {
      if (object.pinned()) {
        assertThatThrownBy(() -> memory.retire(object)).isInstanceOf(PinnedException.class);
        return;
      }
      Traffic before = memory.traffic();
      assertThat(memory.retire(object)).isTrue();
      assertThat(memory.traffic()).isEqualTo(before);
      assertThat(memory.retire(object)).isFalse();
      live.remove(object);
      dead.add(object);
    }

    void pin(MemObject object) {
      if (random.nextInt(3) > 0 && pins.containsKey(object)) {
        memory.unpin(object);
        if (pins.merge(object, -1, Integer::sum) == 0) {
          pins.remove(object);
          pinnedAt.remove(object);
        }
      } else if (pins.size() < 3) {
        memory.pin(object);
        pins.merge(object, 1, Integer::sum);
        pinnedAt.put(object, object.primary());
      }
    }

    void lease(MemObject object) throws InterruptedException {
      if (leases.size() > 2 || (random.nextBoolean() && !leases.isEmpty())) {
        int which = random.nextInt(leases.size());
        ReadLease lease = leases.remove(which);
        byte[] bytes = new byte[leased.get(which).length];
        lease.bytes().get(bytes);
        // Old bytes stay readable, even after a move or a retirement.
        assertThat(bytes).isEqualTo(leased.remove(which));
        lease.close();
        assertThatThrownBy(lease::bytes).isInstanceOf(StaleRegionException.class);
      } else {
        leases.add(memory.read(object));
        leased.add(live.get(object).clone());
      }
    }

    void evictFrom() throws InterruptedException {
      List<Region> regions = memory.regions(FAST);
      Region start = regions.get(random.nextInt(regions.size()));
      long bytes = 1L + random.nextInt(150);
      boolean fragile = random.nextInt(4) == 0;
      List<MemObject> called = new ArrayList<>();
      try {
        Span span =
            memory.evictFrom(
                FAST,
                List.of(start),
                bytes,
                region -> {
                  MemObject object = region.parent();
                  called.add(object);
                  if (!fragile && !Tiers.demote(memory, object)) {
                    throw memory.full(SLOW, object.bytes());
                  }
                });
        assertThat(span.bytes()).isGreaterThanOrEqualTo(bytes);
        assertThat(Tiers.regionAt(memory, FAST, span.offset()).state()).isEqualTo(RegionState.FREE);
        Region fits = memory.allocate(FAST, bytes).orElseThrow();
        memory.free(fits);
      } catch (DeviceFullException e) {
        assertThat(called).isEmpty();
      } catch (AbortedEvictionException e) {
        assertThat(called).isNotEmpty();
      }
    }

    void budget() {
      long bytes = CAPACITY_FAST / 2 + random.nextLong(CAPACITY_FAST / 2 + 1);
      if (bytes < memory.use(FAST).occupiedBytes()) {
        assertThatThrownBy(() -> memory.setBudget(FAST, bytes))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("first");
      } else {
        memory.setBudget(FAST, bytes);
      }
    }

    void defragment() throws InterruptedException {
      DeviceId device = random.nextBoolean() ? FAST : SLOW;
      double before = memory.use(device).fragmentation();
      long occupied = memory.use(device).occupiedBytes();
      Traffic traffic = memory.traffic();
      List<Region> primaries = leases.stream().map(ReadLease::region).toList();
      List<RegionState> states = primaries.stream().map(Region::state).toList();
      long copied = memory.defragment(device);
      assertThat(memory.traffic().bytes(device, device) - traffic.bytes(device, device))
          .isEqualTo(copied);
      assertThat(memory.use(device).occupiedBytes()).isEqualTo(occupied);
      assertThat(primaries.stream().map(Region::state).toList()).isEqualTo(states);
      if (copied == 0) {
        assertThat(memory.use(device).fragmentation()).isEqualTo(before);
      }
    }

    void step() throws InterruptedException {
      int what = random.nextInt(17);
      if (what < 3 || live.isEmpty()) {
        create();
        return;
      }
      switch (what) {
        case 3, 4 -> write(any());
        case 5, 6, 7 -> moveUp(any());
        case 8, 9 -> moveDown(any());
        case 10 -> retire(any());
        case 11 -> pin(any());
        case 12 -> lease(any());
        case 13, 14 -> evictFrom();
        case 15 -> defragment();
        default -> budget();
      }
    }

    void check() throws InterruptedException {
      VerifyReport report = memory.verify(true);
      assertThat(report.problems()).isEmpty();
      assertThat(report.regionsInFlight()).isZero();
      assertThat(memory.objects()).containsExactlyInAnyOrderElementsOf(live.keySet());
      for (Map.Entry<MemObject, byte[]> each : live.entrySet()) {
        assertThat(Tiers.read(memory, each.getKey())).isEqualTo(each.getValue());
      }
      pinnedAt.forEach((object, region) -> assertThat(object.primary()).isSameAs(region));
      for (MemObject gone : dead) {
        assertThatThrownBy(() -> memory.read(gone)).isInstanceOf(RetiredObjectException.class);
      }
      dead.clear();
    }

    void end() throws InterruptedException {
      leases.forEach(ReadLease::close);
      for (MemObject object : pins.keySet()) {
        for (int i = 0; i < pins.get(object); i++) {
          memory.unpin(object);
        }
      }
      for (MemObject object : live.keySet()) {
        memory.retire(object);
      }
      assertThat(memory.verify()).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.use(FAST).occupiedBytes()).isZero();
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    }
  }

  @Property(tries = 300)
  @Label("1.6.7: random operations against a map")
  void everyObjectKeepsItsBytes_andTheBooksHold(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 2) int pieceShift,
      @ForAll @IntRange(min = 0, max = 4) int alignShift)
      throws InterruptedException {
    Model model = new Model(seed, (int) CAPACITY_FAST >> pieceShift, 1 << alignShift);
    for (int i = 0; i < 120; i++) {
      model.step();
      model.check();
    }
    model.end();
  }
}
