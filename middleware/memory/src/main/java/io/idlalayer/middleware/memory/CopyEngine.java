package io.idlalayer.middleware.memory;

import java.nio.ByteBuffer;
import java.util.List;
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
 * Copies bytes between regions: at once on the caller's thread, or in the background on one thread
 * per direction with a bounded queue. Under a virtual clock background copies are made at once as
 * well, and only their time passes in the background.
 */
final class CopyEngine implements AutoCloseable {
  private static final long IDLE_SECONDS = 5;
  private static final long CLOSE_SECONDS = 60;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private record Direction(DeviceId source, DeviceId target) {}

  private final class Channel {
    private final Semaphore room = new Semaphore(settings.copyQueue());
    private final ThreadPoolExecutor thread;

    Channel(Direction direction) {
      thread =
          new ThreadPoolExecutor(
              1,
              1,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new ArrayBlockingQueue<>(settings.copyQueue()),
              task -> {
                Thread made =
                    new Thread(
                        task,
                        "copy-%d-to-%d"
                            .formatted(direction.source().index(), direction.target().index()));
                made.setDaemon(true);
                return made;
              });
      thread.allowCoreThreadTimeOut(true);
    }
  }

  private final MemorySettings settings;
  private final MemoryClock clock;
  private final Meter meter;
  private final TransferCorrection correction;
  private final Map<Direction, Channel> channels = new ConcurrentHashMap<>();

  private final LongAdder progress = new LongAdder();

  CopyEngine(
      MemorySettings settings, MemoryClock clock, Meter meter, TransferCorrection correction) {
    this.settings = settings;
    this.clock = clock;
    this.meter = meter;
    this.correction = correction;
  }

  /** Copies as many bytes as the source has; the target must have as many. */
  MoveReceipt copy(ByteRange target, ByteRange source) throws InterruptedException {
    return copy(target, source, false);
  }

  private MoveReceipt copy(ByteRange target, ByteRange source, boolean background)
      throws InterruptedException {
    Device here = source.region().device;
    Device there = target.region().device;
    TransferCorrection.Started started = correction.begin(here.id, there.id);
    MoveReceipt receipt = null;
    try {
      receipt = copied(target, source, background);
      return receipt;
    } finally {
      if (receipt == null) {
        correction.fail(here.id, there.id);
      } else {
        correction.end(
            started,
            receipt,
            TierModel.copyNanos(here.spec.speed(), there.spec.speed(), receipt.bytes()));
      }
    }
  }

  private MoveReceipt copied(ByteRange target, ByteRange source, boolean background)
      throws InterruptedException {
    long start = clock.nanos();
    Device here = source.region().device;
    Device there = target.region().device;
    DeviceSpec from = here.spec;
    DeviceSpec to = there.spec;
    long bytes = source.bytes();
    if (!background) {
      clock.begin(from, to);
    }
    long at = 0;
    while (at < bytes) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while copying from " + from.name());
      }
      int chunk = (int) Math.min(settings.chunkBytes(), bytes - at);
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
    meter.copied(here.id, there.id, bytes);
    long end = clock.copied(from, to, bytes, start, background);
    return new MoveReceipt(here.id, there.id, bytes, start, end);
  }

  private static void copyChunk(ByteRange target, ByteRange source, long at, int bytes) {
    Device there = target.region().device;
    long first = target.region().offset + target.offset() + at;
    try {
      ByteBuffer part =
          source.region().device.arena.view(source.region().offset + source.offset() + at, bytes);
      while (part.hasRemaining()) {
        long offset = first + part.position();
        int put = there.arena.put(offset, part.duplicate().order(part.order()));
        if (put <= 0) {
          throw new DeviceFailureException(
              "device %s takes no more bytes at %d, %d were left to copy"
                  .formatted(there.spec.name(), offset, part.remaining()),
              null);
        }
        part.position(part.position() + put);
      }
    } catch (InternalError e) {
      // How the virtual machine reports a page of a mapped file that cannot be had.
      throw new DeviceFailureException(
          "copying %d bytes from %s to %s failed"
              .formatted(bytes, source.region(), target.region()),
          e);
    }
  }

  /** See {@link TieredMemory#copyInBackground}. */
  CompletableFuture<MoveReceipt> part(ByteRange target, ByteRange source)
      throws InterruptedException {
    if (target.bytes() != source.bytes()) {
      throw new IllegalArgumentException(
          "%d bytes cannot be copied to %d".formatted(source.bytes(), target.bytes()));
    }
    for (ByteRange range : List.of(target, source)) {
      if (range.region().parent() == null) {
        throw new StaleRegionException(range.region() + " holds no object");
      }
    }
    return background(target, source);
  }

  CompletableFuture<MoveReceipt> background(ByteRange target, ByteRange source)
      throws InterruptedException {
    CompletableFuture<MoveReceipt> done = new CompletableFuture<>();
    if (clock.kind() == ClockKind.VIRTUAL) {
      run(done, target, source);
      return done;
    }
    Channel channel =
        channels.computeIfAbsent(
            new Direction(source.region().device.id, target.region().device.id), Channel::new);
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

  /** Waits for a place in a queue as long as any copy goes on, however slowly. */
  private boolean mayQueue(Channel channel) throws InterruptedException {
    long before = progress();
    while (!channel.room.tryAcquire(settings.waitNanos(), TimeUnit.NANOSECONDS)) {
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
        "no copy has gone on for %,d ms".formatted(settings.waitNanos() / NANOS_PER_MILLI), cause);
  }

  private void run(CompletableFuture<MoveReceipt> done, ByteRange target, ByteRange source) {
    try {
      done.complete(copy(target, source, true));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      done.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      done.completeExceptionally(e);
    }
  }

  /** Waits for a background copy; see {@link TieredMemory#await}. */
  MoveReceipt await(CompletableFuture<MoveReceipt> copy) throws InterruptedException {
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

  /** Waits as long as any copy goes on, however slowly. */
  private MoveReceipt ended(CompletableFuture<MoveReceipt> copy)
      throws InterruptedException, ExecutionException {
    while (true) {
      long before = progress();
      try {
        return copy.get(settings.waitNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // Other copies may be in front of it.
        if (progress() == before) {
          throw nothingGoesOn(e);
        }
      }
    }
  }

  /** Chunks copied so far: whether anything goes on. */
  long progress() {
    return progress.sum();
  }

  /** Makes the copies that are queued, then stops. */
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
