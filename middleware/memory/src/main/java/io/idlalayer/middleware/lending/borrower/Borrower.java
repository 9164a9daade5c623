package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.lending.wire.ConnectionWatch;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows memory of lenders. The borrower takes and renews loans in the background: a lender that
 * does not answer delays nothing, and a lender that comes back is used again. A place that {@link
 * #place} returns closes what belongs to it. Close the borrower after its places. Any thread.
 */
public final class Borrower implements AutoCloseable {
  /** Size to which places and the regions in them are rounded. */
  public static final int BLOCK_BYTES = BlockTable.BLOCK_BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(Borrower.class);
  private static final long TEND_MILLIS = 100;

  /** Cost before the first probe, which is not used because the place is not usable then. */
  private static final DeviceSpeed UNKNOWN = DeviceSpeed.symmetric(1, 0);

  private final BorrowerSettings settings;
  private final LongSupplier nanoTime;
  private final ConnectionWatch watch;
  private final List<ScheduledThreadPoolExecutor> tending = new ArrayList<>();
  private final List<LenderPool> pools = new ArrayList<>();

  /** Creates a borrower that measures time with the system's clock. */
  public Borrower(BorrowerSettings settings) {
    this(settings, System::nanoTime);
  }

  /**
   * @param nanoTime the time, in nanoseconds
   */
  public Borrower(BorrowerSettings settings, LongSupplier nanoTime) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    watch = new ConnectionWatch("borrower-watch", () -> {});
  }

  /**
   * Returns a place in the memory of a lender. It is usable while there is a loan that is cheaper
   * than the local place.
   *
   * @param bytes its size, a positive multiple of {@link #BLOCK_BYTES}
   * @param local cost of the local place
   */
  public Place place(LenderAddress lender, long bytes, PlaceCost local) {
    return place(lender, bytes, local, PlaceOrder.COST);
  }

  /**
   * Returns a place in the memory of a lender.
   *
   * @param bytes its size, a positive multiple of {@link #BLOCK_BYTES}
   * @param local cost of the local place
   * @param order whether it is usable only with a loan that is cheaper than the local place
   */
  public Place place(LenderAddress lender, long bytes, PlaceCost local, PlaceOrder order) {
    return places(new NamedLenders(List.of(lender)), 1, bytes, local, order).get(0);
  }

  /**
   * Returns places in the memory of lenders, at most one of each lender at a time. A place that has
   * lost its loan can get the next one of another lender.
   *
   * @param count number of places, above 0
   * @param bytes size of each place, a positive multiple of {@link #BLOCK_BYTES}
   * @param local cost of the local place
   * @param order whether they are usable only with a loan that is cheaper than the local place
   */
  public List<Place> places(
      LenderDirectory lenders, int count, long bytes, PlaceCost local, PlaceOrder order) {
    if (bytes <= 0 || bytes % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "a place of %d bytes; a positive multiple of %d is needed".formatted(bytes, BLOCK_BYTES));
    }
    LenderPool pool = new LenderPool(lenders, settings.pauses());
    synchronized (this) {
      pools.add(pool);
    }
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      places.add(place(pool, bytes, local, order));
    }
    return places;
  }

  private Place place(LenderPool pool, long bytes, PlaceCost local, PlaceOrder order) {
    PlaceCost cost = new PlaceCost(UNKNOWN);
    LoanKeeper keeper =
        new LoanKeeper(
            pool,
            lender -> new LenderLink(lender, settings, nanoTime, watch),
            settings,
            bytes,
            order == PlaceOrder.LENT_FIRST ? () -> Long.MAX_VALUE : local::roundTripNanos,
            cost,
            nanoTime);
    tend(keeper);
    return new Place(new BorrowedArena(bytes, keeper), false, cost, () -> keeper.held() != null);
  }

  /** Starts a thread that tends a loan; a lender that is slow must not delay the others. */
  private synchronized void tend(LoanKeeper keeper) {
    String name = "borrower-" + (tending.size() + 1);
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
    var unused =
        thread.scheduleWithFixedDelay(
            () -> {
              try {
                keeper.tend();
              } catch (RuntimeException | Error failed) {
                // Thrown from here, it would end the renewals.
                LOG.error("a loan could not be tended", failed);
              }
            },
            0,
            TEND_MILLIS,
            TimeUnit.MILLISECONDS);
    tending.add(thread);
  }

  /** Returns how the lenders are used, in the order in which their places were made. */
  public synchronized List<LoanUse> loans() {
    return pools.stream().flatMap(pool -> pool.uses().stream()).toList();
  }

  /** Returns the counts of the loans of all places. */
  public synchronized LoanTotals totals() {
    LoanTotals totals = LoanTotals.NONE;
    for (LenderPool each : pools) {
      totals = totals.plus(each.totals());
    }
    return totals;
  }

  /** Ends the threads and all connections. */
  @Override
  public synchronized void close() {
    tending.forEach(ScheduledThreadPoolExecutor::shutdownNow);
    tending.clear();
    watch.close();
  }
}
