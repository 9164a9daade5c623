package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.ForwardingRowStore;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.sample.IdLists;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Full files of models with more tables than files that may be open. */
final class FullRowsTest {
  private static final int TABLES = 2 * FullRows.TABLES_AT_ONCE + 50;
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  @TempDir Path folder;

  private static EmbeddingPlan plan() {
    List<EmbeddingPlan.Table> tables = new ArrayList<>();
    List<EmbeddingPlan.Feature> features = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      tables.add(new EmbeddingPlan.Table("t" + i, 1, new RowLayout(1, RowUpdater.SGD)));
      features.add(new EmbeddingPlan.Feature(i, IdPooling.SUM, i));
    }
    return new EmbeddingPlan(tables, features, TABLES, TABLES);
  }

  /** Counts what is open each time that it is scanned. */
  private static final class CountingStore extends ForwardingRowStore {
    final List<Long> openParts = new ArrayList<>();

    CountingStore(RowStore to) {
      super(to);
    }

    @Override
    public Iterator<Map.Entry<Long, byte[]>> rows() {
      openParts.add(openParts());
      return super.rows();
    }

    private static long openParts() {
      if (!Files.isDirectory(OPEN_FILES)) {
        return -1;
      }
      try (Stream<Path> all = Files.list(OPEN_FILES)) {
        return all.filter(CountingStore::isPart).count();
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }

    private static boolean isPart(Path open) {
      try {
        return Files.readSymbolicLink(open).toString().endsWith(".part");
      } catch (IOException closedMeanwhile) {
        return false;
      }
    }
  }

  @Test
  void writeAll_ofManyTables_hasFewFilesOpenAndAllRows() throws Exception {
    EmbeddingPlan plan = plan();
    CountingStore store = new CountingStore(new InMemoryRowStore());
    RowTables tables = new RowTables(plan, new RowRule(0.1, 0.5, 7), RowSettings.DEFAULT, store);
    long[] keys = new long[TABLES];
    for (int id = 0; id < 3; id++) {
      for (int i = 0; i < TABLES; i++) {
        keys[i] = 2L + id + (i % 5);
      }
      List<IdLists> samples = List.of(IdLists.single(keys.clone()));
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      batch.update(samples, new float[plan.width()]);
      tables.commit(batch, 1);
    }
    Path all = folder.resolve("all");
    assertThat(tables.writeAll(folder, all)).isEqualTo(3L * TABLES);
    if (Files.isDirectory(OPEN_FILES)) {
      long most = FullRows.TABLES_AT_ONCE;
      assertThat(store.openParts).containsExactly(most, most, TABLES - 2 * most);
    }
    RowFile.Reader reader = new RowFile.Reader(new ByteArrayInputStream(Files.readAllBytes(all)));
    assertThat(reader.tables()).isEqualTo(TABLES);
    for (int table = 0; table < TABLES; table++) {
      assertThat(reader.nextTable().name()).isEqualTo("t" + table);
      List<Long> found = new ArrayList<>();
      while (reader.next()) {
        found.add(reader.key());
      }
      long first = 2L + table % 5;
      assertThat(found).containsExactlyInAnyOrder(first, first + 1, first + 2);
    }
    reader.checkEnd();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(all);
    }
  }
}
