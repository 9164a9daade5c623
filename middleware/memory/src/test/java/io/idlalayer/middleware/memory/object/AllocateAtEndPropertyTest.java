package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Allocations from both ends of free regions against a map of bytes. */
class AllocateAtEndPropertyTest {
  private static final int CAPACITY = 512;
  private static final int OPERATIONS = 60;

  /** A run of free bytes in one piece. */
  private record Run(int from, int bytes) {}

  private static final class Model {
    final int piece;
    final int align;
    final TieredMemory memory;
    final SplittableRandom random;
    final Map<Integer, MemObject> used = new TreeMap<>();
    int budget = CAPACITY;

    Model(long seed, int piece, int align) {
      this.piece = piece;
      this.align = align;
      random = new SplittableRandom(seed);
      DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, CAPACITY, align, Tiers.FAST_SPEED);
      DeviceSpec slow = Tiers.slow(64 * CAPACITY);
      memory =
          new TieredMemory(
              List.of(new TieredMemory.Tier(fast, new DirectArena(fast, piece)), Tiers.tier(slow)),
              Tiers.SETTINGS,
              new VirtualClock());
    }

    int aligned(long bytes) {
      return (int) (bytes + align - 1) / align * align;
    }

    boolean[] map() {
      boolean[] map = new boolean[CAPACITY];
      used.forEach(
          (offset, object) -> {
            for (int i = 0; i < aligned(object.bytes()); i++) {
              assertThat(map[offset + i]).isFalse();
              map[offset + i] = true;
            }
          });
      return map;
    }

    List<Run> free() {
      boolean[] map = map();
      List<Run> runs = new ArrayList<>();
      int from = -1;
      for (int at = 0; at <= CAPACITY; at++) {
        boolean ends = at == CAPACITY || map[at] || at % piece == 0;
        if (ends && from >= 0) {
          runs.add(new Run(from, at - from));
          from = -1;
        }
        if (at < CAPACITY && !map[at] && from < 0) {
          from = at;
        }
      }
      return runs;
    }

    int occupied() {
      return used.values().stream().mapToInt(object -> aligned(object.bytes())).sum();
    }

    /** The smallest run that holds it, the first of several. */
    Optional<Run> best(int bytes) {
      Run best = null;
      for (Run run : free()) {
        if (run.bytes() >= bytes && (best == null || run.bytes() < best.bytes())) {
          best = run;
        }
      }
      return occupied() + bytes > budget ? Optional.empty() : Optional.ofNullable(best);
    }

    void allocate(boolean atEnd) {
      int bytes = 1 + random.nextInt(random.nextBoolean() ? 30 : 200);
      Optional<Run> best = best(aligned(bytes));
      Optional<Region> region =
          atEnd ? memory.allocateAtEnd(FAST, bytes) : memory.allocate(FAST, bytes);
      assertThat(region.isPresent()).isEqualTo(best.isPresent());
      if (region.isEmpty()) {
        return;
      }
      int offset = best.get().from() + (atEnd ? best.get().bytes() - aligned(bytes) : 0);
      assertThat(region.get().offset()).isEqualTo(offset);
      assertThat(region.get().bytes()).isEqualTo(aligned(bytes));
      if (random.nextInt(6) == 0) {
        memory.free(region.get());
        assertThatThrownBy(() -> memory.free(region.get())).isInstanceOf(DoubleFreeException.class);
      } else {
        used.put(offset, memory.adopt(region.get(), bytes));
      }
    }

    void retire() throws InterruptedException {
      if (!used.isEmpty()) {
        List<Integer> offsets = new ArrayList<>(used.keySet());
        memory.retire(used.remove(offsets.get(random.nextInt(offsets.size()))));
      }
    }

    void evict() throws InterruptedException {
      List<Region> regions = memory.regions(FAST);
      Region start = regions.get(random.nextInt(regions.size()));
      int bytes = 1 + random.nextInt(piece);
      try {
        Span span =
            memory.evictFrom(
                FAST,
                List.of(start),
                bytes,
                region -> {
                  used.remove((int) region.offset());
                  Tiers.demote(memory, region.parent());
                });
        assertThat(span.bytes()).isGreaterThanOrEqualTo(bytes);
        assertThat(free()).contains(new Run((int) span.offset(), (int) span.bytes()));
      } catch (DeviceFullException e) {
        assertThat(e.requestedBytes()).isEqualTo(aligned(bytes));
      }
    }

    void check() {
      List<Run> free = new ArrayList<>();
      for (Region region : memory.regions(FAST)) {
        if (region.state() == RegionState.FREE) {
          free.add(new Run((int) region.offset(), (int) region.bytes()));
        } else {
          assertThat(used.get((int) region.offset())).isSameAs(region.parent());
        }
      }
      assertThat(free).isEqualTo(free());
      assertThat(memory.use(FAST).occupiedBytes()).isEqualTo(occupied());
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  @Property(tries = 300)
  void bothEnds_areThoseOfTheBestFit(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 2) int pieces,
      @ForAll @IntRange(min = 0, max = 2) int aligns)
      throws InterruptedException {
    Model model = new Model(seed, CAPACITY >> pieces, 1 << (3 * aligns));
    for (int i = 0; i < OPERATIONS; i++) {
      switch (model.random.nextInt(8)) {
        case 0, 1 -> model.retire();
        case 2 -> model.evict();
        case 3 -> {
          model.budget = Math.max(model.occupied(), CAPACITY - model.random.nextInt(200));
          model.memory.setBudget(FAST, model.budget);
        }
        case 4, 5 -> model.allocate(false);
        default -> model.allocate(true);
      }
      model.check();
    }
    model.memory.close();
  }

  @Example
  void nothing_isNotAllocated() {
    try (TieredMemory memory = Tiers.of(100, 100)) {
      assertThatThrownBy(() -> memory.allocateAtEnd(FAST, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(memory.allocateAtEnd(FAST, 101)).isEmpty();
      assertThat(memory.allocateAtEnd(SLOW, 100).orElseThrow().offset()).isZero();
    }
  }
}
