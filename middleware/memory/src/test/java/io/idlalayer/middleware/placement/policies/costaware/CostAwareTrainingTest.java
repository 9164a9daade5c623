package io.idlalayer.middleware.placement.policies.costaware;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.RegionState;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementContractTest;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.ToyNet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What the improved policy adds: cheap victims, writing ahead. */
class CostAwareTrainingTest {
  private static final long CAPACITY = 400;

  /** A fast device in disorder, some of it pinned. */
  private static List<MemObject> disorder(TieredMemory memory, SplittableRandom random)
      throws InterruptedException {
    List<MemObject> live = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      long bytes = 1L + random.nextInt(40);
      Region region = memory.allocate(FAST, bytes).orElse(null);
      if (region != null) {
        live.add(memory.adopt(region, bytes));
      }
      if (random.nextInt(3) == 0 && !live.isEmpty()) {
        memory.retire(live.remove(random.nextInt(live.size())));
      }
    }
    live.forEach(
        object -> {
          if (random.nextInt(6) == 0) {
            memory.pin(object);
          }
        });
    return live;
  }

  private static List<FastBlock> blocks(TieredMemory memory) {
    return memory.regions(FAST).stream()
        .map(
            region ->
                new FastBlock(
                    0, region.offset(), region.bytes(), region.parent(), region.evictable()))
        .toList();
  }

  private static double cost(List<MemObject> objects, Map<MemObject, Double> costs) {
    return objects.stream().mapToDouble(costs::get).sum();
  }

  @Property(tries = 500)
  void theCheapestWindow_isNeverDearerThanOneAroundAnyStart(@ForAll long seed)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    TieredMemory memory = Tiers.of(CAPACITY, 10_000);
    Map<MemObject, Double> costs = new HashMap<>();
    for (MemObject object : disorder(memory, random)) {
      costs.put(object, (double) random.nextInt(100));
    }
    long bytes = 1L + random.nextInt(120);
    long occupied = random.nextInt(80);
    List<Region> regions = memory.regions(FAST);
    VictimWindow window =
        VictimWindow.cheapest(
            blocks(memory), new VictimWindow.Need(bytes, occupied), object -> true, costs::get);
    Double best = bruteForce(regions, bytes, occupied, costs);
    assertThat(window == null ? null : window.cost()).isEqualTo(best);
  }

  /** Over all contiguous spans. */
  private static Double bruteForce(
      List<Region> regions, long bytes, long occupied, Map<MemObject, Double> costs) {
    Double best = null;
    for (int from = 0; from < regions.size(); from++) {
      long total = 0;
      long used = 0;
      double cost = 0;
      for (int to = from; to < regions.size() && regions.get(to).evictable(); to++) {
        Region region = regions.get(to);
        total += region.bytes();
        used += region.state() == RegionState.USED ? region.bytes() : 0;
        cost += region.parent() == null ? 0 : costs.get(region.parent());
        if (total >= bytes && used >= occupied && (best == null || cost < best)) {
          best = cost;
        }
      }
    }
    return best;
  }

  @Property(tries = 300)
  void whatTheWindowPromises_isWhatIsEvicted(@ForAll long seed) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    TieredMemory memory = Tiers.of(CAPACITY, 10_000);
    Map<MemObject, Double> costs = new HashMap<>();
    List<MemObject> objects = disorder(memory, random);
    objects.forEach(object -> costs.put(object, 1.0 + random.nextInt(100)));
    long bytes = 1L + random.nextInt(120);
    VictimWindow window =
        VictimWindow.cheapest(
            blocks(memory), new VictimWindow.Need(bytes, 0), object -> true, costs::get);
    if (window == null) {
      return;
    }
    List<MemObject> cheap = new ArrayList<>();
    memory.evictFrom(
        FAST,
        List.of(memory.regionAt(FAST, window.start()).orElseThrow()),
        bytes,
        region -> {
          cheap.add(region.parent());
          Tiers.demote(memory, region.parent());
        });
    assertThat(cost(cheap, costs)).isEqualTo(window.cost());
  }

  private record Outcome(PlacementStats stats, long nanos, long digest) {}

  private static Outcome train(PlacementName name, long fastBytes, int steps, int... widths)
      throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    try (PlacedMemory memory = PlacementContractTest.placed(name, fastBytes, 1 << 20, clock);
        ToyNet net = new ToyNet(memory, widths)) {
      for (int i = 0; i < steps; i++) {
        net.step();
      }
      long nanos = clock.nanos();
      long digest = net.digest();
      net.close();
      memory.close();
      return new Outcome(memory.stats(), nanos, digest);
    }
  }

  private static final int[] DEEP = {512, 512, 1024, 512, 768, 512, 512, 1024, 512, 512, 256, 512};

  @Example
  void retirement_writesNothingThatIsDead() throws InterruptedException {
    long quarter = ToyNet.peak(DEEP) / 4;
    Outcome without = train(PlacementName.CACHED_ARRAYS_L, quarter, 30, DEEP);
    Outcome with = train(PlacementName.CACHED_ARRAYS_LM, quarter, 30, DEEP);
    assertThat(with.digest()).isEqualTo(without.digest());
    assertThat(without.stats().policy().deadWriteBackBytes()).isPositive();
    assertThat(with.stats().policy().deadWriteBackBytes()).isZero();
    assertThat(with.stats().policy().avoidedWriteBackBytes()).isPositive();
    assertThat(with.stats().traffic().bytes(FAST, SLOW))
        .isLessThan(without.stats().traffic().bytes(FAST, SLOW));
  }

  @Example
  void theImprovedPolicy_isNotSlowerThanTheModesOfTheSource() throws InterruptedException {
    for (int share : new int[] {2, 3, 5}) {
      long fast = ToyNet.peak(DEEP) / share;
      Outcome improved = train(PlacementName.CACHED_ARRAYS, fast, 40, DEEP);
      for (PlacementName name :
          List.of(
              PlacementName.CACHED_ARRAYS_0,
              PlacementName.CACHED_ARRAYS_L,
              PlacementName.CACHED_ARRAYS_LM,
              PlacementName.CACHED_ARRAYS_LMP)) {
        Outcome other = train(name, fast, 40, DEEP);
        assertThat(improved.digest()).isEqualTo(other.digest());
        assertThat((double) improved.nanos())
            .describedAs("%s at 1/%d of the peak", name, share)
            .isLessThan(1.02 * other.nanos());
      }
    }
  }

  @Example
  void writingAhead_makesEvictionsFree() throws InterruptedException {
    Outcome outcome = train(PlacementName.CACHED_ARRAYS, ToyNet.peak(DEEP) / 3, 60, DEEP);
    PolicyStats policy = outcome.stats().policy();
    assertThat(policy.cleanEvictions()).isPositive();
    // Every byte that went down is accounted for, ahead of evictions or with them.
    assertThat(policy.writtenBackBytes()).isEqualTo(outcome.stats().traffic().bytes(FAST, SLOW));
  }

  @Example
  void withRoomForEverything_nothingIsCopied() throws InterruptedException {
    Outcome outcome = train(PlacementName.CACHED_ARRAYS, ToyNet.peak(DEEP), 40, DEEP);
    assertThat(outcome.stats().traffic().flows()).isEmpty();
    assertThat(outcome.stats().slowUses()).isZero();
  }
}
