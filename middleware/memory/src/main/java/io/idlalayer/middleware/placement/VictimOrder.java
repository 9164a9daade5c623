package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import java.util.Collection;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where to look for room on the fast device, first choice first. */
final class VictimOrder {
  private final TierMoves moves;
  private final Collection<MemObject> soft;
  private final Collection<MemObject> used;

  /**
   * @param soft softly evicted objects, oldest first
   * @param used the other ones, oldest first
   */
  VictimOrder(TierMoves moves, Collection<MemObject> soft, Collection<MemObject> used) {
    this.moves = moves;
    this.soft = soft;
    this.used = used;
  }

  /** The span around the oldest. */
  Iterable<Region> oldestFirst() {
    return () -> order(null).iterator();
  }

  /** The span that costs least. */
  Iterable<Region> cheapestFirst(
      long bytes, Predicate<Region> mayEvict, ToDoubleFunction<MemObject> cost) {
    VictimWindow cheapest = cheapest(bytes, mayEvict, cost);
    return () -> order(cheapest).iterator();
  }

  /** The span that costs least, or null if there is none. */
  @Nullable VictimWindow cheapest(
      long bytes, Predicate<Region> mayEvict, ToDoubleFunction<MemObject> cost) {
    return VictimWindow.cheapest(
        moves.memory.regions(moves.fast),
        need(bytes),
        region -> region.evictable() && mayEvict.test(region),
        cost);
  }

  private Stream<Region> order(@Nullable VictimWindow cheapest) {
    Stream<Region> first = Stream.ofNullable(cheapest).map(VictimWindow::start);
    Stream<Region> oldest =
        Stream.concat(soft.stream(), used.stream())
            .<Region>mapMulti(
                (object, next) -> {
                  Region region = object.where();
                  if (region != null && region.in(moves.fast)) {
                    next.accept(region);
                  }
                });
    return Stream.concat(first, oldest);
  }

  private VictimWindow.Need need(long bytes) {
    DeviceUse use = moves.memory.use(moves.fast);
    long aligned = use.spec().alignedBytes(bytes);
    return new VictimWindow.Need(
        aligned,
        use.occupiedBytes() + aligned - use.budgetBytes(),
        moves.memory.pieceBytes(moves.fast));
  }
}
