package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.AbortedEvictionException;
import io.idlalayer.middleware.memory.DeviceFailureException;
import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.EvictionCallback;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.TieredMemory;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The CachedArrays policy (Hildebrand 2022, chapter 4, with its listings corrected) and its
 * improvement. Objects on the fast device stand in a list by their last use; those softly evicted
 * leave first. Dead objects are freed and not written back; new ones need no slow twin; an object
 * whose twin is up to date leaves without a copy.
 */
public final class CachedArrays extends TwoTierPolicy {
  private static final int ATTEMPTS = 3;
  private static final double FRAGMENTED = 0.25;

  /** One part in so many of the fast device is large. */
  private static final long LARGE_SHARE = 8;

  /** When an argument of a kernel may displace others. */
  public enum Prefetch {
    /** Never; it is fetched if there is room. */
    UNFORCED,
    /** Always. */
    FORCED,
    /** Where it was found to pay. */
    LEARNED
  }

  /** Which objects make room. */
  public enum Victims {
    /** Those around the one that was softly evicted first, else around the one not used longest. */
    OLDEST,
    /** The span that costs least to write back and to fetch again. */
    CHEAPEST
  }

  /**
   * Modes.
   *
   * @param name as in settings and reports
   * @param local L: new objects are made on the fast device, without a slow twin
   * @param eager M: what is retired is freed at once
   * @param prefetch P: see {@link Prefetch}
   * @param cleanAhead whether objects that will not be used soon are written back while kernels run
   * @param pieces whether kernels that can work piece by piece take what is slow through buffers
   * @param dropSlowTwin whether the slow region goes when an object is fetched, for a small slow
   *     device
   */
  public record Options(
      String name,
      boolean local,
      boolean eager,
      Prefetch prefetch,
      Victims victims,
      boolean cleanAhead,
      boolean pieces,
      boolean dropSlowTwin) {
    /** The modes of Hildebrand 2022, by letters. */
    public static Options of(String name, boolean local, boolean eager, boolean prefetch) {
      Prefetch how = prefetch ? Prefetch.FORCED : Prefetch.UNFORCED;
      return new Options(name, local, eager, how, Victims.OLDEST, false, false, false);
    }

    /** Cheapest victims, learned prefetching, writing ahead, piece by piece. */
    public static Options improved(String name) {
      return new Options(name, true, true, Prefetch.LEARNED, Victims.CHEAPEST, true, true, false);
    }
  }

  private final Options options;
  private final Set<MemObject> used = new LinkedHashSet<>();
  private final Set<MemObject> soft = new LinkedHashSet<>();
  private final Set<MemObject> arguments = new LinkedHashSet<>();
  private final ReusePredictor reuse = new ReusePredictor();
  private long feltBefore;
  private @Nullable Garbage garbage;
  private @Nullable CleanAhead cleaning;
  private @Nullable KernelChoices choices;
  private final EvictionCallback eviction =
      new EvictionCallback() {
        @Override
        public void evict(Region region) throws InterruptedException {
          MemObject object = region.parent();
          if (object != null) {
            demote(object);
            moves().counts.forcedEvictions++;
          }
        }

        @Override
        public boolean mayEvict(Region region) {
          MemObject object = region.parent();
          return object == null
              || (!arguments.contains(object) && (cleaning == null || !cleaning.writes(object)));
        }
      };

  /** A policy in a mode. */
  public CachedArrays(Options options) {
    this.options = options;
  }

  @Override
  public PolicyInfo info() {
    return new PolicyInfo(options.name(), false, false, options.cleanAhead());
  }

  @Override
  public void attach(TieredMemory memory, PolicyEnvironment environment) {
    super.attach(memory, environment);
    garbage = options.eager() ? null : new Garbage(moves());
    cleaning = options.cleanAhead() ? new CleanAhead(moves()) : null;
    choices =
        options.prefetch() == Prefetch.LEARNED
            ? new KernelChoices(
                new PrefetchLearner(environment.random()),
                this,
                new KernelCosts(environment.model(), slowSpeed(), fastSpeed()))
            : null;
  }

