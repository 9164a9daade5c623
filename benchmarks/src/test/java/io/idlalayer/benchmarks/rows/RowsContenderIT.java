package io.idlalayer.benchmarks.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All contenders compute the same sums, before and after training. */
final class RowsContenderIT {
  private static final long MEMORY_BYTES = 64L << 20;
  private static final BenchTable TABLE = new BenchTable(500, 4);

  /** Returns the sums of the first batch, and of one after five trainings. */
  private static float[][] sums(RowsContender contender) {
    IdStream ids = IdStream.zipf(TABLE.rows(), 1, 1, 0, 0);
    float[][] sums = new float[2][20 * TABLE.dim()];
    contender.lookup(IdBatch.of(ids, 20, 3), sums[0]);
    float[] gradients = new float[20 * TABLE.dim()];
    for (int i = 0; i < gradients.length; i++) {
      gradients[i] = i * 0.5f;
    }
    for (int step = 0; step < 5; step++) {
      contender.train(IdBatch.of(ids, 20, 3), new float[gradients.length], gradients);
    }
    contender.lookup(IdBatch.of(ids, 20, 3), sums[1]);
    return sums;
  }

  @Test
  void caffeine_sameIds_sameSums(@TempDir Path folder) throws IOException {
    float[][] expected = sums(new ArrayContender(TABLE));
    for (boolean together : new boolean[] {false, true}) {
      Path files = Files.createDirectories(folder.resolve("together-" + together));
      try (RocksDbRows store = new RocksDbRows(files, MEMORY_BYTES)) {
        TABLE.fill(store::write);
        float[][] found = sums(new CaffeineContender(TABLE, store, together, 4_000, 100));
        assertThat(found[0]).as("%s", together).containsExactly(expected[0]);
        assertThat(found[1]).as("%s", together).containsExactly(expected[1]);
      }
    }
  }

  @Test
  void tables_sameIds_sameSums(@TempDir Path folder) throws IOException {
    float[][] expected = sums(new ArrayContender(TABLE));
    for (RowPolicyName policy : RowPolicyName.values()) {
      String name = policy.name();
      try (JobRows rows = new JobRows(folder.resolve(name), MEMORY_BYTES)) {
        TABLE.fill(rows.store()::write);
        float[][] found = sums(new TablesContender(name, TABLE, policy, 4_000, rows.store()));
        assertThat(found[0]).as(name).containsExactly(expected[0]);
        assertThat(found[1]).as(name).containsExactly(expected[1]);
      }
    }
  }
}
