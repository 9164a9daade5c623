package io.idlalayer.benchmarks.cache;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Hit ratios of the whole hot cache, payloads of 1,000 bytes and all, where the ghosts of the
 * adaptive policy have to be thrifty. Arguments: traces of one decimal key a line.
 */
public final class PayloadTraceExperiment {
  private static final int PAYLOAD_BYTES = 1_000;
  private static final int BLOCK_BYTES = 1_008;
  private static final int[] PERCENTS = {1, 3, 10, 25, 50};

  private PayloadTraceExperiment() {}

  public static void main(String[] args) throws IOException {
    StringBuilder head = new StringBuilder("| trace | capacity in percent of keys |");
    for (PolicyName policy : PolicyName.values()) {
      head.append(' ').append(policy.key()).append(" |");
    }
    System.out.println(head);
    System.out.println("|---|---|" + "---|".repeat(PolicyName.values().length));
    for (String file : args) {
      CacheTrace trace = CacheTrace.read(Path.of(file), TraceFormat.KEYS);
      for (int percent : PERCENTS) {
        String name = String.valueOf(Path.of(file).getFileName());
        StringBuilder row = new StringBuilder("| %s | %d |".formatted(name, percent));
        for (PolicyName policy : PolicyName.values()) {
          row.append(String.format(Locale.ROOT, " %.4f |", hitRatio(trace, percent, policy)));
        }
        System.out.println(row);
      }
    }
  }

  private static double hitRatio(CacheTrace trace, int percent, PolicyName policy) {
    long bytes = (long) trace.distinct() * percent / 100 * BLOCK_BYTES;
    byte[] payload = new byte[PAYLOAD_BYTES];
    long hits = 0;
    try (HotCache cache = new HotCache(new CacheSettings(bytes, policy))) {
      CacheOwner owner = cache.attach("trace", bytes);
      for (long id : trace.keys()) {
        if (cache.get(owner, 0, id, payload) >= 0) {
          hits++;
        } else {
          cache.put(owner, 0, id, payload, Reuse.UNKNOWN);
        }
      }
    }
    return (double) hits / trace.keys().length;
  }
}
