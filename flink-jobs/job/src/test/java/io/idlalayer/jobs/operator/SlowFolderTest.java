package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.sample.ContentHash;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.FlinkRuntimeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slow directory that is full, or gone: messages say which, what to do, and what is lost. */
final class SlowFolderTest {
  private static final int MIB = 1 << 20;
  private static final int MOST_WRITES = 400;

  @TempDir Path folder;

  private StateFailures failures() {
    return new StateFailures(new SlowFolder(List.of(folder)), RowStoreException::new);
  }

  /** State on a device without space. */
  private static <T> T full(Class<T> kind) {
    return kind.cast(
        Proxy.newProxyInstance(
            SlowFolderTest.class.getClassLoader(),
            new Class<?>[] {kind},
            (self, method, arguments) -> {
              throw new FlinkRuntimeException("No space left on device");
            }));
  }

  @SuppressWarnings("unchecked")
  private KeyedBytes full() {
    return new KeyedBytes(full(MapState.class), "rows", failures());
  }

  @Test
  @SuppressWarnings("unchecked")
  void eachCall_onAFullDevice_saysWhereAndWhatToDo() {
    RowStore rows = new FlinkRowStore(full(), full(), full(), full());
    SampleStore samples = new FlinkSampleStore(full(), full());
    SampleMetadata sample =
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(1, 2), 0, 1, 0f), 1, 0);
    MetadataBatch batch = MetadataBatch.of(1, sample);
    KeyedValue value = new KeyedValue(full(ValueState.class), "MODEL", failures());
    byte[] row = {1};
    long[] keys = {1};
    List<Runnable> calls =
        List.of(
            () -> rows.write(Map.of(1L, row, 2L, row)),
            () -> rows.read(keys, 1, (i, bytes) -> {}),
            () -> rows.remove(keys, 1),
            rows::rows,
            () -> rows.changes().append(1, row),
            () -> rows.history().entries(),
            () -> rows.changes().forget(1, 2),
            () -> rows.writeFilter(Map.of(1L, row)),
            rows::filter,
            rows::clearFilter,
            () -> samples.put(1, row, sample),
            () -> samples.updateMetadata(batch),
            () -> samples.payloads(keys),
            () -> samples.remove(keys),
            () -> samples.forEachMetadata((id, metadata) -> {}),
            value::get,
            () -> value.put(row),
            () -> value.put(null));
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
              "last checkpoint",
              "if there is none yet");
    }
    assertThatThrownBy(() -> rows.write(Map.of(1L, row, 2L, row)))
        .hasMessageStartingWith(
            "cannot write 2 entries of the rows (No space left on device). The state is in ");
  }

  /** RocksDB reads while it iterates, so it is a step that fails and not the first call. */
  @Test
  @SuppressWarnings("unchecked")
  void aStepOfAnIterator_thatFails_saysWhereAndWhatToDo() {
    Iterator<Map.Entry<Long, byte[]>> breaks =
        new Iterator<>() {
          private int left = 2;

          @Override
          public boolean hasNext() {
            if (left == 0) {
              throw new FlinkRuntimeException("Input/output error");
            }
            return true;
          }

          @Override
          public Map.Entry<Long, byte[]> next() {
            left--;
            return Map.entry(1L, new byte[1]);
          }
        };
    MapState<Long, byte[]> state =
        (MapState<Long, byte[]>)
            Proxy.newProxyInstance(
                SlowFolderTest.class.getClassLoader(),
                new Class<?>[] {MapState.class},
                (self, method, arguments) -> (Iterable<Map.Entry<Long, byte[]>>) () -> breaks);
    Iterator<Map.Entry<Long, byte[]>> entries =
        new KeyedBytes(state, "samples", failures()).entries();
    entries.next();
    entries.next();
    for (ThrowingCallable step : List.<ThrowingCallable>of(entries::hasNext, entries::next)) {
      assertThatThrownBy(step)
          .isInstanceOf(RowStoreException.class)
          .hasMessageStartingWith("cannot look through the samples (Input/output error). ")
          .hasMessageContaining(folder.toString());
    }
  }

  @Test
  void advice_withStateInTheHeap_namesNoFolder() {
    Configuration settings = settings("hashmap", folder.toString());
    SlowFolder heap = SlowFolder.of(settings, new String[] {"/tmp"}, folder.toString());
    assertThat(heap.directories()).isEmpty();
    assertThat(heap.advice())
        .contains("heap of this process", "state.backend.type: hashmap", "fix what the cause")
        .doesNotContain(folder.toString(), "memory.slow-directory", "mount");
  }

  @Test
  void advice_withAListOfFolders_saysOfEachWhatIsWrong() {
    Path gone = folder.resolve("gone");
    SlowFolder several =
        SlowFolder.of(settings("rocksdb", folder + "," + gone), new String[] {"/tmp"}, null);
    assertThat(several.directories()).containsExactly(folder, gone);
    assertThat(several.advice())
        .contains("one of several folders: " + folder + " has ", "; " + gone + " is gone: mount");
  }

  @Test
  void of_withoutAFolderOfItsOwn_takesThoseOfTheProcess() {
    String[] temporary = {"/a", "/b"};
    assertThat(SlowFolder.of(settings("rocksdb", null), temporary, null).directories())
        .containsExactly(Path.of("/a"), Path.of("/b"));
    assertThat(SlowFolder.of(settings("rocksdb", "/c"), temporary, "/d").directories())
        .containsExactly(Path.of("/d"));
  }

  private static Configuration settings(String backend, @Nullable String folders) {
    Configuration settings = new Configuration();
    settings.setString("state.backend.type", backend);
    if (folders != null) {
      settings.setString("state.backend.rocksdb.localdir", folders);
    }
    return settings;
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
          .hasMessageContainingAll(
              "cannot write 1 entries of the rows", "is gone: mount it again", "Nothing is");
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
