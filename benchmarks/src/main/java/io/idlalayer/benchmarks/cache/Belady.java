package io.idlalayer.benchmarks.cache;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The clairvoyant optimum: who is referenced again last leaves, or is not taken (Belady 1966). */
final class Belady {
  private Belady() {}

  static long hits(long[] keys, int capacity) {
    int[] next = new int[keys.length];
    Map<Long, Integer> seen = new HashMap<>();
    for (int i = keys.length - 1; i >= 0; i--) {
      Integer later = seen.put(keys[i], i);
      // Each never-again gets a time of its own, behind all others.
      next[i] = later == null ? keys.length + i : later;
    }
    TreeMap<Integer, Long> byNext = new TreeMap<>();
    Map<Long, Integer> resident = new HashMap<>();
    long hits = 0;
    for (int i = 0; i < keys.length; i++) {
      Integer expected = resident.get(keys[i]);
      if (expected != null) {
        hits++;
        byNext.remove(expected);
      } else if (resident.size() >= capacity) {
        Map.Entry<Integer, Long> last = byNext.lastEntry();
        if (last.getKey() < next[i]) {
          continue;
        }
        byNext.remove(last.getKey());
        resident.remove(last.getValue());
      }
      resident.put(keys[i], next[i]);
      byNext.put(next[i], keys[i]);
    }
    return hits;
  }
}
