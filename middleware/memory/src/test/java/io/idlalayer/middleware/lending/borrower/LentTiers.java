package io.idlalayer.middleware.lending.borrower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.memory.places.CombinedArena;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Small memories whose slow device is a local place and one that a real lender of this process
 * lends over a socket. The lent place is the cheaper one and is shared by one memory after the
 * other.
 */
public final class LentTiers implements AutoCloseable {
  /** A secret for tests. */
  public static final Secret SECRET = new Secret("0123456789abcdef-of-a-test");

  /** A local place so slow that any lender is better. */
  public static final DeviceSpeed CRAWLING = DeviceSpeed.symmetric(1, 0);

  private final MemoryLender lender;
  private final Borrower borrower;
  private final Place lent;
  private long lentRegions;

  /** Starts a lender and borrows some bytes of it. */
  public LentTiers(long bytes) throws IOException {
    lender = lender(bytes, Duration.ofMinutes(1));
    borrower = new Borrower(BorrowerSettings.of(SECRET, null));
    lent = borrower.place(address(lender), bytes, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(lent.usable()::getAsBoolean);
  }

  /** Starts a lender of some bytes in units of a block. */
  public static MemoryLender lender(long bytes, Duration lease) throws IOException {
    return MemoryLender.start(settings(0, bytes, lease));
  }

  static LenderSettings settings(int port, long bytes, Duration lease) {
    return new LenderSettings(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        SECRET,
        null,
        bytes,
        BlockTable.BLOCK_BYTES,
        lease,
        16,
        LenderSettings.Limits.DEFAULT);
  }

  /** The address of a lender of this process. */
  public static LenderAddress address(MemoryLender lender) {
    return new LenderAddress(
        lender.address().getAddress().getHostAddress(), lender.address().getPort());
  }

  /** A memory of which the slow device has a local place and the lent one. */
  public TieredMemory of(long fastBytes, long slowBytes, MemoryClock clock) {
    DeviceSpec local = Tiers.slow(slowBytes);
    PlaceCost cost = new PlaceCost(CRAWLING);
    CombinedArena arena =
        new CombinedArena(
            List.of(
                Place.local(new DirectArena(local), cost),
                new Place(new Counted(lent.arena()), false, lent.cost(), lent.usable())));
    DeviceSpec slow = Tiers.slow(arena.capacityBytes());
    return new TieredMemory(
        List.of(Tiers.tier(Tiers.fast(fastBytes)), new TieredMemory.Tier(slow, arena)),
        Tiers.SETTINGS,
        clock);
  }

  /** Asserts that the lent place was used since the last call. */
  public void assertUsed() {
    assertThat(lentRegions).as("copies to the lent place").isPositive();
    lentRegions = 0;
  }

  @Override
  public void close() throws IOException {
    lent.arena().close();
    borrower.close();
    lender.close();
  }

  /** The lent arena, which its memory does not close. */
  private final class Counted implements Arena {
    private final Arena arena;

    Counted(Arena arena) {
      this.arena = arena;
    }

    @Override
    public long capacityBytes() {
      return arena.capacityBytes();
    }

    @Override
    public long pieceBytes() {
      return arena.pieceBytes();
    }

    @Override
    public ByteBuffer view(long offset, int bytes) {
      return arena.view(offset, bytes);
    }

    @Override
    public int put(long offset, ByteBuffer source) {
      lentRegions++;
      return arena.put(offset, source);
    }

    @Override
    public void get(long offset, ByteBuffer target) {
      arena.get(offset, target);
    }

    @Override
    public void discard(long offset, long bytes) {
      arena.discard(offset, bytes);
    }

    @Override
    public String description() {
      return arena.description();
    }

    @Override
    public void close() {
      arena.discard(0, arena.capacityBytes());
    }
  }
}
