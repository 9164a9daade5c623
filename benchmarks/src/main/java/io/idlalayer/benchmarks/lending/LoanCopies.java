package io.idlalayer.benchmarks.lending;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Copies to and from a loan, as the product's copies of tensors make them. */
final class LoanCopies implements BlockCopies {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long LOOK_NANOS = 1_000_000;

  /** A local place so slow that any lender is cheaper. */
  private static final DeviceSpeed CRAWLING = DeviceSpeed.symmetric(1, 0);

  private final Borrower borrower;
  private final Place place;

  /**
   * Takes a loan.
   *
   * @throws IOException if none is there within a minute
   */
  LoanCopies(BorrowerSettings settings, LenderAddress lender, long bytes) throws IOException {
    borrower = new Borrower(settings);
    place = borrower.place(lender, bytes, new PlaceCost(CRAWLING));
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!place.usable().getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        close();
        throw new IOException(lender + " has lent nothing within " + PATIENCE);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void put(long offset, ByteBuffer source) {
    long at = offset;
    while (source.hasRemaining()) {
      at += place.arena().put(at, source);
    }
  }

  @Override
  public void get(long offset, ByteBuffer target) {
    place.arena().get(offset, target);
  }

  @Override
  public void close() {
    place.arena().close();
    borrower.close();
  }
}
