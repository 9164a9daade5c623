package io.idlalayer.benchmarks.rows.fixed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of fixed size: pages, pointers, phases and errors. */
final class FixedTableTest {
  private static final FixedPolicy DYNAMIC = new FixedPolicy.Dynamic();

  private static float[] look(FixedTable table, int... rows) {
    float[] found = new float[rows.length * table.dim()];
    table.lookup(rows, rows.length, found);
    return found;
  }

  /** Adds 1 to all numbers of rows. */
  private static void addOne(FixedTable table, int... rows) {
    int[] ends = new int[rows.length];
    float[] gradients = new float[rows.length * table.dim()];
    for (int i = 0; i < rows.length; i++) {
      ends[i] = i + 1;
    }
    java.util.Arrays.fill(gradients, -1);
    table.phase(Phase.UPDATE);
    table.applySgd(rows, ends, IdPooling.SUM, gradients, 1);
    table.phase(Phase.FORWARD);
  }

  private static void flush(FixedTable table) {
    table.phase(Phase.FLUSH);
    table.flushDirty();
    table.phase(Phase.FORWARD);
  }

  private static float inBase(BaseRows base, int row) {
    float[] found = new float[base.dim()];
    base.read(row, found, 0);
    return found[0];
  }

  private static boolean cached(FixedTable table, int row) {
    return (table.pointer(row) & 1) != 0;
  }

  @Test
  void flushDirty_twoPages_dropsTheOldestOnly() {
    BaseRows base = BaseRows.heap(6, 4, 16);
    FixedTable table = new FixedTable(base, DYNAMIC, 2, 32, 32);
    look(table, 5, 1, 3, 5, 0, 2);
    assertThat(table.stats().hits()).isEqualTo(1);
    assertThat(table.stats().cached()).isEqualTo(4);
    assertThat(table.cacheBytes()).isEqualTo(64);
    assertThat(table.isFull()).isTrue();
    assertThat(cached(table, 2)).isFalse();
    addOne(table, 5, 3);
    flush(table);
    assertThat(table.stats().writtenRows()).isEqualTo(1);
    assertThat(table.stats().droppedBytes()).isEqualTo(32);
    assertThat(table.cacheBytes()).isEqualTo(32);
    assertThat(table.isFull()).isFalse();
    assertThat(cached(table, 5) || cached(table, 1)).isFalse();
    assertThat(cached(table, 3) && cached(table, 0)).isTrue();
    assertThat(inBase(base, 5)).isEqualTo(1);
    assertThat(inBase(base, 3)).isZero();
    flush(table);
    assertThat(table.stats().droppedPages()).isEqualTo(1);
    table.setCacheLower(0);
    flush(table);
    assertThat(inBase(base, 3)).isEqualTo(1);
    assertThat(table.stats().writtenRows()).isEqualTo(2);
    assertThat(table.cacheBytes()).isZero();
    assertThat(table.consistent()).isTrue();
  }

  @Test
  void applySgd_rowInSeveralBags_addsGradientsUp() {
    FixedTable table = new FixedTable(BaseRows.heap(6, 1), DYNAMIC, 2, 64, 64);
    table.phase(Phase.UPDATE);
    table.applySgd(
        new int[] {1, 2, 4, 2, 3, 5, 1, 4, 5},
        new int[] {3, 6, 9},
        IdPooling.SUM,
        new float[] {1, 10, 100},
        0.5f);
    table.phase(Phase.FORWARD);
    assertThat(look(table, 1, 2, 4, 3, 5)).containsExactly(-50.5f, -5.5f, -50.5f, -5, -55);
  }

  @Test
  void applySgd_rowTwiceInABag_countsTwice() {
    FixedTable table = new FixedTable(BaseRows.heap(2, 1), DYNAMIC, 2, 0, 0);
    table.phase(Phase.UPDATE);
    table.applySgd(new int[] {1, 1}, new int[] {2}, IdPooling.SUM, new float[] {3}, 1);
    table.phase(Phase.FORWARD);
    assertThat(look(table, 1)).containsExactly(-6);
  }

