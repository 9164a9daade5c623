package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.TieredMemoryException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Copies bytes between devices: on the caller's thread, or in the background on one thread for each
 * direction, with a bounded queue. Under a virtual clock, the bytes of a background copy are copied
 * at once too; only its computed time runs beside the caller's. Any thread.
 */
public final class CopyEngine implements AutoCloseable {
  private static final long IDLE_SECONDS = 5;
  private static final long CLOSE_SECONDS = 60;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * Limits on queued copies, on the size of a chunk, and on waiting.
   *
   * @param queue background copies that may wait in each direction
   * @param chunkBytes copied at once, between two looks at the interrupt flag and the clock
   * @param waitNanos longest wait for a copy while no copy makes progress
   */
  public record Limits(int queue, int chunkBytes, long waitNanos) {}

  private record Direction(DeviceId source, DeviceId target) {}

  private final class Channel {
    private final Semaphore room = new Semaphore(limits.queue());
    private final ThreadPoolExecutor thread;

    Channel(Direction direction) {
      thread =
          new ThreadPoolExecutor(
              1,
              1,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new ArrayBlockingQueue<>(limits.queue()),
              task -> {
                Thread made =
                    new Thread(
                        task,
                        String.format(
                            Locale.ROOT,
                            "copy-%d-to-%d",
                            direction.source().index(),
                            direction.target().index()));
                made.setDaemon(true);
                return made;
              });
      thread.allowCoreThreadTimeOut(true);
    }
  }

  private final Limits limits;
  private final MemoryClock clock;
  private final Meter meter;
  private final TransferCorrection correction;
  private final Map<Direction, Channel> channels = new ConcurrentHashMap<>();

  private final LongAdder progress = new LongAdder();

  /**
   * Creates an engine for the devices of a memory.
   *
   * @param devices number of devices
   * @param correction learns the speeds of the devices from the copies
   */
  public CopyEngine(Limits limits, MemoryClock clock, int devices, TransferCorrection correction) {
    this.limits = limits;
    this.clock = clock;
    meter = new Meter(devices);
    this.correction = correction;
  }

  /** Returns the numbers of copies and bytes so far, by direction. */
  public Traffic traffic() {
    return meter.traffic();
  }

  /**
   * Copies bytes on the caller's thread, which waits until they have arrived.
   *
   * @param target destination, as long as the source
   * @throws DeviceFailureException if a device failed; the target's bytes are undefined then
   */
  public MoveReceipt copy(Extent target, Extent source) throws InterruptedException {
    return copy(target, source, false);
  }

  private MoveReceipt copy(Extent target, Extent source, boolean background)
      throws InterruptedException {
    TransferCorrection.Started started = correction.begin(source.device(), target.device());
    MoveReceipt receipt = null;
    try {
      receipt = copied(target, source, background);
      return receipt;
    } finally {
      if (receipt == null) {
        correction.fail(source.device(), target.device());
      } else {
        correction.end(
            started,
            receipt,
            TierModel.copyNanos(source.spec().speed(), target.spec().speed(), receipt.bytes()));
      }
    }
  }

