package io.idlalayer.middleware.placement.policies.improved;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.RegionState;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.FastBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The cheapest span is that of a search through all spans, and is what the device empties. */
class VictimWindowPropertyTest {
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
            blocks(memory), new VictimWindow.Need(bytes, occupied), FastBlock::open, costs::get);
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
            blocks(memory), new VictimWindow.Need(bytes, 0), FastBlock::open, costs::get);
    if (window == null) {
      return;
    }
    List<MemObject> cheap = new ArrayList<>();
    memory.evictFrom(
        FAST,
        List.of(Tiers.regionAt(memory, FAST, window.start())),
        bytes,
        region -> {
          cheap.add(region.parent());
          Tiers.demote(memory, region.parent());
        });
    assertThat(cost(cheap, costs)).isEqualTo(window.cost());
  }

  @Example
  void aSpan_endsWithItsChunk() {
    List<FastBlock> blocks =
        List.of(
            new FastBlock(0, 0, 60, null, true),
            new FastBlock(1, 60, 60, null, true),
            new FastBlock(1, 120, 50, null, true));
    VictimWindow.Need need = new VictimWindow.Need(100, 0);
    assertThat(VictimWindow.cheapest(blocks, need, FastBlock::open, object -> 0))
        .isEqualTo(new VictimWindow(60, 170, 0));
    assertThat(VictimWindow.cheapest(blocks.subList(0, 2), need, FastBlock::open, object -> 0))
        .isNull();
  }
}
