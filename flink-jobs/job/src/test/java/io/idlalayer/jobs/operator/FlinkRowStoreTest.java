package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.Admission;
import io.idlalayer.middleware.embedding.EmbeddingPlan;
import io.idlalayer.middleware.embedding.Expiry;
import io.idlalayer.middleware.embedding.InMemoryRowStore;
import io.idlalayer.middleware.embedding.Pooling;
import io.idlalayer.middleware.embedding.RowBatch;
import io.idlalayer.middleware.embedding.RowLayout;
import io.idlalayer.middleware.embedding.RowLog;
import io.idlalayer.middleware.embedding.RowPolicyName;
import io.idlalayer.middleware.embedding.RowRule;
import io.idlalayer.middleware.embedding.RowSettings;
import io.idlalayer.middleware.embedding.RowStore;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.embedding.RowUpdater;
import io.idlalayer.middleware.sample.IdLists;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows in real keyed state in a real RocksDB agree with rows in maps. */
final class FlinkRowStoreTest {
  private static final int KEYS = 400;

  @TempDir Path folder;
  private KeyedStateHarness harness;
  private RowStore store;

  private void open(@Nullable OperatorSubtaskState snapshot) throws Exception {
    harness = new KeyedStateHarness(folder, snapshot);
    store = harness.state().rows();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static Map<Long, List<Byte>> content(Iterator<Map.Entry<Long, byte[]>> rows) {
    Map<Long, List<Byte>> content = new HashMap<>();
    rows.forEachRemaining(each -> content.put(each.getKey(), bytes(each.getValue())));
    return content;
  }

  private static List<Byte> bytes(byte[] row) {
    List<Byte> bytes = new ArrayList<>();
    for (byte each : row) {
      bytes.add(each);
    }
    return bytes;
  }

  @Test
  void randomSteps_agreeWithMaps() throws Exception {
    open(null);
    InMemoryRowStore model = new InMemoryRowStore();
    SplittableRandom random = new SplittableRandom(3);
    long entry = 1;
    for (int step = 0; step < 400; step++) {
      long key = random.nextInt(KEYS) * 0x9E3779B97F4A7C15L;
      byte[] row = new byte[1 + random.nextInt(40)];
      row[0] = (byte) step;
      if (random.nextInt(10) == 0) {
        Map<Long, byte[]> blocks = Map.of(key % 7, row);
        store.writeFilter(blocks);
        model.writeFilter(blocks);
      }
      if (step == 150) {
        store.clearFilter();
        model.clearFilter();
      }
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          store.write(Map.of(key, row));
          model.write(Map.of(key, row));
        }
        case 2 -> {
          store.remove(new long[] {key, key + 1}, 2);
          model.remove(new long[] {key, key + 1}, 2);
        }
        case 3 -> {
          log(store, step).append(entry, row);
          log(model, step).append(entry, row);
          entry++;
        }
        default -> {
          if (random.nextInt(4) == 0) {
            log(store, step).forget(1, entry / 2);
            log(model, step).forget(1, entry / 2);
          }
        }
      }
      Map<Integer, List<Byte>> found = new HashMap<>();
      Map<Integer, List<Byte>> expected = new HashMap<>();
      long[] asked = {key, key + 7, random.nextInt(KEYS) * 0x9E3779B97F4A7C15L};
      store.read(asked, 3, (i, bytes) -> found.put(i, bytes(bytes)));
      model.read(asked, 3, (i, bytes) -> expected.put(i, bytes(bytes)));
      assertThat(found).isEqualTo(expected);
    }
    assertThat(content(store.rows())).isEqualTo(content(model.rows()));
    assertThat(content(store.filter())).isNotEmpty().isEqualTo(content(model.filter()));
    for (int which = 0; which < 2; which++) {
      assertThat(content(log(store, which).entries().iterator()))
          .isNotEmpty()
          .isEqualTo(content(log(model, which).entries().iterator()));
      List<Long> numbers = new ArrayList<>();
      log(store, which).entries().forEach(each -> numbers.add(each.getKey()));
      assertThat(numbers).isSorted();
    }
  }

  private static RowLog log(RowStore of, int which) {
    return which % 2 == 0 ? of.changes() : of.history();
  }

  @Test
  void rows_iteratorHeldWhileOthersAreWrittenAndTheKeyChanges_seesNearlyAll() throws Exception {
    open(null);
    Map<Long, byte[]> rows = new HashMap<>();
    for (long i = 0; i < 1_000; i++) {
      rows.put(i * 0x9E3779B97F4A7C15L, new byte[] {(byte) i});
    }
    store.write(rows);
    Iterator<Map.Entry<Long, byte[]>> iterator = store.rows();
    Map<Long, List<Byte>> seen = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      Map.Entry<Long, byte[]> each = iterator.next();
      seen.put(each.getKey(), bytes(each.getValue()));
      store.remove(new long[] {each.getKey()}, 1);
    }
    harness.key("another key");
    store.write(Map.of(5L, new byte[] {1}));
    harness.key("key");
    iterator.forEachRemaining(each -> seen.put(each.getKey(), bytes(each.getValue())));
    Map<Long, List<Byte>> all = content(rows.entrySet().iterator());
    assertThat(all).containsAllEntriesOf(seen);
    // Flink reads on behind the last row it has given; if that was deleted, it passes over the
    // next.
    assertThat(seen).hasSizeGreaterThan(990);
    assertThat(content(store.rows())).hasSize(700);
  }

  /** Some of them differ in the lowest bits only, and every third is not there. */
  @Test
  void read_manyKeys_findsEachOnceInTheOrderOfTheStore() throws Exception {
    open(null);
    SplittableRandom random = new SplittableRandom(2);
    for (int count : new int[] {0, 1, 2, 3, 255, 256, 257, 3_000}) {
      long[] keys = new long[count + 5];
      Map<Long, byte[]> rows = new HashMap<>();
      for (int i = 0; i < keys.length; i++) {
        keys[i] = i % 4 == 3 ? keys[i - 1] ^ 1 : random.nextLong();
        if (i % 3 != 0) {
          rows.put(keys[i], new byte[] {(byte) i, (byte) (i >> 8)});
        }
      }
      store.write(rows);
      List<Integer> found = new ArrayList<>();
      store.read(
          keys,
          count,
          (i, row) -> {
            assertThat(row).isEqualTo(rows.get(keys[i]));
            found.add(i);
          });
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        if (rows.containsKey(keys[i])) {
          expected.add(i);
        }
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
      List<Long> upperBits = found.stream().map(i -> keys[i] >>> 32).toList();
      assertThat(upperBits).isSorted();
    }
  }

  /** Files of all rows are written in the order of the store. */
  @Test
  void rows_keysOfAllSizes_ascendAsUnsignedNumbers() throws Exception {
    open(null);
    Map<Long, byte[]> rows = new HashMap<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      rows.put(random.nextLong() >> random.nextInt(64), new byte[] {(byte) i});
    }
    store.write(rows);
    List<Long> found = new ArrayList<>();
    store.rows().forEachRemaining(row -> found.add(row.getKey()));
    Long[] expected = rows.keySet().toArray(Long[]::new);
    Arrays.sort(expected, Long::compareUnsigned);
    assertThat(found).containsExactly(expected);
  }

  @Test
  void tables_snapshotAndRestore_areOfOneInstant() throws Exception {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(new EmbeddingPlan.Table("ids", 4, new RowLayout(4, RowUpdater.ADAGRAD))),
            List.of(new EmbeddingPlan.Feature(0, Pooling.SUM, 0)),
            4,
            4);
    RowRule rule = new RowRule(0.1, 0.5, 1);
    RowSettings settings =
        new RowSettings(
            20_000,
            RowSettings.UNBOUNDED,
            RowPolicyName.FREQUENCY,
            new Admission(2, Admission.Counter.BLOOM, new Admission.Bloom(1_000, 0.01)),
            1_000,
            Expiry.NEVER);
    open(null);
    RowTables tables = new RowTables(plan, rule, settings, store);
    SplittableRandom random = new SplittableRandom(5);
    List<IdLists> all = new ArrayList<>();
    for (long id = 2; id < KEYS; id++) {
      all.add(IdLists.single(id));
    }
    OperatorSubtaskState snapshot = null;
    byte[] state = {};
    float[] then = {};
    Map<Long, List<Byte>> filter = Map.of();
    for (int update = 0; update < 60; update++) {
      List<IdLists> samples = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        samples.add(all.get(random.nextInt(all.size())));
      }
      RowBatch batch = tables.gatherToTrain(samples, List.of());
      float[] errors = new float[30 * 4];
      for (int i = 0; i < errors.length; i++) {
        errors[i] = (float) random.nextDouble();
      }
      batch.update(samples, errors);
      tables.commit(batch, update);
      if (update == 40) {
        then = vectors(tables, all);
        tables.write();
        state = tables.snapshot();
        filter = content(store.filter());
        snapshot = harness.snapshot();
      }
    }
    assertThat(vectors(tables, all)).isNotEqualTo(then);
    assertThat(content(store.filter())).isNotEqualTo(filter);
    harness.close();
    open(snapshot);
    RowTables restored = new RowTables(plan, rule, settings, store);
    restored.restore(state);
    assertThat(vectors(restored, all)).containsExactly(then);
    assertThat(content(store.filter())).isNotEmpty().isEqualTo(filter);
  }

  private static float[] vectors(RowTables tables, List<IdLists> ids) {
    RowBatch batch = tables.gather(ids);
    float[] vectors = new float[ids.size() * 4];
    for (int i = 0; i < ids.size(); i++) {
      batch.fill(ids.get(i), vectors, 4 * i);
    }
    return vectors;
  }
}
