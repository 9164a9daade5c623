package io.idlalayer.middleware.embedding.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.IdLists;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of rows that are served from a mapping: what is in it, and what becomes of it. */
final class MappedRowsTest {
  private static final EmbeddingPlan.Table USERS =
      new EmbeddingPlan.Table("users", 2, new RowLayout(3, RowUpdater.SGD));
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(USERS), List.of(new EmbeddingPlan.Feature(0, IdPooling.SUM, 0)), 2, 3);

  /** A process that holds a file until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] folder) throws Exception {
      ServedRows rows =
          ServedRows.read(PLAN, List.of(file(10)), RowsFolder.open(Path.of(folder[0])));
      System.out.println(rows.rows());
      // Until the parent kills it; its pipe stays open.
      System.exit(System.in.read());
    }
  }

  @TempDir Path folder;

  private static float[] weights(long key) {
    return new float[] {key, -key, 1f / key};
  }

  /** All rows of ids from 2 on. */
  private static RowFile.Reader file(int rows) throws IOException {
    return file(RowFile.Kind.FULL, LongStream.range(2, 2 + rows).toArray(), new long[0]);
  }

  private static RowFile.Reader file(RowFile.Kind kind, long[] keys, long[] deleted)
      throws IOException {
    List<Long> sorted = new ArrayList<>();
    Arrays.stream(keys).forEach(sorted::add);
    Arrays.stream(deleted).forEach(sorted::add);
    sorted.sort((a, b) -> Long.compareUnsigned(USERS.rowKey(a), USERS.rowKey(b)));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RowFile.Writer writer = new RowFile.Writer(bytes, kind, 1);
    writer.table(RowFile.Table.of(USERS));
    for (long key : sorted) {
      if (Arrays.stream(deleted).anyMatch(gone -> gone == key)) {
        writer.deleted(key);
      } else {
        writer.row(key, weights(key), 0);
      }
    }
    writer.end();
    writer.flush();
    return new RowFile.Reader(new ByteArrayInputStream(bytes.toByteArray()));
  }

  private static float[] columns(ServedRows rows, long key) {
    float[] columns = new float[PLAN.width()];
    rows.fill(IdLists.single(key), columns, 0);
    return columns;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 7, 8, 9, 1_000, 40_000})
  void find_anyNumberOfRows_givesEachRowAndNoOther(int count) throws IOException {
    try (ServedRows rows = ServedRows.read(PLAN, List.of(file(count)), RowsFolder.open(folder))) {
      assertThat(rows.rows()).isEqualTo(count);
      for (long key = 2; key < 2 + count; key++) {
        assertThat(columns(rows, key)).containsExactly(weights(key));
      }
      for (long key = 2L + count; key < 1_000 + 2L * count; key++) {
        assertThat(columns(rows, key)).containsExactly(0, 0, 0);
      }
      assertThat(rows.unknownIds()).isEqualTo(998 + count);
      assertThat(rows.bytes()).as("heap").isLessThan(1_000);
    }
    assertThat(folder).isEmptyDirectory();
  }

  /** Rows before, between and behind those of the file, replaced and deleted ones. */
  @Test
  void next_moreThanASixteenthChanged_becomesANewFileOfTheSameRows() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    ServedRows rows = ServedRows.read(PLAN, List.of(file(160)), RowsFolder.open(folder));
    Path first = files().get(0);
    ServedRows few =
        rows.next(List.of(file(RowFile.Kind.DELTA, new long[] {500, 501}, new long[] {3, 4})), 0);
    assertThat(files()).containsExactly(first);
    long[] added = random.longs(60, 1_000, 2_000).distinct().toArray();
    ServedRows many = few.next(List.of(file(RowFile.Kind.DELTA, added, new long[] {5, 500})), 0);
    assertThat(files()).hasSize(2).contains(first);
    assertThat(many.bytes()).as("no overlay").isLessThan(1_000);
    assertThat(many.rows()).isEqualTo(160 - 3 + 1 + added.length);
    for (long key : new long[] {3, 4, 5, 500}) {
      assertThat(columns(many, key)).containsExactly(0, 0, 0);
    }
    for (long key : added) {
      assertThat(columns(many, key)).containsExactly(weights(key));
    }
    for (long key = 6; key < 162; key++) {
      assertThat(columns(many, key)).containsExactly(weights(key));
    }
    rows.close();
    assertThat(files()).as("the second version uses it too").hasSize(2).contains(first);
    few.close();
    assertThat(files()).hasSize(1).doesNotContain(first);
    many.close();
    many.close();
    assertThat(files()).isEmpty();
    assertThatThrownBy(() -> columns(many, 6)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> many.next(List.of(), 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_laterVersionUsesTheFile_closesTheEarlierOneOnly() throws IOException {
    ServedRows rows = ServedRows.read(PLAN, List.of(file(100)), RowsFolder.open(folder));
    ServedRows next =
        rows.next(List.of(file(RowFile.Kind.DELTA, new long[] {500}, new long[0])), 0);
    rows.close();
    assertThatThrownBy(() -> columns(rows, 6)).hasMessageContaining("closed");
    assertThat(columns(next, 6)).containsExactly(weights(6));
    next.close();
  }

  /** It would end the process otherwise: who reads an unmapped page gets a SIGSEGV. */
  @Test
  void close_whileThreadsRead_theyAreRefusedAndNothingElse() throws Exception {
    for (int round = 0; round < 50; round++) {
      ServedRows rows = ServedRows.read(PLAN, List.of(file(5_000)), RowsFolder.open(folder));
      CountDownLatch reading = new CountDownLatch(3);
      AtomicLong wrong = new AtomicLong();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Thread thread =
            new Thread(
                () -> {
                  long key = 2;
                  try {
                    while (true) {
                      if (!Arrays.equals(columns(rows, key), weights(key))) {
                        wrong.incrementAndGet();
                      }
                      key = 2 + (key * 31) % 5_000;
                      reading.countDown();
                    }
                  } catch (IllegalStateException closed) {
                    return;
                  }
                });
        thread.start();
        threads.add(thread);
      }
      assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
      rows.close();
      for (Thread thread : threads) {
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
      }
      assertThat(wrong).hasValue(0);
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void open_leftoversOfAProcessThatIsGone_areDeletedAndOtherFilesStay() throws IOException {
    Path whole = folder.resolve("idla-rows-1.map");
    try (ServedRows rows = ServedRows.read(PLAN, List.of(file(10)), RowsFolder.open(folder))) {
      Files.copy(files().get(0), whole);
      Path begun = Files.write(folder.resolve("idla-rows-2.map"), new byte[0]);
      Path cut =
          Files.write(
              folder.resolve("idla-rows-3.map"), Arrays.copyOf(Files.readAllBytes(whole), 70));
      Path foreign = Files.writeString(folder.resolve("idla-rows-4.map"), "somebody's own notes");
      Path short4 = Files.writeString(folder.resolve("idla-rows-5.map"), "IDLR");
      Path other = Files.copy(whole, folder.resolve("mine.map"));
      Path directory = Files.createDirectory(folder.resolve("idla-rows-6.map"));
      Path target = Files.copy(whole, folder.resolve("target"));
      Path link = Files.createSymbolicLink(folder.resolve("idla-rows-7.map"), target);
      RowsFolder.open(folder);
      assertThat(whole).doesNotExist();
      assertThat(begun).doesNotExist();
      assertThat(cut).doesNotExist();
      assertThat(List.of(foreign, short4, other, directory, target, link)).allMatch(Files::exists);
      assertThat(columns(rows, 6)).as("of this process").containsExactly(weights(6));
      assertThat(files()).hasSize(7);
    }
    assertThat(files()).as("its own was deleted").hasSize(6);
  }

  @Test
  void open_fileOfAnotherProcess_staysUntilThatIsKilled() throws Exception {
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Holder.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("10");
      RowsFolder.open(folder);
      assertThat(files()).as("in use").hasSize(1);
    } finally {
      holder.destroyForcibly().waitFor();
    }
    assertThat(files()).as("kill -9 leaves it").hasSize(1);
    RowsFolder.open(folder);
    assertThat(files()).isEmpty();
  }

  @Test
  void read_damagedFile_leavesNothing() throws IOException {
    RowsFolder maps = RowsFolder.open(folder);
    RowFile.Reader delta = file(RowFile.Kind.DELTA, new long[] {2}, new long[0]);
    assertThatThrownBy(() -> ServedRows.read(PLAN, List.of(delta, file(0), file(3)), maps))
        .isInstanceOf(IOException.class);
    EmbeddingPlan other =
        new EmbeddingPlan(
            List.of(new EmbeddingPlan.Table("users", 3, USERS.layout())), List.of(), 0, 0);
    assertThatThrownBy(() -> ServedRows.read(other, List.of(file(3)), maps))
        .hasMessageContaining("not in the model");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void read_folderIsGone_saysSoAndIsNoDamageOfTheVersion() throws IOException {
    RowsFolder maps = RowsFolder.open(folder.resolve("maps"));
    Files.delete(maps.path());
    assertThatThrownBy(() -> ServedRows.read(PLAN, List.of(file(3)), maps))
        .isInstanceOf(RowsFolderException.class)
        .hasMessageContaining("maps");
  }

  /** {@code /dev/full} answers as a disk does that is full. */
  @Test
  void write_diskIsFull_saysSoAndLeavesNothing() throws IOException {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.exists(full));
    try (MappedRowsWriter writer = writerTo(FileChannel.open(full, StandardOpenOption.WRITE))) {
      assertThatThrownBy(() -> RowFile.merge(List.of(file(100)), writer, true))
          .isInstanceOf(RowsFolderException.class)
          .hasMessageContaining("make room");
    }
    assertThat(folder).isEmptyDirectory();
  }

  private MappedRowsWriter writerTo(FileChannel channel) throws IOException {
    RowsFolder.Held held = RowsFolder.open(folder).create();
    held.channel().close();
    return new MappedRowsWriter(() -> new RowsFolder.Held(held.file(), channel), PLAN);
  }

  /** A disk, or a system, that fails at something. */
  private FaultyChannel faulty(FaultyChannel.Call fails) throws IOException {
    Path file = Files.createFile(folder.resolve("faulty"));
    return new FaultyChannel(
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE),
        fails);
  }

  @ParameterizedTest
  @EnumSource(FaultyChannel.Call.class)
  void finish_theDiskOrTheSystemFails_isNoDamageOfTheVersion(FaultyChannel.Call fails)
      throws IOException {
    FaultyChannel channel = faulty(fails);
    try (MappedRowsWriter writer = writerTo(channel)) {
      assertThatThrownBy(
              () -> {
                RowFile.merge(List.of(file(100)), writer, true);
                writer.finish().close();
              })
          .isInstanceOf(RowsFolderException.class)
          .hasMessageContaining(folder.toString())
          .hasMessageContaining("faulty " + fails);
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(folder).isEmptyDirectory();
  }

  /** More bytes than a buffer can have: it fails as it does when memory is short. */
  @Test
  void write_noMemoryForItsBuffers_leavesNoFile() throws IOException {
    RowsFolder maps = RowsFolder.open(folder);
    EmbeddingPlan wide =
        new EmbeddingPlan(
            List.of(new EmbeddingPlan.Table("wide", 1, new RowLayout(1 << 29, RowUpdater.SGD))),
            List.of(),
            0,
            0);
    assertThatThrownBy(() -> new MappedRowsWriter(maps::create, wide)).isNotNull();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void mappedBytes_ofAFile_areThoseOfItsRowsAndItsIndex() throws IOException {
    try (ServedRows rows = ServedRows.read(PLAN, List.of(file(10)), RowsFolder.open(folder))) {
      assertThat(rows.mappedBytes()).isEqualTo(10 * 20 + 3 * 4);
    }
  }

  /** Rows are equal, whether they are put together on the heap or on the disk. */
  @Test
  void next_filesWithManyBytes_areMergedWithoutAnOverlay() throws IOException {
    RowsFolder maps = RowsFolder.open(folder);
    try (ServedRows rows = ServedRows.read(PLAN, List.of(file(1_000)), maps);
        ServedRows few =
            rows.next(
                List.of(file(RowFile.Kind.DELTA, new long[] {5_000, 5_001}, new long[] {3, 4})),
                rows.mappedBytes() / 16);
        ServedRows many =
            few.next(
                List.of(file(RowFile.Kind.DELTA, new long[] {4, 6_000}, new long[] {5, 5_000})),
                few.mappedBytes() / 16 + 1)) {
      assertThat(few.bytes()).as("in an overlay").isGreaterThan(rows.bytes());
      assertThat(many.bytes()).as("in the file").isEqualTo(rows.bytes());
      assertThat(files()).hasSize(2);
      assertThat(many.rows()).isEqualTo(1_000 - 2 + 2);
      for (long key : new long[] {3, 5, 5_000}) {
        assertThat(columns(many, key)).containsExactly(0, 0, 0);
      }
      for (long key : new long[] {2, 4, 6, 1_001, 5_001, 6_000}) {
        assertThat(columns(many, key)).containsExactly(weights(key));
      }
      assertThat(columns(few, 5)).containsExactly(weights(5));
    }
    assertThat(folder).isEmptyDirectory();
  }

  /** Another class loader with this class would lock the file like this. */
  @Test
  void open_fileThatThisProcessHasLockedElsewhere_stays() throws IOException {
    Path file = Files.createFile(folder.resolve("idla-rows-9.map"));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertThat(channel.tryLock()).isNotNull();
      RowsFolder.open(folder);
      assertThat(files()).containsExactly(file);
    }
    RowsFolder.open(folder);
    assertThat(files()).isEmpty();
  }
}
