package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.WatchedPolicy;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Random kernels in random pieces against arrays, with exact books. */
public abstract class PiecesContract {
  private static final int KERNELS = 5;
  private static final int BUDGETS = 40;
  private static final long SLOW_BYTES = 1 << 14;

  /** Takes arguments through buffers. */
  private static final PolicyCase STREAMING =
      new PolicyCase("cached-arrays", PlacementName.CACHED_ARRAYS::unplanned, false);

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  @Property(tries = 1200)
  void kernelsInPieces_giveTheSameBytesAsArrays(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 21) int pick)
      throws InterruptedException {
    List<PolicyCase> policies = policies();
    PolicyCase tried = pick < policies.size() ? policies.get(pick) : STREAMING;
    SplittableRandom random = new SplittableRandom(seed);
    long budget = tried.allFast() ? SLOW_BYTES : 64L * (1 + random.nextInt(BUDGETS));
    TieredMemory tiers =
        Tiers.of(budget, SLOW_BYTES, random.nextBoolean() ? new VirtualClock() : new RealClock());
    CopyCounter copies = new CopyCounter(tiers);
    PlacementPolicy policy = WatchedPolicy.of(tried.create(), copies);
    try (PlacedMemory memory = new PlacedMemory(tiers, policy, PolicyEnvironment.of(tiers))) {
      PieceModel model = new PieceModel(memory, random);
      model.create(1 + random.nextInt(5));
      for (int kernel = 0; kernel < KERNELS; kernel++) {
        model.shuffle();
        run(memory, copies, model, kernel);
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

  private static void run(PlacedMemory memory, CopyCounter copies, PieceModel model, int kernel)
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
    assertThat(copies.streamed(SLOW, FAST)).isEqualTo(work.streamedIn());
    assertThat(copies.streamed(FAST, SLOW)).isEqualTo(work.streamedOut());

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