  @Override
  public MemObject allocate(AllocationRequest request) throws InterruptedException {
    long bytes = request.bytes();
    if (request.hint() == Hint.SLOW) {
      return makeSlow(bytes);
    }
    if (!options.local()) {
      MemObject made = makeSlow(bytes);
      if (!prefetch(made, true)) {
        moves().counts.fallbacks++;
      }
      return made;
    }
    Region region = fastRegion(bytes, true);
    if (region == null) {
      moves().counts.fallbacks++;
      return makeSlow(bytes);
    }
    MemObject made = moves().memory.adopt(region, bytes);
    used.add(made);
    return made;
  }

  private MemObject makeSlow(long bytes) throws InterruptedException {
    MemObject made = moves().tryMake(moves().slow, bytes);
    if (made == null && garbage != null && garbage.collect()) {
      forgetRetired();
      made = moves().tryMake(moves().slow, bytes);
    }
    return made == null ? moves().make(moves().slow, bytes) : made;
  }

  private @Nullable Region fastRegion(long bytes, boolean force) throws InterruptedException {
    Region region = freeRegion(bytes);
    for (int i = 0; region == null && force && i < ATTEMPTS && makeRoom(bytes); i++) {
      region = freeRegion(bytes);
    }
    return region;
  }

  /** Large objects at one end, small ones at the other: what is pinned in between divides room. */
  private @Nullable Region freeRegion(long bytes) {
    TierMoves to = moves();
    boolean large =
        options.victims() == Victims.CHEAPEST
            && bytes >= to.memory.use(to.fast).budgetBytes() / LARGE_SHARE;
    return (large ? to.memory.allocateAtEnd(to.fast, bytes) : to.memory.allocate(to.fast, bytes))
        .orElse(null);
  }

  /**
   * Evicts so that bytes fit; false if they cannot. An eviction that was aborted is worth a retry.
   */
  private boolean makeRoom(long bytes) throws InterruptedException {
    try {
      VictimOrder order = new VictimOrder(moves(), soft, used);
      Iterable<Region> starts =
          options.victims() == Victims.CHEAPEST
              ? order.cheapestFirst(bytes, eviction::mayEvict, this::cost)
              : order.oldestFirst();
      moves().memory.evictFrom(moves().fast, starts, bytes, eviction);
      return true;
    } catch (DeviceFullException e) {
      // What is being written ahead could not move.
      return cleaning != null && cleaning.finishAll();
    } catch (AbortedEvictionException e) {
      if (e.getCause() instanceof DeviceFailureException failure) {
        throw failure;
      }
      return true;
    }
  }

  /** Whether evicting can make room for so many bytes while some objects stay. */
  boolean canMakeRoom(long bytes, Collection<MemObject> staying) {
    return new VictimOrder(moves(), soft, used)
            .cheapest(bytes, region -> !staying.contains(region.parent()), this::cost)
        != null;
  }

  /** Seconds to write an object back, and to fetch it again as far as it is used soon. */
  double cost(MemObject object) {
    double seconds = 0;
    if (TierMoves.needsCopy(object)) {
      seconds += object.bytes() / slowSpeed().writeBytesPerSecond();
    }
    return seconds
        + reuse.soon(object, soft.contains(object))
            * object.bytes()
            / slowSpeed().readBytesPerSecond();
  }

  private void demote(MemObject object) throws InterruptedException {
    if (cleaning != null) {
      cleaning.finish(object);
    }
    long copied = moves().demote(object);
    used.remove(object);
    soft.remove(object);
    if (garbage != null && garbage.contains(object)) {
      moves().counts.deadWriteBackBytes += copied;
    }
  }

