package io.idlalayer.benchmarks.cache;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What a resident block costs beside its payload: off-heap memory held and heap of the books, by
 * payload bytes. Caches of 64 MiB, filled twice over with lookups in between, blocks of one length
 * and of lengths drawn between half and one and a half of it.
 */
public final class BlockOverheadExperiment {
  private static final long BYTES = 64L << 20;
  private static final int[] LENGTHS = {64, 256, 1_000, 4_000, 16_000, 64_000};

  private BlockOverheadExperiment() {}

  public static void main(String[] args) {
    System.out.println("| payload, bytes | policy | memory / payload | with books / payload |");
    System.out.println("|---|---|---|---|");
    for (int length : LENGTHS) {
      for (boolean mixed : new boolean[] {false, true}) {
        for (PolicyName policy :
            List.of(PolicyName.LRU, PolicyName.SRRIP, PolicyName.W_TINY_LFU, PolicyName.ADAPTIVE)) {
          CacheStats stats = filled(length, mixed, policy);
          System.out.printf(
              Locale.ROOT,
              "| %,d%s | %s | %.3f | %.3f |%n",
              length,
              mixed ? " ± half" : "",
              policy.key(),
              (double) stats.regionBytes() / stats.payloadBytes(),
              (double) (stats.regionBytes() + stats.metadataBytes()) / stats.payloadBytes());
        }
      }
    }
  }

  private static CacheStats filled(int length, boolean mixed, PolicyName policy) {
    SplittableRandom random = new SplittableRandom(1);
    try (HotCache cache = new HotCache(new CacheSettings(BYTES, policy))) {
      CacheOwner owner = cache.attach("overhead", BYTES);
      long count = 2 * BYTES / length;
      for (long id = 0; id < count; id++) {
        int bytes = mixed ? length / 2 + random.nextInt(length) : length;
        cache.put(owner, 0, id, new byte[bytes], Reuse.UNKNOWN);
        cache.get(owner, 0, random.nextLong(id + 1), new byte[0]);
      }
      return cache.stats();
    }
  }
}
