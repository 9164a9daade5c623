package io.idlalayer.middleware.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/** Rows with copies in a mapped file are those of the store, whatever happens to the file. */
final class MappedRowCopiesPropertyTest {
  private static final int ROWS = 40;
  private static final RowLayout USER = new RowLayout(4, RowUpdater.ADAGRAD);
  private static final RowLayout ITEM = new RowLayout(17, RowUpdater.SGD);

  /** Two tables of fixed size, rows of 56 and 92 bytes, and an open one between them. */
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(
              new EmbeddingPlan.Table("users", 4, USER, RowIndex.number(ROWS)),
              new EmbeddingPlan.Table("tags", 4, USER, RowIndex.OPEN),
              new EmbeddingPlan.Table("items", 17, ITEM, RowIndex.hash(ROWS))),
          List.of(
              new EmbeddingPlan.Feature(0, Pooling.SUM, 0),
              new EmbeddingPlan.Feature(1, Pooling.SUM, 4),
              new EmbeddingPlan.Feature(2, Pooling.MEAN, 8)),
          25,
          25);

  private static final MappedSlots.UsableBytes ROOM = file -> 1L << 40;

  private Path folder = Path.of("");

  @BeforeProperty
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("copies");
  }

  @AfterProperty
  void deleteFolder() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private MappedRowCopies open(RowStore store) throws IOException {
    return MappedRowCopies.open(store, PLAN, RowsFolder.open(folder));
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  /** Counts the rows that are asked for. */
  private static final class CountingStore extends ForwardingRowStore {
    long asked;

    CountingStore(RowStore to) {
      super(to);
    }

    @Override
    public void read(long[] rowKeys, int count, RowReader reader) {
      asked += count;
      super.read(rowKeys, count, reader);
    }
  }

  private static long anyRowKey(SplittableRandom random) {
    EmbeddingPlan.Table table = PLAN.tables().get(random.nextInt(3));
    return table.rowKey(random.nextInt(ROWS + 2));
  }

  private static byte[] anyRow(long rowKey, SplittableRandom random) {
    for (int i = 0; i < PLAN.tables().size(); i++) {
      EmbeddingPlan.Table table = PLAN.tables().get(i);
      long key = table.key(rowKey);
      if (key >= 0 && key < ROWS + 2) {
        float[] values = new float[table.layout().stride()];
        for (int k = 0; k < values.length; k++) {
          values[k] = (float) random.nextDouble();
        }
        return new StoredRow(i, RowSet.Kind.ROW, key, random.nextInt(9), 5, 1)
            .encode(values, 0, values.length);
      }
    }
    throw new AssertionError("row key " + rowKey + " is of no table");
  }

  private static Map<Long, byte[]> read(RowStore store, long[] rowKeys) {
    Map<Long, byte[]> found = new HashMap<>();
    store.read(
        rowKeys,
        rowKeys.length,
        (i, row) -> assertThat(found.put(rowKeys[i], row)).as("told once").isNull());
    return found;
  }

  private static void assertSame(Map<Long, byte[]> rows, Map<Long, byte[]> expected) {
    assertThat(rows.keySet()).isEqualTo(expected.keySet());
    rows.forEach((key, row) -> assertThat(row).isEqualTo(expected.get(key)));
  }

  private static long[] distinct(SplittableRandom random) {
    return random
        .ints(random.nextInt(1, 20), 0, 1)
        .mapToLong(i -> anyRowKey(random))
        .distinct()
        .toArray();
  }

  @Property(tries = 300)
  void read_afterAnyCalls_isWhatTheStoreHas(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    InMemoryRowStore model = new InMemoryRowStore();
    CountingStore counting = new CountingStore(model);
    MappedRowCopies copies = open(counting);
    try {
      for (int step = 0; step < 60; step++) {
        long[] keys = distinct(random);
        switch (random.nextInt(5)) {
          case 0 -> {
            Map<Long, byte[]> rows = new TreeMap<>();
            Arrays.stream(keys).forEach(key -> rows.put(key, anyRow(key, random)));
            copies.write(rows);
          }
          case 1 -> copies.remove(keys, random.nextInt(keys.length + 1));
          case 2 -> {
            // As after a restart: the file is new, the store is not.
            if (random.nextInt(5) == 0) {
              copies.close();
              copies = open(counting);
            }
          }
          default -> {
            Map<Long, byte[]> expected = read(model, keys);
            assertSame(read(copies, keys), expected);
            counting.asked = 0;
            assertSame(read(copies, keys), expected);
            assertThat(counting.asked)
                .as("only rows of the open table are searched twice")
                .isEqualTo(Arrays.stream(keys).filter(MappedRowCopiesPropertyTest::ofTags).count());
          }
        }
      }
      assertThat(copies.usage().bytes()).isLessThanOrEqualTo(copies.usage().rows() * 128);
    } finally {
      copies.close();
    }
    assertThat(files()).isZero();
  }

  private static boolean ofTags(long rowKey) {
    long key = PLAN.tables().get(1).key(rowKey);
    return key >= 0 && key < ROWS + 2;
  }

  /** A row that is read may drive another out, which is written while the read goes on. */
  @Property(tries = 200)
  void read_withAReaderThatWrites_losesNoWrite(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    InMemoryRowStore model = new InMemoryRowStore();
    // As after a restart: rows that the file does not have.
    for (int i = 0; i < ROWS; i++) {
      long before = anyRowKey(random);
      model.write(Map.of(before, anyRow(before, random)));
    }
    try (MappedRowCopies copies = open(model)) {
      for (int step = 0; step < 30; step++) {
        long[] keys = distinct(random);
        copies.read(
            keys,
            keys.length,
            (i, row) -> {
              long other = random.nextBoolean() ? keys[i] : anyRowKey(random);
              copies.write(Map.of(other, anyRow(other, random)));
            });
        long other = anyRowKey(random);
        copies.write(Map.of(other, anyRow(other, random)));
        long[] asked = distinct(random);
        assertSame(read(copies, asked), read(model, asked));
      }
    }
  }

  private static List<IdLists> samples(SplittableRandom random) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = random.nextInt(1, 9); i > 0; i--) {
      samples.add(
          IdLists.single(
              random.nextInt(ROWS + 2), random.nextInt(2, 90), random.nextInt(ROWS + 2)));
    }
    return samples;
  }

  private static RowTables tables(RowStore store) {
    RowSettings little = new RowSettings(700, RowPolicyName.DYNAMIC, 1, 1_000, Expiry.NEVER);
    return new RowTables(
        PLAN, new RowRule(0.1, 0.5, 7), little, store, 2_000, 1 << 20, ProcessLoops.LOOPS);
  }

  private static float[] trained(RowTables tables, List<IdLists> samples, long seed) {
    int width = PLAN.width();
    float[] before = new float[samples.size() * width];
    RowBatch read = tables.gather(samples);
    for (int i = 0; i < samples.size(); i++) {
      read.fill(samples.get(i), before, i * width);
    }
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    SplittableRandom random = new SplittableRandom(seed);
    float[] errors = new float[before.length];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1, 1);
    }
    batch.update(samples, errors);
    tables.commit(batch, seed);
    tables.write();
    tables.maintain(seed);
    return before;
  }

  /** With a crash now and then, back to the last checkpoint, and a disk that fails at last. */
  @Property(tries = 150)
  void tables_overCopies_learnTheSameBitForBit(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    InMemoryRowStore plain = new InMemoryRowStore();
    InMemoryRowStore behind = new InMemoryRowStore();
    MappedRowCopies copies = open(behind);
    RowTables expected = tables(plain);
    RowTables of = tables(copies);
    InMemoryRowStore plainSaved = plain.copy();
    InMemoryRowStore behindSaved = behind.copy();
    byte[] saved = expected.snapshot();
    int giveUpAt = random.nextInt(60);
    try {
      for (int update = 1; update <= 30; update++) {
        List<IdLists> samples = samples(random);
        assertThat(trained(of, samples, update)).isEqualTo(trained(expected, samples, update));
        if (update == giveUpAt) {
          copies.close();
        }
        switch (random.nextInt(6)) {
          case 0 -> {
            saved = expected.snapshot();
            assertThat(of.snapshot()).isEqualTo(saved);
            plainSaved = plain.copy();
            behindSaved = behind.copy();
          }
          case 1 -> {
            copies.close();
            plain = plainSaved.copy();
            behind = behindSaved.copy();
            copies = open(behind);
            expected = tables(plain);
            of = tables(copies);
            expected.restore(saved);
            of.restore(saved);
          }
          default -> {}
        }
      }
      expected.flush();
      of.flush();
      Map<Long, byte[]> all = new HashMap<>();
      plain.rows().forEachRemaining(row -> all.put(row.getKey(), row.getValue()));
      Map<Long, byte[]> allBehind = new HashMap<>();
      behind.rows().forEachRemaining(row -> allBehind.put(row.getKey(), row.getValue()));
      assertSame(allBehind, all);
    } finally {
      copies.close();
    }
  }

  private MappedSlots slots(FaultyChannel.Call fails) throws IOException {
    Path file = Files.createTempFile(folder, "slots", ".map");
    FileChannel whole = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new MappedSlots(
        () -> new RowsFolder.Held(file, new FaultyChannel(whole, fails)), PLAN, ROOM);
  }

  @Example
  void open_onADiskThatRefuses_saysWhatToDo() throws IOException {
    for (FaultyChannel.Call call : List.of(FaultyChannel.Call.WRITE, FaultyChannel.Call.MAP)) {
      assertThatThrownBy(() -> slots(call))
          .isInstanceOf(RowsFolderException.class)
          .hasMessageContainingAll("slots", "bytes", "keyed state only", "faulty " + call);
      assertThat(files()).as("nothing is left").isZero();
    }
  }

  /** The disk is full: rows are written and read without the file, which is deleted. */
  @Example
  void write_onAFullDisk_goesOnWithTheStore() throws IOException {
    Path file = Files.createTempFile(folder, "slots", ".map");
    boolean[] full = {false};
    FileChannel whole = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    InMemoryRowStore store = new InMemoryRowStore();
    MappedRowCopies copies =
        new MappedRowCopies(
            store,
            new MappedSlots(
                () ->
                    new RowsFolder.Held(
                        file, new FaultyChannel(whole, FaultyChannel.Call.WRITE, () -> full[0])),
                PLAN,
                ROOM));
    SplittableRandom random = new SplittableRandom(1);
    long first = PLAN.tables().get(0).rowKey(5);
    // On the other page of the file.
    long second = PLAN.tables().get(2).rowKey(7);
    byte[] row = anyRow(first, random);
    byte[] later = anyRow(second, random);
    copies.write(Map.of(first, anyRow(first, random), second, later));
    assertThat(copies.usage()).as("only read rows").isEqualTo(new MappedRowCopies.Usage(0, 0, 0));
    read(copies, new long[] {first});
    assertThat(copies.usage()).isEqualTo(new MappedRowCopies.Usage(1, 64, 0));
    copies.write(Map.of(first, row));
    assertThat(read(copies, new long[] {first}).get(first)).isEqualTo(row);
    assertThat(copies.usage().reads()).isEqualTo(1);
    full[0] = true;
    read(copies, new long[] {second});
    assertThat(copies.usage()).isEqualTo(new MappedRowCopies.Usage(0, 0, 1));
    Map<Long, byte[]> all = read(copies, new long[] {first, second});
    assertThat(all.get(first)).isEqualTo(row);
    assertThat(all.get(second)).isEqualTo(later);
    assertThat(files()).isZero();
    copies.close();
  }

  /** What is left is RocksDB's, which would end the job if it had none. */
  @Example
  void write_onAnAlmostFullDisk_leavesTheRestToOthers() throws IOException {
    InMemoryRowStore store = new InMemoryRowStore();
    long rowKey = PLAN.tables().get(0).rowKey(5);
    byte[] row = anyRow(rowKey, new SplittableRandom(4));
    store.write(Map.of(rowKey, row));
    try (MappedRowCopies copies =
        new MappedRowCopies(
            store,
            new MappedSlots(RowsFolder.open(folder)::create, PLAN, file -> (256L << 20) - 1))) {
      assertThat(read(copies, new long[] {rowKey}).get(rowKey)).isEqualTo(row);
      assertThat(copies.usage()).isEqualTo(new MappedRowCopies.Usage(0, 0, 0));
      assertThat(files()).isZero();
      assertThat(read(copies, new long[] {rowKey}).get(rowKey)).isEqualTo(row);
    }
  }

  /** So a stream of new ids needs no search for them. */
  @Example
  void read_inAnEmptyStore_asksItForOpenTablesOnly() throws IOException {
    CountingStore store = new CountingStore(new InMemoryRowStore());
    try (MappedRowCopies copies = open(store)) {
      long fixed = PLAN.tables().get(0).rowKey(3);
      long open = PLAN.tables().get(1).rowKey(3);
      assertThat(read(copies, new long[] {fixed, open})).isEmpty();
      assertThat(store.asked).isEqualTo(1);
      byte[] row = anyRow(fixed, new SplittableRandom(3));
      copies.write(Map.of(fixed, row));
      assertThat(read(copies, new long[] {fixed}).get(fixed)).isEqualTo(row);
      assertThat(store.asked).as("its page was not there").isEqualTo(2);
    }
  }

  /** A process that was killed leaves its file; the next one to open the folder deletes it. */
  @Example
  void file_ofADeadProcess_isDeletedAtTheNextStart() throws IOException {
    try (MappedRowCopies copies = open(new InMemoryRowStore())) {
      long rowKey = PLAN.tables().get(0).rowKey(3);
      copies.write(Map.of(rowKey, anyRow(rowKey, new SplittableRandom(2))));
      read(copies, new long[] {rowKey});
      Path own;
      try (Stream<Path> files = Files.list(folder)) {
        own = files.findFirst().orElseThrow();
      }
      Path left = folder.resolve("idla-rows-left.map");
      Files.copy(own, left, StandardCopyOption.COPY_ATTRIBUTES);
      Files.writeString(folder.resolve("idla-rows-mine.map"), "somebody else's data");
      RowsFolder.open(folder);
      assertThat(left).doesNotExist();
      assertThat(own).exists();
      assertThat(folder.resolve("idla-rows-mine.map")).exists();
      Files.delete(folder.resolve("idla-rows-mine.map"));
    }
  }

  /** So no row of up to 64 bytes lies on two lines of the processor's cache. */
  @Example
  void slots_ofAllRows_beginAtLines() throws IOException {
    try (MappedSlots slots = new MappedSlots(RowsFolder.open(folder)::create, PLAN, ROOM)) {
      for (int table : new int[] {0, 2}) {
        for (int key = 0; key < ROWS + 2; key++) {
          long place = slots.place(PLAN.tables().get(table).rowKey(key));
          assertThat(slots.offset(place) % 64).isZero();
        }
      }
      assertThat(slots.place(PLAN.tables().get(1).rowKey(3))).isEqualTo(MappedSlots.NONE);
      assertThat(slots.place(PLAN.tables().get(0).rowKey(ROWS + 2))).isEqualTo(MappedSlots.NONE);
    }
  }
}
