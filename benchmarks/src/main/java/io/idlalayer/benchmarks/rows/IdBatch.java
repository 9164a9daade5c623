package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;

/**
 * The lookups of a batch, in both forms that contenders take.
 *
 * @param ids ids of all outputs, {@code accesses} for each
 * @param samples these ids as samples
 */
record IdBatch(int[] ids, int accesses, List<IdLists> samples) {
  /** The next ids of a stream. */
  static IdBatch of(IdStream stream, int outputs, int accesses) {
    int[] ids = new int[outputs * accesses];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = stream.next();
    }
    return of(ids, accesses);
  }

  static IdBatch of(int[] ids, int accesses) {
    List<IdLists> samples = new ArrayList<>();
    for (int from = 0; from + accesses <= ids.length; from += accesses) {
      long[] keys = new long[accesses];
      for (int i = 0; i < accesses; i++) {
        keys[i] = BenchTable.key(ids[from + i]);
      }
      samples.add(new IdLists(keys, new int[] {accesses}));
    }
    return new IdBatch(ids, accesses, samples);
  }

  int outputs() {
    return samples.size();
  }
}
