package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.RealClock;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.VerifyReport;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Random kernels in random pieces against arrays, with exact books. */
class PiecesPropertyTest {
  private static final int KERNELS = 5;
  private static final int BUDGETS = 40;
  private static final long SLOW_BYTES = 1 << 14;

  @Property(tries = 1200)
  void kernelsInPieces_giveTheSameBytesAsArrays(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 21) int pick)
      throws InterruptedException {
    PlacementName[] names = PlacementName.values();
    PlacementName name = pick < names.length ? names[pick] : PlacementName.CACHED_ARRAYS;
    SplittableRandom random = new SplittableRandom(seed);
    long budget = name == PlacementName.ALL_FAST ? SLOW_BYTES : 64L * (1 + random.nextInt(BUDGETS));
    TieredMemory tiers =
        Tiers.of(budget, SLOW_BYTES, random.nextBoolean() ? new VirtualClock() : new RealClock());
    CopyCountingPolicy policy = new CopyCountingPolicy(name.create());
    policy.in(tiers);
    try (PlacedMemory memory = new PlacedMemory(tiers, policy, PolicyEnvironment.of(tiers))) {
      PieceModel model = new PieceModel(memory, random);
      model.create(1 + random.nextInt(5));
      for (int kernel = 0; kernel < KERNELS; kernel++) {
        model.shuffle();
        run(memory, policy, model, kernel);
      }
      for (MemObject object : memory.memory().objects()) {
        memory.retire(object);
      }
    }
    Statistics.label("buffers")
        .coverage(
            coverage -> {
              for (int buffers = 0; buffers <= PieceStream.BUFFERS; buffers++) {
                coverage.check(buffers).count(seen -> seen > 10);
              }
            });
  }

  private static void run(
      PlacedMemory memory, CopyCountingPolicy policy, PieceModel model, int kernel)
      throws InterruptedException {
    PieceModel.Work work = model.work(kernel);
    List<MemObject> objects = List.copyOf(memory.memory().objects());
    PlacementStats before = memory.stats();
    long start = memory.memory().clock().nanos();
    long nanos = memory.runPieces(work.event(), work.pieces(), work);
    assertThat(nanos).isBetween(0L, memory.memory().clock().nanos() - start);
    work.checkPlaces();
    model.checkContents();

    assertThat(memory.memory().objects()).containsExactlyInAnyOrderElementsOf(objects);
    assertThat(memory.memory().verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    assertThat(memory.memory().use(FAST).highWaterBytes())
        .isLessThanOrEqualTo(memory.memory().use(FAST).budgetBytes());
    assertThat(policy.streamed(SLOW, FAST)).isEqualTo(work.streamedIn());
    assertThat(policy.streamed(FAST, SLOW)).isEqualTo(work.streamedOut());

    PlacementStats after = memory.stats();
    assertThat(after.kernels() - before.kernels()).isOne();
    assertThat(after.fastUses() + after.slowUses() - before.fastUses() - before.slowUses())
        .isEqualTo(work.event().reads().size() + work.event().writes().size());
    assertThat(after.slowReadBytes() - before.slowReadBytes())
        .isEqualTo(work.streams() ? 0 : slowBytes(work.event().reads()));
    assertThat(after.slowWrittenBytes() - before.slowWrittenBytes())
        .isEqualTo(work.streams() ? 0 : slowBytes(work.event().writes()));
    Statistics.label("buffers").collect(work.buffers());
  }

  private static long slowBytes(List<MemObject> objects) {
    return objects.stream().filter(object -> !object.in(FAST)).mapToLong(MemObject::bytes).sum();
  }
}
