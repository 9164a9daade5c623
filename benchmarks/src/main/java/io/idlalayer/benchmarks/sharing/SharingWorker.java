package io.idlalayer.benchmarks.sharing;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.Reuse;
import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.middleware.cache.shared.SharedUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process of {@link SharingExperiment}. It reads a {@link SharingTask}, waits for a line, works,
 * prints a {@link Measured}, and so on until its input ends or it is killed.
 */
public final class SharingWorker {
  private static final long ROUND_MILLIS = 50;

  private final SharingTask task;
  private final HotCache cache;
  private final @Nullable SharedHotCache shared;
  private final CacheOwner owner;
  private final PayloadDigest[] digests;
  private final BitSet usedSinceInserted = new BitSet();
  private int nextIteration;

  /**
   * What a process measured in some iterations.
   *
   * @param hits references to blocks in a cache, those of neighbours among them
   * @param neighbourHits references to blocks that a neighbour had
   * @param inserted blocks that were put into the cache
   * @param usedAgain blocks among them that were used before they were put there again
   * @param seconds elapsed time; misses wait as the emulated store does
   * @param ownHitNanos mean time of a hit in the own cache
   * @param neighbourHitNanos mean time of a hit in a neighbour's
   * @param payloadBytes payloads in the own cache at the end
   * @param overheadBytes memory of the cache beside payloads at the end, files and heap
   * @param lentBytes payloads held for neighbours at the end
   * @param foundBlocks blocks of an earlier process
   */
  record Measured(
      long references,
      long hits,
      long neighbourHits,
      long inserted,
      long usedAgain,
      double seconds,
      double ownHitNanos,
      double neighbourHitNanos,
      long payloadBytes,
      long overheadBytes,
      long lentBytes,
      long foundBlocks) {}

  private SharingWorker(SharingTask task) throws IOException {
    this.task = task;
    CacheSettings settings = new CacheSettings(task.cacheBytes(), task.policy());
    shared =
        task.directory() == null
            ? null
            : new SharedHotCache(
                Path.of(task.directory()),
                task.cluster(),
                settings,
                InstantSource.system().millis());
    cache = shared == null ? new HotCache(settings) : shared.hot();
    owner = cache.attach("worker-" + task.process(), task.cacheBytes());
    digests = new PayloadDigest[BlockWorkload.SHARED_BLOCKS + task.blocks()];
    for (int block = 0; block < digests.length; block++) {
      digests[block] = PayloadDigest.of(payload(block));
    }
  }

  private byte[] payload(int block) {
    byte[] payload = new byte[task.blockBytes()];
    new SplittableRandom(block).nextBytes(payload);
    return payload;
  }

  private byte @Nullable [] get(int block) {
    PayloadDigest digest = digests[block];
    return shared == null ? cache.get(owner, 0, block) : shared.get(owner, digest);
  }

  private void put(int block, byte[] payload) {
    if (shared == null) {
      cache.put(owner, 0, block, payload, Reuse.UNKNOWN);
    } else {
      shared.put(owner, digests[block], payload, Reuse.UNKNOWN);
    }
  }

  private long neighbourHits() {
    return shared == null ? 0 : shared.neighbourHits();
  }

  private Measured work(int iterations) {
    BlockWorkload.Part part =
        BlockWorkload.Part.of(task.process(), task.processes(), task.blocks());
    long references = 0;
    long hits = 0;
    long inserted = 0;
    long usedAgain = 0;
    long ownNanos = 0;
    long neighbourNanos = 0;
    long neighbourBefore = neighbourHits();
    long neighbours = 0;
    long start = System.nanoTime();
    for (int i = 0; i < iterations; i++) {
      for (int block : task.workload().iteration(part, nextIteration, task.seed())) {
        references++;
        long before = System.nanoTime();
        byte[] found = get(block);
        long nanos = System.nanoTime() - before;
        if (found == null) {
          put(block, miss(block));
          inserted++;
          usedSinceInserted.clear(block);
        } else {
          check(block, found);
          hits++;
          long neighboursNow = neighbourHits() - neighbourBefore;
          if (neighboursNow > neighbours) {
            neighbourNanos += nanos;
          } else {
            ownNanos += nanos;
          }
          neighbours = neighboursNow;
          if (!usedSinceInserted.get(block)) {
            usedSinceInserted.set(block);
            usedAgain++;
          }
        }
      }
      nextIteration++;
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    CacheStats stats = cache.stats();
    SharedUse use = shared == null ? SharedUse.NONE : shared.use();
    long ownHits = Math.max(1, hits - neighbours);
    return new Measured(
        references,
        hits,
        neighbours,
        inserted,
        usedAgain,
        seconds,
        (double) ownNanos / ownHits,
        neighbours == 0 ? 0 : (double) neighbourNanos / neighbours,
        stats.payloadBytes(),
        stats.allocatedBytes() - stats.payloadBytes() + stats.metadataBytes() + use.listBytes(),
        use.lentBytes(),
        use.foundBlocks());
  }

  private void check(int block, byte[] found) {
    if (!PayloadDigest.of(found).equals(digests[block])) {
      throw new IllegalStateException("block " + block + " has other bytes");
    }
  }

  /** Reads a block as from a store that takes some time. */
  private byte[] miss(int block) {
    long until = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(task.missMicros());
    byte[] payload = payload(block);
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    return payload;
  }

  /** Obeys lines on the standard input: a task, and then numbers of iterations. */
  public static void main(String[] none) throws IOException {
    ObjectMapper json = new ObjectMapper();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    SharingWorker worker = new SharingWorker(json.readValue(in.readLine(), SharingTask.class));
    ScheduledExecutorService rounds =
        Executors.newSingleThreadScheduledExecutor(
            round -> {
              Thread thread = new Thread(round, "rounds");
              thread.setDaemon(true);
              return thread;
            });
    SharedHotCache shared = worker.shared;
    if (shared != null) {
      var unused =
          rounds.scheduleWithFixedDelay(
              () -> shared.round(InstantSource.system().millis()),
              0,
              ROUND_MILLIS,
              TimeUnit.MILLISECONDS);
    }
    System.out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(json.writeValueAsString(worker.work(Integer.parseInt(line))));
    }
  }
}