  private void forgetRetired() {
    used.removeIf(MemObject::retired);
    soft.removeIf(MemObject::retired);
  }

  @Override
  public void beforeKernel(KernelEvent event) throws InterruptedException {
    reuse.kernel(event);
    arguments.addAll(event.arguments());
    try {
      if (cleaning != null) {
        for (MemObject object : event.writes()) {
          cleaning.finish(object);
        }
      }
      if (choices != null) {
        choices.begin(event);
      } else {
        for (MemObject object : arguments) {
          prefetch(object, options.prefetch() == Prefetch.FORCED);
        }
      }
    } finally {
      arguments.clear();
    }
  }

  /**
   * What a kernel uses up in one sweep need not displace others: only free room is taken, and some
   * of it left for buffers. In the modes of Hildebrand 2022 a kernel is a kernel.
   */
  @Override
  public boolean beforePieces(KernelEvent event) throws InterruptedException {
    if (!options.pieces()) {
      beforeKernel(event);
      return false;
    }
    reuse.kernel(event);
    if (choices != null) {
      choices.begin();
    }
    for (MemObject object : event.arguments()) {
      if (cleaning != null) {
        cleaning.finish(object);
      }
      DeviceUse use = moves().memory.use(moves().fast);
      if (use.largestFreeBytes() - object.bytes() >= use.budgetBytes() / PieceStream.SHARE) {
        prefetch(object, false);
      }
    }
    return true;
  }

  @Override
  public void createdByKernel(MemObject object) {
    reuse.created(object);
    if (choices != null) {
      choices.created(object);
    }
  }

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {
    if (choices != null) {
      choices.end(event, nanos);
    }
    if (cleaning != null) {
      cleaning.begin(List.of(soft, used), reuse, nanos);
    }
  }

  /**
   * Puts the free room of the fast device together, if it is scattered and that was felt: something
   * had to leave in this step, or did not find room. Where large objects have an end of their own,
   * that would only mix them up.
   */
  @Override
  public void endOfStep() throws InterruptedException {
    forgetRetired();
    long felt = moves().counts.forcedEvictions + moves().counts.fallbacks;
    boolean mixed = options.victims() != Victims.CHEAPEST;
    if (mixed
        && felt > feltBefore
        && moves().memory.use(moves().fast).fragmentation() > FRAGMENTED) {
      moves().memory.defragment(moves().fast);
    }
    feltBefore = felt;
  }

  private void touch(MemObject object) {
    soft.remove(object);
    if (used.remove(object) || object.in(moves().fast)) {
      used.add(object);
    }
  }

  @Override
  public void readUse(MemObject object) {
    touch(object);
  }

  @Override
  public void writeUse(MemObject object) {
    touch(object);
  }

  @Override
  public boolean prefetch(MemObject object, boolean force) throws InterruptedException {
    if (object.primary().in(moves().fast)) {
      touch(object);
      return true;
    }
    Region target = fastRegion(object.bytes(), force);
    if (target == null) {
      return false;
    }
    if (!moves().promote(object, target, options.dropSlowTwin())) {
      return false;
    }
    used.add(object);
    return true;
  }

  @Override
  public void evict(MemObject object) throws InterruptedException {
    demote(object);
  }

  @Override
  public void softEvict(MemObject object) {
    if (used.remove(object)) {
      soft.add(object);
    }
  }

  @Override
  public boolean retire(MemObject object) throws InterruptedException {
    if (garbage != null) {
      boolean added = garbage.add(object);
      if (object.retired()) {
        forgetRetired();
      }
      return added;
    }
    if (cleaning != null) {
      cleaning.finish(object);
    }
    boolean retired = moves().retire(object);
    used.remove(object);
    soft.remove(object);
    reuse.retired(object);
    return retired;
  }

  @Override
  public void close() throws InterruptedException {
    if (cleaning != null) {
      cleaning.finishAll();
    }
  }
}
