package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HotCacheConcurrencyTest {
  private static final int THREADS = 8;
  private static final int STEPS = 40_000;

  /** A payload of random length that says which key it belongs to and whether it is whole. */
  private static byte[] sealed(SplittableRandom random, long id) {
    byte[] payload = new byte[16 + random.nextInt(900)];
    random.nextBytes(payload);
    putLong(payload, 0, id);
    CRC32C checksum = new CRC32C();
    checksum.update(payload, 0, payload.length - 4);
    putInt(payload, payload.length - 4, (int) checksum.getValue());
    return payload;
  }

  private static void check(byte[] payload, long id) {
    CRC32C checksum = new CRC32C();
    checksum.update(payload, 0, payload.length - 4);
    assertThat(java.nio.ByteBuffer.wrap(payload).getInt(payload.length - 4))
        .isEqualTo((int) checksum.getValue());
    assertThat(java.nio.ByteBuffer.wrap(payload).getLong(0)).isEqualTo(id);
  }

  private static void putLong(byte[] bytes, int at, long value) {
    java.nio.ByteBuffer.wrap(bytes).putLong(at, value);
  }

  private static void putInt(byte[] bytes, int at, int value) {
    java.nio.ByteBuffer.wrap(bytes).putInt(at, value);
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void manyThreads_neverReadATornOrForeignPayload(PolicyName policy) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try (HotCache cache = new HotCache(new CacheSettings(1 << 20, policy))) {
      CacheOwner resized = cache.attach("resized", 1 << 18);
      CacheOwner owner = cache.attach("readers", 1 << 19);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        SplittableRandom random = new SplittableRandom(t);
        boolean resizes = t == 0;
        running.add(
            pool.submit(
                () -> {
                  for (int step = 0; step < STEPS; step++) {
                    if (resizes && step % 500 == 0) {
                      cache.resize(resized, random.nextInt(1 << 18));
                    }
                    work(cache, owner, random);
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      assertThat(owner.usage().hits()).isPositive();
      assertThat(cache.stats().regionBytes()).isLessThanOrEqualTo(1 << 20);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void work(HotCache cache, CacheOwner owner, SplittableRandom random) {
    long id = random.nextInt(3000);
    byte[] found = cache.get(owner, 1, id);
    if (found != null) {
      check(found, id);
    } else {
      cache.put(owner, 1, id, sealed(random, id), Reuse.UNKNOWN);
    }
    if (random.nextInt(50) == 0) {
      cache.put(owner, 1, id, sealed(random, id), Reuse.NEAR);
    } else if (random.nextInt(50) == 0) {
      cache.invalidate(1, id);
    }
  }

  @Test
  void closedCaches_giveTheirMemoryBack() {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    long before = direct.getMemoryUsed();
    for (int round = 0; round < 20; round++) {
      try (HotCache cache = new HotCache(new CacheSettings(32 << 20, PolicyName.ADAPTIVE))) {
        CacheOwner owner = cache.attach("a", 32 << 20);
        for (int i = 0; i < 700; i++) {
          cache.put(owner, 0, i, new byte[60_000], Reuse.UNKNOWN);
        }
      }
    }
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(direct.getMemoryUsed()).isLessThanOrEqualTo(before + (4 << 20));
            });
  }
}
