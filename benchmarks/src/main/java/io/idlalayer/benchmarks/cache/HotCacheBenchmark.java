package io.idlalayer.benchmarks.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A hit in the hot cache, payload copied, against one in Caffeine, payload copied; keys uniform, so
 * that the processor's caches help neither. Threads: {@code dev/jmh HotCacheBenchmark -t 2}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx2g", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class HotCacheBenchmark {
  /** The caches, filled. */
  @State(Scope.Benchmark)
  public static class Caches {
    @Param({"10000", "100000"})
    int blocks;

    @Param({"64", "1024"})
    int payloadBytes;

    final HotCache hot = new HotCache(new CacheSettings(256L << 20, PolicyName.ADAPTIVE));
    final CacheOwner owner = hot.attach("benchmark", 256L << 20);
    Cache<Long, byte[]> caffeine = Caffeine.newBuilder().build();

    @Setup
    public void fill() {
      caffeine = Caffeine.newBuilder().maximumSize(2L * blocks).build();
      for (long id = 0; id < blocks; id++) {
        hot.put(owner, 0, id, new byte[payloadBytes], Reuse.UNKNOWN);
        caffeine.put(id, new byte[payloadBytes]);
      }
      for (long id = 0; id < blocks; id++) {
        if (hot.get(owner, 0, id) == null) {
          throw new IllegalStateException("block " + id + " is not resident");
        }
      }
    }
  }

  /** Keys and a buffer of one thread. */
  @State(Scope.Thread)
  public static class Reader {
    final long[] keys = new long[1 << 16];
    byte[] buffer = {};
    int next;

    @Setup
    public void draw(Caches caches) {
      buffer = new byte[caches.payloadBytes];
      Random random = new Random(System.identityHashCode(this));
      for (int i = 0; i < keys.length; i++) {
        keys[i] = random.nextInt(caches.blocks);
      }
    }

    long key() {
      return keys[next++ & (keys.length - 1)];
    }
  }

  @Benchmark
  public int hitIntoBuffer(Caches caches, Reader reader) {
    return caches.hot.get(caches.owner, 0, reader.key(), reader.buffer);
  }

  @Benchmark
  public byte @Nullable [] hitIntoNewArray(Caches caches, Reader reader) {
    return caches.hot.get(caches.owner, 0, reader.key());
  }

  @Benchmark
  public byte[] caffeineHitIntoBuffer(Caches caches, Reader reader) {
    byte[] payload = Objects.requireNonNull(caches.caffeine.getIfPresent(reader.key()));
    System.arraycopy(payload, 0, reader.buffer, 0, payload.length);
    return reader.buffer;
  }
}
