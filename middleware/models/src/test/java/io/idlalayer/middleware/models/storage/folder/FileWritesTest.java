package io.idlalayer.middleware.models.storage.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileWritesTest {
  @TempDir Path folder;

  private Map<Path, byte[]> files(int count) {
    SplittableRandom random = new SplittableRandom(3);
    Map<Path, byte[]> files = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] content = new byte[i % 7 == 0 ? 0 : 1 << random.nextInt(18)];
      random.nextBytes(content);
      files.put(folder.resolve("f" + i), content);
    }
    return files;
  }

  private static void assertWritten(Map<Path, byte[]> files) throws IOException {
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      assertThat(file.getKey()).hasBinaryContent(file.getValue());
    }
  }

  @Test
  void write_moreFilesThanThreads_areAllThereAsTheyAre() throws IOException {
    FileWrites.write(Map.of());
    Map<Path, byte[]> files = files(200);
    FileWrites.write(files);
    assertWritten(files);
    try (var entries = Files.list(folder)) {
      assertThat(entries).hasSize(200);
    }
  }

  @Test
  void write_twoThatFail_writesTheOthersAndTellsBoth() throws IOException {
    Map<Path, byte[]> files = files(12);
    byte[] old = {1};
    for (String each : new String[] {"f0", "f11"}) {
      files.remove(folder.resolve(each));
      Files.write(folder.resolve(each), old);
    }
    Map<Path, byte[]> with = new LinkedHashMap<>();
    with.put(folder.resolve("f0"), new byte[9]);
    with.putAll(files);
    with.put(folder.resolve("f11"), new byte[9]);
    assertThatThrownBy(() -> FileWrites.write(with))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("f0")
        .satisfies(
            failed ->
                assertThat(failed.getSuppressed())
                    .singleElement()
                    .isInstanceOf(FileAlreadyExistsException.class));
    assertWritten(files);
    assertThat(folder.resolve("f0")).hasBinaryContent(old);
    assertThat(folder.resolve("f11")).hasBinaryContent(old);
  }

  @Test
  void write_anUnexpectedFailure_comesOutWhenTheOthersAreWritten() throws IOException {
    Map<Path, byte[]> files = files(6);
    Map<Path, byte[]> with = new LinkedHashMap<>();
    FileSystem zip =
        FileSystems.newFileSystem(folder.resolve("broken.zip"), Map.of("create", "true"));
    Path closed = zip.getPath("f");
    zip.close();
    with.put(closed, new byte[1]);
    with.putAll(files);
    assertThatThrownBy(() -> FileWrites.write(with))
        .hasCauseInstanceOf(ClosedFileSystemException.class);
    assertWritten(files);
  }

  @Test
  void write_severalMebibytes_isWhole() throws IOException {
    byte[] content = new byte[(3 << 20) + 17];
    new SplittableRandom(5).nextBytes(content);
    FileWrites.write(folder.resolve("large"), content);
    assertThat(folder.resolve("large")).hasBinaryContent(content);
  }

  @Test
  void write_whileInterrupted_failsAndTheThreadStaysInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> FileWrites.write(files(20)))
          .isInstanceOf(ClosedByInterruptException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void write_ofSeveralThreads_eachHasItsFiles() throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(6);
    try {
      List<Future<Map<Path, byte[]>>> written = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        Path own = Files.createDirectory(folder.resolve("of" + i));
        written.add(
            callers.submit(
                () -> {
                  Map<Path, byte[]> files = new LinkedHashMap<>();
                  files(30)
                      .forEach(
                          (file, content) ->
                              files.put(own.resolve(file.getFileName().toString()), content));
                  FileWrites.write(files);
                  return files;
                }));
      }
      for (Future<Map<Path, byte[]>> each : written) {
        assertWritten(each.get());
      }
    } finally {
      callers.shutdown();
    }
  }
}
