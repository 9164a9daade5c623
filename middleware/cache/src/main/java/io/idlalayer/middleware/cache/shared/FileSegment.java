package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.BlockListener;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the regions of one segment in the shared file and lists its blocks in the directory.
 * Guarded by the lock of the segment.
 */
final class FileSegment implements BlockListener {
  private static final int NONE = -1;

  private final CacheFile file;
  private final int segment;
  private final BlockDirectory directory;
  private final Offers offers;
  private int[] numbers = {};
  private @Nullable ByteBuffer[] regions = {};

  /** Receives the records of blocks that are evicted from this process because it needs memory. */
  interface Offers {
    /** Returns whether a block that an owner has put into the cache is offered to a neighbour. */
    boolean wanted(int owner);

    /** Receives a record, which this call must copy if it is needed longer. */
    void offer(byte[] record);
  }

  FileSegment(CacheFile file, int segment, Offers offers) {
    this.file = file;
    this.segment = segment;
    this.offers = offers;
    directory = file.directory(segment);
  }

  @Override
  public @Nullable ByteBuffer take(int index, int bytes) {
    CacheFile.Region region = file.take();
    return region == null ? null : hold(index, region.number(), region.bytes());
  }

  private ByteBuffer hold(int index, int number, ByteBuffer bytes) {
    if (index >= numbers.length) {
      int before = numbers.length;
      int length = Math.max(4, 2 * (index + 1));
      numbers = Arrays.copyOf(numbers, length);
      Arrays.fill(numbers, before, length, NONE);
      regions = Arrays.copyOf(regions, length);
    }
    numbers[index] = number;
    regions[index] = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    return bytes;
  }

  @Override
  public void give(int index) {
    file.give(numbers[index]);
    numbers[index] = NONE;
    regions[index] = null;
  }

  private long offset(Place place) {
    return (long) numbers[place.region()] * file.layout().regionBytes() + place.offset();
  }

  private ByteBuffer region(Place place) {
    ByteBuffer region = regions[place.region()];
    if (region == null) {
      throw new IllegalStateException("region " + place.region() + " is not in use");
    }
    return region;
  }

  private PayloadDigest digest(Place place) {
    ByteBuffer region = region(place);
    return new PayloadDigest(
        region.getLong(place.offset()), region.getLong(place.offset() + Long.BYTES));
  }

  @Override
  public void placed(Place place) {
    directory.list(digest(place), offset(place), place.length());
  }

  @Override
  public void leaving(Place place, int owner, boolean evicted) {
    directory.remove(digest(place), offset(place));
    if (evicted && offers.wanted(owner)) {
      byte[] record = new byte[place.length()];
      region(place).get(place.offset(), record);
      offers.offer(record);
    }
  }

  @Override
  public @Nullable Found nextFound(int index) {
    CacheFile.FoundRegion next = file.nextFound(segment);
    if (next == null) {
      return null;
    }
    hold(index, next.number(), next.blocks().bytes());
    return next.blocks();
  }
}
