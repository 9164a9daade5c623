package io.idlalayer.benchmarks.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Threads that share a cache, for a trace or for hits alone. Holds threads until it is closed. */
final class ThreadedReplay implements AutoCloseable {
  private static final int CHUNK = 16;
  private static final int HITS_PER_LOOK = 256;

  private final int threads;
  private final ExecutorService pool;

  ThreadedReplay(int threads) {
    this.threads = threads;
    pool = Executors.newFixedThreadPool(threads);
  }

  /**
   * The result of a replay.
   *
   * @param hitRatio hit ratio over all threads' references
   * @param nanosPerAccess elapsed time divided by the references of all threads
   */
  record Outcome(double hitRatio, double nanosPerAccess) {}

  /** Work of one thread, which tells a count. */
  private interface Work {
    long run();
  }

  /** What all threads counted, and how long it took from when all were ready. */
  private record Sum(long count, long nanos) {}

  /**
   * Replays a trace once through each of the caches, one after the other, so that a short trace
   * does not end before all threads run: threads take the next 16 references in turn, look each up
   * and put it on a miss.
   */
  Outcome replay(long[] keys, int payloadBytes, List<ThreadedCache> caches)
      throws InterruptedException {
    int chunks = (keys.length + CHUNK - 1) / CHUNK;
    AtomicInteger cursor = new AtomicInteger();
    byte[] payload = new byte[payloadBytes];
    Sum sum =
        together(
            () ->
                () -> {
                  byte[] into = new byte[payloadBytes];
                  long hits = 0;
                  int chunk = cursor.getAndIncrement();
                  while (chunk < chunks * caches.size()) {
                    ThreadedCache cache = caches.get(chunk / chunks);
                    int from = chunk % chunks * CHUNK;
                    int to = Math.min(keys.length, from + CHUNK);
                    for (int at = from; at < to; at++) {
                      if (cache.get(keys[at], into)) {
                        hits++;
                      } else {
                        cache.put(keys[at], payload);
                      }
                    }
                    chunk = cursor.getAndIncrement();
                  }
                  return hits;
                });
    double references = (double) keys.length * caches.size();
    return new Outcome(sum.count() / references, sum.nanos() / references);
  }

  /**
   * Looks up resident keys for a while.
   *
   * @param keys a row for each thread, its length a power of two
   * @return nanoseconds of each thread for a hit
   */
  double hitNanos(long[][] keys, int payloadBytes, ThreadedCache cache, long nanos)
      throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    Sum sum =
        together(
            () -> {
              long[] own = keys[next.getAndIncrement()];
              return () -> hits(own, new byte[payloadBytes], cache, nanos);
            });
    return (double) sum.nanos() * threads / sum.count();
  }

  private static long hits(long[] keys, byte[] into, ThreadedCache cache, long nanos) {
    long end = System.nanoTime() + nanos;
    long count = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < HITS_PER_LOOK; i++) {
        if (!cache.get(keys[(int) count++ & (keys.length - 1)], into)) {
          throw new IllegalStateException("a key is not resident");
        }
      }
    }
    return count;
  }

  private Sum together(Supplier<Work> works) throws InterruptedException {
    long[] start = {0};
    CyclicBarrier ready = new CyclicBarrier(threads, () -> start[0] = System.nanoTime());
    List<Callable<Sum>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Work work = works.get();
      all.add(
          () -> {
            ready.await();
            long count = work.run();
            return new Sum(count, System.nanoTime() - start[0]);
          });
    }
    long count = 0;
    long nanos = 0;
    for (Future<Sum> each : pool.invokeAll(all)) {
      try {
        Sum one = each.get();
        count += one.count();
        nanos = Math.max(nanos, one.nanos());
      } catch (ExecutionException failed) {
        throw new IllegalStateException("a thread of the replay failed", failed.getCause());
      }
    }
    return new Sum(count, nanos);
  }

  /** Ends the threads. */
  @Override
  public void close() throws InterruptedException {
    pool.shutdown();
    if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("threads of the replay do not end");
    }
  }
}
