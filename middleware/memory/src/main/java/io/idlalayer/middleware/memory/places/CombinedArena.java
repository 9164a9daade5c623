package io.idlalayer.middleware.memory.places;

import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.ArenaPlaces;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An arena that consists of several places, one after the other. New bytes go to the place with the
 * least measured cost that can be used and has room. A place leads until another one is 10 %
 * cheaper, so that noise in the measurements does not spread tensors over the places.
 *
 * <p>Source: the unified memory of UniRedl (Rang 2021, chapter 7). There remote DRAM always comes
 * before local slow memory, which is wrong for slow networks; here the order follows from the
 * measured costs, unless {@link PlaceOrder#LENT_FIRST} is wanted.
 */
public final class CombinedArena implements Arena, ArenaPlaces {
  private static final double LEAD = 0.9;

  private final List<Place> places;
  private final PlaceOrder order;
  private final long[] ends;
  private final long pieceBytes;

  /** Index of the place that came first in the last order; guarded by this. */
  private int leader;

  /**
   * Creates an arena whose places are ordered by their cost.
   *
   * @param places the places in the order of their offsets; the first one leads until another one
   *     is known to be cheaper
   * @throws IllegalArgumentException if there is no place
   */
  public CombinedArena(List<Place> places) {
    this(places, PlaceOrder.COST);
  }

  /**
   * @param places the places in the order of their offsets
   * @param order order in which they are used
   * @throws IllegalArgumentException if there is no place
   */
  public CombinedArena(List<Place> places, PlaceOrder order) {
    if (places.isEmpty()) {
      throw new IllegalArgumentException("a combined arena needs at least one place");
    }
    this.places = List.copyOf(places);
    this.order = order;
    ends = new long[places.size()];
    long at = 0;
    long pieces = 0;
    for (int i = 0; i < ends.length; i++) {
      at += places.get(i).arena().capacityBytes();
      ends[i] = at;
      pieces = Math.max(pieces, places.get(i).arena().pieceBytes());
    }
    pieceBytes = pieces;
  }

  private Arena arena(int place) {
    return places.get(place).arena();
  }

  private long start(int place) {
    return place == 0 ? 0 : ends[place - 1];
  }

  @Override
  public long capacityBytes() {
    return ends[ends.length - 1];
  }

  /** Returns the size of the largest piece; see {@link #pieceEnd} for the piece of a byte. */
  @Override
  public long pieceBytes() {
    return pieceBytes;
  }

  @Override
  public long pieceEnd(long offset) {
    int place = at(offset);
    return start(place) + arena(place).pieceEnd(offset - start(place));
  }

  @Override
  public ByteBuffer view(long offset, int bytes) {
    int place = at(offset);
    return arena(place).view(offset - start(place), bytes);
  }

  @Override
  public int put(long offset, ByteBuffer source) {
    int place = at(offset);
    return arena(place).put(offset - start(place), source);
  }

  @Override
  public void get(long offset, ByteBuffer target) {
    int place = at(offset);
    arena(place).get(offset - start(place), target);
  }

  @Override
  public void discard(long offset, long bytes) {
    for (int place = 0; place < ends.length; place++) {
      long from = Math.max(offset, start(place));
      long to = Math.min(offset + bytes, ends[place]);
      if (from < to) {
        arena(place).discard(from - start(place), to - from);
      }
    }
  }

  @Override
  public void transferred(long offset, long bytes, boolean written, long nanos) {
    places.get(at(offset)).cost().observe(bytes, written, nanos);
  }

  @Override
  public ArenaPlaces places() {
    return this;
  }

  @Override
  public int count() {
    return ends.length;
  }

  @Override
  public long end(int place) {
    return ends[place];
  }

  @Override
  public boolean direct(int place) {
    return places.get(place).direct();
  }

  @Override
  public synchronized int[] byCost() {
    long[] nanos = new long[ends.length];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = places.get(i).cost().roundTripNanos();
    }
    int[] usable =
        IntStream.range(0, ends.length)
            .filter(place -> places.get(place).usable().getAsBoolean())
            .boxed()
            .sorted(
                Comparator.<Integer>comparingInt(
                        place -> order == PlaceOrder.LENT_FIRST && direct(place) ? 1 : 0)
                    .thenComparingLong(place -> nanos[place]))
            .mapToInt(Integer::intValue)
            .toArray();
    if (usable.length > 0 && order == PlaceOrder.COST) {
      lead(usable, nanos);
    }
    return usable;
  }

  /** Keeps the place in front that led before, unless another one is clearly cheaper. */
  private void lead(int[] usable, long[] nanos) {
    int at = 0;
    while (at < usable.length && usable[at] != leader) {
      at++;
    }
    if (at > 0 && at < usable.length && nanos[usable[0]] > LEAD * nanos[leader]) {
      System.arraycopy(usable, 0, usable, 1, at);
      usable[0] = leader;
    }
    leader = usable[0];
  }

  @Override
  public String description() {
    return places.stream()
        .map(place -> place.arena().description())
        .collect(Collectors.joining(" and "));
  }

  @Override
  public void close() {
    places.forEach(place -> place.arena().close());
  }
}
