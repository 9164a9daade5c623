package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.idlalayer.middleware.embedding.RowStore;
import io.idlalayer.middleware.embedding.RowStoreException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slow directory that is full, or gone: messages say which, what to do, and what is lost. */
final class SlowFolderTest {
  private static final int MIB = 1 << 20;
  private static final int MOST_WRITES = 400;

  @TempDir Path folder;

  /** State on a device without space. */
  @SuppressWarnings("unchecked")
  private static MapState<Long, byte[]> full() {
    return (MapState<Long, byte[]>)
        Proxy.newProxyInstance(
            SlowFolderTest.class.getClassLoader(),
            new Class<?>[] {MapState.class},
            (self, method, arguments) -> {
              throw new IOException("No space left on device");
            });
  }

  @Test
  void eachCall_onAFullDevice_saysWhereAndWhatToDo() {
    RowStore store = new FlinkRowStore(full(), full(), full(), full(), new SlowFolder(folder));
    byte[] row = {1};
    List<Runnable> calls =
        List.of(
            () -> store.write(Map.of(1L, row, 2L, row)),
            () -> store.read(new long[] {1}, 1, (i, bytes) -> {}),
            () -> store.remove(new long[] {1}, 1),
            store::rows,
            () -> store.changes().append(1, row),
            () -> store.history().entries(),
            () -> store.changes().forget(1, 2),
            () -> store.writeFilter(Map.of(1L, row)),
            store::filter);
    for (Runnable call : calls) {
      assertThatThrownBy(call::run)
          .isInstanceOf(RowStoreException.class)
          .hasMessageContainingAll(
              "No space left on device",
              folder.toString(),
              "MiB left",
              "memory.slow-directory",
              "start again",
              "Nothing is lost",
              "last checkpoint");
    }
    assertThatThrownBy(() -> store.write(Map.of(1L, row, 2L, row)))
        .hasMessageStartingWith("cannot write 2 rows (No space left on device). The store is in ");
  }

  /** The medium was taken away while RocksDB works on it. */
  @Test
  void write_toAFolderThatIsGone_saysSo() throws Exception {
    Path working = Files.createDirectory(folder.resolve("working"));
    try (KeyedStateHarness harness = new KeyedStateHarness(working, null)) {
      RowStore store = harness.state().rows();
      store.write(Map.of(1L, new byte[MIB]));
      delete(working);
      Throwable failed = null;
      for (long key = 1; failed == null && key < MOST_WRITES; key++) {
        Map<Long, byte[]> rows = Map.of(key, new byte[MIB]);
        failed = catchThrowable(() -> store.write(rows));
      }
      assertThat(failed)
          .isInstanceOf(RowStoreException.class)
          .hasMessageContainingAll("cannot write 1 rows", "is gone: mount it again", "Nothing is");
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