  @Test
  void lookup_twoThreadsSameRows_copyEachOnce() throws Exception {
    int rounds = 2_000;
    int[] rows = {0, 1, 2, 3, 4, 5, 6, 7};
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      BaseRows base = BaseRows.heap(8, 16);
      for (int row = 0; row < 8; row++) {
        float[] values = new float[16];
        java.util.Arrays.fill(values, row);
        base.write(row, values, 0);
      }
      FixedTable table = new FixedTable(base, DYNAMIC, 3, 0, 64 * 9);
      CyclicBarrier start = new CyclicBarrier(2);
      for (int round = 0; round < rounds; round++) {
        Future<float[]> other =
            threads.submit(
                () -> {
                  start.await();
                  return look(table, rows);
                });
        Future<float[]> one =
            threads.submit(
                () -> {
                  start.await();
                  return look(table, rows);
                });
        for (int i = 0; i < 8 * 16; i++) {
          int row = i / 16;
          assertThat(other.get()[i]).isEqualTo(row);
          assertThat(one.get()[i]).isEqualTo(row);
        }
        assertThat(table.stats().cached()).isEqualTo(8L * (round + 1));
        assertThat(table.consistent()).isTrue();
        flush(table);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void flushClean_changedRow_throws() {
    FixedTable table = new FixedTable(BaseRows.heap(4, 16), DYNAMIC, 1, 0, 256);
    look(table, 0, 1);
    addOne(table, 1);
    table.phase(Phase.FLUSH);
    assertThatThrownBy(table::flushClean).isInstanceOf(StaleWriteException.class);
    assertThat(cached(table, 0)).isTrue();
    table.flushDirty();
    table.flushClean();
    assertThat(cached(table, 0)).isFalse();
  }

  @Test
  void anything_wrongPhase_throws() {
    FixedTable table = new FixedTable(BaseRows.heap(4, 16), DYNAMIC, 1, 0, 256);
    int[] none = {};
    assertThatThrownBy(() -> table.applySgd(none, none, IdPooling.SUM, new float[0], 1))
        .isInstanceOf(IllegalPhaseException.class);
    assertThatThrownBy(table::flushDirty).isInstanceOf(IllegalPhaseException.class);
    table.phase(Phase.UPDATE);
    assertThatThrownBy(() -> look(table, 1)).isInstanceOf(IllegalPhaseException.class);
    assertThat(cached(table, 1)).isFalse();
  }

  @Test
  void lookup_noRows_readsNothing() {
    FixedTable table = new FixedTable(BaseRows.heap(4, 16), DYNAMIC, 1, 0, 256);
    assertThat(look(table)).isEmpty();
    float[] zeros = {1, 1};
    FixedTable narrow = new FixedTable(BaseRows.heap(4, 1), DYNAMIC, 1, 0, 256);
    narrow.lookupPooled(new int[0], new int[] {0, 0}, IdPooling.MEAN, zeros);
    assertThat(zeros).containsExactly(0, 0);
  }

  @Test
  void lookup_rowThatIsNone_writesNothing() {
    FixedTable table = new FixedTable(BaseRows.heap(4, 1), DYNAMIC, 1, 0, 256);
    float[] to = {7, 7};
    for (int wrong : new int[] {-1, 4}) {
      assertThatThrownBy(() -> table.lookup(new int[] {0, wrong}, 2, to))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(to).containsExactly(7, 7);
      assertThat(cached(table, 0)).isFalse();
    }
    table.phase(Phase.UPDATE);
    assertThatThrownBy(
            () ->
                table.applySgd(new int[] {0, 4}, new int[] {2}, IdPooling.SUM, new float[] {1}, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    table.phase(Phase.FORWARD);
    assertThat(look(table, 0)).containsExactly(0);
  }

  @Test
  void lookup_roomForNoPage_cachesNothing() {
    FixedTable table = new FixedTable(BaseRows.heap(4, 16), DYNAMIC, 2, 64, 63);
    look(table, 0, 0);
    assertThat(table.isFull()).isTrue();
    assertThat(table.stats().cached()).isZero();
    FixedTable large = new FixedTable(BaseRows.heap(4, 16), DYNAMIC, 2, 1 << 20, 0);
    look(large, 0, 1, 2, 3);
    assertThat(large.cacheBytes()).isEqualTo(256);
  }

  @Test
  void rowBytes_dimOf17_isPaddedToTwoLines() {
    assertThat(BaseRows.heap(2, 17).rowBytes()).isEqualTo(128);
  }

  @Test
  void applySgd_gradientOfNan_isPassedOnAndCounted() {
    FixedTable table = new FixedTable(BaseRows.heap(2, 1), DYNAMIC, 1, 0, 0);
    table.phase(Phase.UPDATE);
    table.applySgd(new int[] {1}, new int[] {1}, IdPooling.SUM, new float[] {Float.NaN}, 1);
    table.phase(Phase.FORWARD);
    assertThat(look(table, 1)).containsExactly(Float.NaN);
    assertThat(table.stats().notFinite()).isEqualTo(1);
  }

  @Test
  void lookup_staticTable_changesNoPointer() {
    int rows = 1_000;
    FixedTable table =
        new FixedTable(BaseRows.heap(rows, 1), new FixedPolicy.Random(3), 10, 64 * 250, 0);
    long[] before = java.util.stream.IntStream.range(0, rows).mapToLong(table::pointer).toArray();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      look(table, random.ints(1_000, 0, rows).toArray());
    }
    long[] after = java.util.stream.IntStream.range(0, rows).mapToLong(table::pointer).toArray();
    assertThat(after).containsExactly(before);
    assertThat(table.stats().cached()).isEqualTo(250);
    assertThat(table.stats().hitRate()).isBetween(0.24, 0.26);
  }

  @Test
  void constructor_hotRows_areInDram() {
    FixedTable table =
        new FixedTable(BaseRows.heap(9, 16), new FixedPolicy.Hot(new int[] {4, 8, 1}), 1, 128, 0);
    assertThat(cached(table, 4) && cached(table, 8)).isTrue();
    assertThat(cached(table, 1)).isFalse();
  }

  @Test
  void mapped_fileReadAgain_hasRows(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("rows");
    FixedTable table =
        new FixedTable(BaseRows.mapped(file, 5, 3), new FixedPolicy.Simple(), 1, 0, 0);
    addOne(table, 4);
    FixedTable again = new FixedTable(BaseRows.mapped(file, 5, 3), DYNAMIC, 1, 64, 0);
    assertThat(look(again, 4, 3)).containsExactly(1, 1, 1, 0, 0, 0);
    assertThatThrownBy(() -> BaseRows.mapped(file, 6, 3)).isInstanceOf(IOException.class);
  }
}
