package io.idlalayer.middleware.embedding.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.ForwardingRowStore;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows that are served are those of the learner, whichever files they were read from: all of the
 * chain, those after any earlier version, or one that the learner has written itself.
 */
final class ServedRowsPropertyTest {
  private static final int IDS = 50;

  private static EmbeddingPlan plan() {
    return new EmbeddingPlan(
        List.of(
            new EmbeddingPlan.Table("users", 3, new RowLayout(4, RowUpdater.ADAGRAD)),
            new EmbeddingPlan.Table("items", 2, new RowLayout(3, RowUpdater.ADAGRAD))),
        List.of(
            new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
            new EmbeddingPlan.Feature(1, IdPooling.MEAN, 3)),
        5,
        6);
  }

  private static RowTables tables(RowSettings settings, RowStore store) {
    return new RowTables(plan(), new RowRule(0.1, 0.5, 7), settings, store);
  }

  private static List<IdLists> samples(SplittableRandom random) {
    List<IdLists> samples = new ArrayList<>();
    int count = random.nextInt(1, 8);
    for (int i = 0; i < count; i++) {
      samples.add(IdLists.single(random.nextInt(2, IDS), random.nextInt(2, IDS)));
    }
    return samples;
  }

  private static byte[] trained(RowTables tables, List<IdLists> samples, long nowSeconds) {
    SplittableRandom random = new SplittableRandom(nowSeconds);
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    float[] errors = new float[samples.size() * plan().width()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1, 1);
    }
    batch.update(samples, errors);
    tables.commit(batch, nowSeconds);
    return RowChanges.of(batch, tables.takeRemoved());
  }

  private static List<IdLists> all() {
    return IntStream.range(2, IDS + 5).mapToObj(id -> IdLists.single(id, id)).toList();
  }

  private static float[] columns(IdVectors vectors) {
    List<IdLists> all = all();
    float[] input = new float[all.size() * plan().width()];
    for (int i = 0; i < all.size(); i++) {
      vectors.fill(all.get(i), input, i * plan().width());
    }
    return input;
  }

  private static List<RowFile.Reader> newestFirst(List<byte[]> files) throws IOException {
    List<RowFile.Reader> readers = new ArrayList<>();
    for (byte[] file : files) {
      readers.add(0, new RowFile.Reader(new ByteArrayInputStream(file)));
    }
    return readers;
  }

  /** Few are put together on the heap, many on the disk. */
  private static long bytes(SplittableRandom random) {
    return random.nextBoolean() ? 0 : Long.MAX_VALUE;
  }

  private static byte[] written(RowTables tables, Path folder) throws IOException {
    Path file = folder.resolve("all");
    tables.writeAll(folder, file);
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    return bytes;
  }

  @Property(tries = 12)
  void servedRows_anyHistory_equalTheLearners(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Path folder = Files.createTempDirectory("rows");
    RowSettings settings =
        new RowSettings(
            random.nextInt(3_000),
            RowPolicyName.DYNAMIC,
            random.nextInt(1, 3),
            1_000,
            Expiry.unused(1_500));
    RowTables tables = tables(settings, new InMemoryRowStore());
    RowsFolder maps = RowsFolder.open(folder.resolve("maps"));
    List<byte[]> chain = new ArrayList<>();
    List<ServedRows> versions = new ArrayList<>();
    List<ServedRows> mapped = new ArrayList<>();
    List<float[]> expected = new ArrayList<>();
    long now = 1_000;
    for (int version = 0; version < 12; version++) {
      if (random.nextInt(4) == 0) {
        now += 1_000;
        for (int i = 0; i < 5; i++) {
          tables.maintain(now);
        }
      }
      byte[] changes = trained(tables, samples(random), ++now);
      while (random.nextInt(4) == 0) {
        changes = RowChanges.merged(changes, trained(tables, samples(random), ++now));
      }
      chain.add(chain.isEmpty() ? RowChanges.full(changes) : changes);
      float[] right = columns(tables.gather(all()));
      expected.add(right);
      ServedRows scratch = ServedRows.read(plan(), newestFirst(chain), null);
      assertThat(columns(scratch)).containsExactly(right);
      ServedRows scratchMapped = ServedRows.read(plan(), newestFirst(chain), maps);
      assertThat(columns(scratchMapped)).containsExactly(right);
      assertThat(scratchMapped.rows()).isEqualTo(scratch.rows());
      for (int from = 0; from < versions.size(); from++) {
        ServedRows next =
            versions.get(from).next(newestFirst(chain.subList(from + 1, chain.size())), 0);
        assertThat(columns(next)).containsExactly(right);
        assertThat(next.rows()).isEqualTo(scratch.rows());
        try (ServedRows nextMapped =
            mapped
                .get(from)
                .next(newestFirst(chain.subList(from + 1, chain.size())), bytes(random))) {
          assertThat(columns(nextMapped)).containsExactly(right);
          assertThat(nextMapped.rows()).isEqualTo(scratch.rows());
        }
      }
      for (int from = 0; from < versions.size(); from++) {
        assertThat(columns(versions.get(from))).containsExactly(expected.get(from));
        assertThat(columns(mapped.get(from))).containsExactly(expected.get(from));
      }
      boolean oneByOne = !versions.isEmpty() && random.nextBoolean();
      versions.add(
          oneByOne
              ? versions.get(version - 1).next(newestFirst(List.of(chain.get(version))), 0)
              : scratch);
      if (oneByOne) {
        scratchMapped.close();
        scratchMapped =
            mapped.get(version - 1).next(newestFirst(List.of(chain.get(version))), bytes(random));
      }
      mapped.add(scratchMapped);
      ByteArrayOutputStream merged = new ByteArrayOutputStream();
      RowFile.merge(newestFirst(chain), merged);
      assertThat(written(tables, folder)).isEqualTo(merged.toByteArray());
      // The learner does not count the rows of unknown ids.
      assertThat(scratch.rows() - tables.usage(StoreTraffic.NONE).rows()).isBetween(0L, 2L);
    }
    while (!mapped.isEmpty()) {
      mapped.remove(random.nextInt(mapped.size())).close();
      for (ServedRows left : mapped) {
        assertThat(columns(left)).hasSize(all().size() * plan().width());
      }
    }
    assertThat(maps.path()).isEmptyDirectory();
    Files.delete(maps.path());
    Files.delete(folder);
  }

  @Test
  void read_entriesOutOfOrder_isRefused() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RowFile.Writer writer = new RowFile.Writer(bytes, RowFile.Kind.FULL, 1);
    writer.table(new RowFile.Table("users", 1, 1));
    EmbeddingPlan.Table table =
        new EmbeddingPlan.Table("users", 1, new RowLayout(1, RowUpdater.SGD));
    boolean ascending = Long.compareUnsigned(table.rowKey(2), table.rowKey(3)) < 0;
    writer.row(ascending ? 3 : 2, new float[] {1}, 0);
    writer.row(ascending ? 2 : 3, new float[] {1}, 0);
    writer.end();
    writer.flush();
    EmbeddingPlan plan = new EmbeddingPlan(List.of(table), List.of(), 0, 0);
    assertThatThrownBy(() -> ServedRows.read(plan, newestFirst(List.of(bytes.toByteArray())), null))
        .hasMessageContaining("not in order");
  }

  @Test
  void writeAll_storeOutOfOrder_isRefusedAndLeavesNothing(@TempDir Path folder) {
    RowStore store =
        new ForwardingRowStore(new InMemoryRowStore()) {
          @Override
          public java.util.Iterator<java.util.Map.Entry<Long, byte[]>> rows() {
            List<java.util.Map.Entry<Long, byte[]>> reversed = new ArrayList<>();
            super.rows().forEachRemaining(each -> reversed.add(0, each));
            return reversed.iterator();
          }
        };
    RowTables tables = tables(RowSettings.DEFAULT, store);
    trained(tables, all(), 1);
    assertThatThrownBy(() -> tables.writeAll(folder, folder.resolve("all")))
        .hasMessageContaining("not in order");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void read_filesOfAnotherModelOrKind_isRefused() throws IOException {
    RowTables tables = tables(RowSettings.DEFAULT, new InMemoryRowStore());
    byte[] delta = trained(tables, all(), 1);
    byte[] full = RowChanges.full(delta);
    EmbeddingPlan other =
        new EmbeddingPlan(plan().tables().subList(0, 1), List.of(), 0, plan().width());
    assertThatThrownBy(() -> ServedRows.read(other, newestFirst(List.of(full)), null))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> ServedRows.read(plan(), newestFirst(List.of(delta)), null))
        .isInstanceOf(IOException.class);
    ServedRows rows = ServedRows.read(plan(), newestFirst(List.of(full)), null);
    assertThatThrownBy(() -> rows.next(newestFirst(List.of(full)), 0))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> rows.next(newestFirst(List.of(Arrays.copyOf(delta, 90))), 0))
        .isInstanceOf(IOException.class);
    assertThat(columns(rows)).containsExactly(columns(tables.gather(all())));
  }

  private static List<IdLists> range(int from, int to) {
    return IntStream.range(from, to).mapToObj(id -> IdLists.single(id, id)).toList();
  }

  /** What a store holds must not end a process that serves. */
  @Test
  void rows_thatTakeMoreHeapThanIsLeft_areRefused() throws IOException {
    RowTables tables = tables(RowSettings.DEFAULT, new InMemoryRowStore());
    byte[] full = RowChanges.full(trained(tables, range(2, 502), 1));
    ServedRows rows = ServedRows.read(plan(), newestFirst(List.of(full)), null);
    long most = rows.bytes();
    assertThat(most).isGreaterThan(500 * (4 + 3 + 2 * 2) * 4);
    ServedRows limited = ServedRows.read(plan(), newestFirst(List.of(full)), null, most, most);
    assertThat(limited.bytes()).isEqualTo(most);
    assertThatThrownBy(
            () -> ServedRows.read(plan(), newestFirst(List.of(full)), null, most / 2, most))
        .hasMessageContaining("of heap that are left for them; give the process a larger heap");
    assertThatThrownBy(
            () -> ServedRows.read(plan(), newestFirst(List.of(full)), null, most, most / 2))
        .isInstanceOf(IOException.class);
    byte[] more = trained(tables, range(502, 4_000), 2);
    assertThatThrownBy(() -> limited.next(newestFirst(List.of(more)), 0))
        .hasMessageContaining("of heap that are left for them");
    assertThat(columns(limited)).as("the rows in service").containsExactly(columns(rows));
    ServedRows free = ServedRows.read(plan(), newestFirst(List.of(full)), null);
    assertThat(columns(free.next(newestFirst(List.of(more)), 0)))
        .containsExactly(columns(tables.gather(all())));
  }

  /** A table of one row must not take a page: models may have hundreds of them. */
  @Test
  void rows_ofSmallTables_takeLittle() throws IOException {
    RowTables tables = tables(RowSettings.DEFAULT, new InMemoryRowStore());
    byte[] full = RowChanges.full(trained(tables, List.of(IdLists.single(2, 3)), 1));
    assertThat(ServedRows.read(plan(), newestFirst(List.of(full)), null).bytes()).isLessThan(2_000);
  }

  @Test
  void fill_unknownId_givesTheUnknownRowAndCounts() throws IOException {
    RowTables tables = tables(RowSettings.DEFAULT, new InMemoryRowStore());
    byte[] full = RowChanges.full(trained(tables, List.of(IdLists.single(2, 3)), 1));
    ServedRows rows = ServedRows.read(plan(), newestFirst(List.of(full)), null);
    float[] input = new float[plan().width()];
    rows.fill(IdLists.single(77, 3), input, 0);
    assertThat(Arrays.copyOf(input, 3)).containsExactly(0, 0, 0);
    assertThat(rows.unknownIds()).isEqualTo(1);
    assertThat(rows.rows()).isEqualTo(2);
    byte[] delta = trained(tables, List.of(IdLists.single(2, 3)), 2);
    ServedRows next = rows.next(newestFirst(List.of(delta)), 0);
    next.fill(IdLists.single(77, 3), input, 0);
    assertThat(next.unknownIds()).as("of both versions").isEqualTo(2);
    ServedRows whole = ServedRows.read(plan(), newestFirst(List.of(full)), null);
    assertThat(whole.unknownIds()).isZero();
    assertThat(whole.countingAfter(next).unknownIds()).isEqualTo(2);
  }

  @Test
  void delta_fewRowsTouched_isMuchSmaller() {
    RowTables tables = tables(RowSettings.DEFAULT, new InMemoryRowStore());
    List<IdLists> many = IntStream.range(2, 2_002).mapToObj(id -> IdLists.single(id, id)).toList();
    byte[] full = RowChanges.full(trained(tables, many, 1));
    byte[] delta = trained(tables, many.subList(0, 100), 2);
    assertThat(delta.length).isLessThanOrEqualTo(full.length / 10);
    assertThat(RowChanges.entries(delta)).isEqualTo(200);
  }
}