  private MoveReceipt copied(Extent target, Extent source, boolean background)
      throws InterruptedException {
    long start = clock.nanos();
    DeviceSpec from = source.spec();
    DeviceSpec to = target.spec();
    long bytes = source.bytes();
    if (!background) {
      clock.begin(from, to);
    }
    long at = 0;
    while (at < bytes) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while copying from " + from.name());
      }
      int chunk = (int) Math.min(limits.chunkBytes(), bytes - at);
      if (background) {
        copyChunk(target, source, at, chunk);
      } else {
        long passed = clock.reserve(from, to, chunk);
        copyChunk(target, source, at, chunk);
        clock.elapseTo(passed);
      }
      progress.increment();
      at += chunk;
    }
    meter.copied(source.device(), target.device(), bytes);
    // The time of a copy within a device is that of a read and a write, and says neither.
    if (clock.kind() != ClockKind.VIRTUAL && !source.device().equals(target.device())) {
      long took = Math.max(1, clock.nanos() - start);
      source.arena().transferred(source.offset(), bytes, false, took);
      target.arena().transferred(target.offset(), bytes, true, took);
    }
    long end = clock.copied(from, to, bytes, start, background);
    return new MoveReceipt(source.device(), target.device(), bytes, start, end);
  }

  private static void copyChunk(Extent target, Extent source, long at, int bytes) {
    long first = target.offset() + at;
    try {
      if (!source.direct() && target.direct()) {
        source.arena().get(source.offset() + at, target.arena().view(first, bytes));
        return;
      }
      ByteBuffer part = chunk(source, source.offset() + at, bytes);
      while (part.hasRemaining()) {
        long offset = first + part.position();
        int put = target.arena().put(offset, part.duplicate().order(part.order()));
        if (put <= 0) {
          throw new DeviceFailureException(
              String.format(
                  Locale.ROOT,
                  "device %s takes no more bytes at offset %d; %d bytes were left to copy",
                  target.spec().name(),
                  offset,
                  part.remaining()),
              null);
        }
        part.position(part.position() + put);
      }
    } catch (InternalError e) {
      // Thrown by the virtual machine for a page of a mapped file that cannot be read or written.
      throw new DeviceFailureException(
          String.format(
              Locale.ROOT, "copying %d bytes from %s to %s failed", bytes, source, target),
          e);
    }
  }

  private static ByteBuffer chunk(Extent source, long offset, int bytes) {
    if (source.direct()) {
      return source.arena().view(offset, bytes);
    }
    ByteBuffer copy = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    source.arena().get(offset, copy);
    return copy.flip();
  }

  /**
   * Starts a copy on a background thread; under a virtual clock, copies on the caller's thread
   * before it returns.
   *
   * @param target destination, as long as the source
   * @return the receipt; fails with a {@link DeviceFailureException} if a device failed
   * @throws InterruptedException while waiting for room in the queue
   */
  public CompletableFuture<MoveReceipt> background(Extent target, Extent source)
      throws InterruptedException {
    CompletableFuture<MoveReceipt> done = new CompletableFuture<>();
    if (clock.kind() == ClockKind.VIRTUAL) {
      run(done, target, source);
      return done;
    }
    Channel channel =
        channels.computeIfAbsent(new Direction(source.device(), target.device()), Channel::new);
    if (!mayQueue(channel)) {
      done.completeExceptionally(nothingGoesOn(null));
      return done;
    }
    boolean queued = false;
    try {
      channel.thread.execute(
          () -> {
            channel.room.release();
            run(done, target, source);
          });
      queued = true;
    } finally {
      if (!queued) {
        channel.room.release();
      }
    }
    return done;
  }

  /**
   * Waits for a place in the queue of background copies, and gives up only when no copy makes
   * progress.
   */
  private boolean mayQueue(Channel channel) throws InterruptedException {
    long before = progress();
    while (!channel.room.tryAcquire(limits.waitNanos(), TimeUnit.NANOSECONDS)) {
      long now = progress();
      if (now == before) {
        return false;
      }
      before = now;
    }
    return true;
  }

  private DeviceFailureException nothingGoesOn(@Nullable TimeoutException cause) {
    return new DeviceFailureException(
        String.format(
            Locale.ROOT,
            "no copy has made progress for %,d ms",
            limits.waitNanos() / NANOS_PER_MILLI),
        cause);
  }

  private void run(CompletableFuture<MoveReceipt> done, Extent target, Extent source) {
    try {
      done.complete(copy(target, source, true));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      done.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      done.completeExceptionally(e);
    }
  }

  /**
   * Waits for the end of a background copy, and gives up only when no copy makes progress.
   *
   * @throws TieredMemoryException if the copy failed
   */
  public MoveReceipt await(CompletableFuture<MoveReceipt> copy) throws InterruptedException {
    try {
      MoveReceipt receipt = ended(copy);
      clock.elapseTo(receipt.endNanos());
      return receipt;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TieredMemoryException failure) {
        throw failure;
      }
      if (e.getCause() instanceof InterruptedException && Thread.interrupted()) {
        throw new InterruptedException("interrupted while copying");
      }
      throw new DeviceFailureException("a background copy failed: " + e.getCause(), e.getCause());
    }
  }

  /** Waits for the receipt of a background copy, and gives up only when no copy makes progress. */
  private MoveReceipt ended(CompletableFuture<MoveReceipt> copy)
      throws InterruptedException, ExecutionException {
    while (true) {
      long before = progress();
      try {
        return copy.get(limits.waitNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // Other copies may be in front of it.
        if (progress() == before) {
          throw nothingGoesOn(e);
        }
      }
    }
  }

  /** Returns the number of chunks copied so far, which shows whether any copy makes progress. */
  public long progress() {
    return progress.sum();
  }

  /** Ends the background threads after the queued copies. */
  @Override
  public void close() {
    channels.values().forEach(channel -> channel.thread.shutdown());
    boolean interrupted = false;
    for (Channel channel : channels.values()) {
      try {
        if (!channel.thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
          channel.thread.shutdownNow();
        }
      } catch (InterruptedException e) {
        channel.thread.shutdownNow();
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
