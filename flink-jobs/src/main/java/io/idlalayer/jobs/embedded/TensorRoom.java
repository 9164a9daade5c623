package io.idlalayer.jobs.embedded;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out before a run whether its tensors have room, on the fast device and on the slow one. */
final class TensorRoom {
  /** What Flink and the Kafka clients take of the memory outside the heap. */
  private static final long OTHERS_BYTES = 128L << 20;

  private TensorRoom() {}

  /**
   * Checks all applications.
   *
   * @param defaultDirectory for those that name none
   * @throws IOException with all that is wrong and what to do
   */
  static void check(List<ApplicationSettings> applications, Path defaultDirectory)
      throws IOException {
    if (applications.stream().noneMatch(app -> app.memory().tensors().placed())) {
      return;
    }
    List<String> problems = new ArrayList<>();
    problems.addAll(fast(applications, directLimitBytes()));
    problems.addAll(slow(applications, defaultDirectory));
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
  }

  static List<String> fast(List<ApplicationSettings> applications, long limitBytes) {
    long tensors = 0;
    long hot = 0;
    for (ApplicationSettings application : applications) {
      tensors += application.memory().tensors().fastBytes() * application.partitions();
      hot += application.memory().hotBytes() * application.partitions();
    }
    if (tensors + hot + OTHERS_BYTES <= limitBytes) {
      return List.of();
    }
    return List.of(
        ("memory.tensors.fast-bytes of all learners are %,d bytes and memory.hot-bytes %,d; the JVM"
                + " may have %,d outside its heap, of which %,d are for Kafka and Flink: set"
                + " IDLA_JAVA_OPTS=-XX:MaxDirectMemorySize=%dm or give less")
            .formatted(
                tensors,
                hot,
                limitBytes,
                OTHERS_BYTES,
                ((tensors + hot + OTHERS_BYTES) >> 20) + 1));
  }

  private static List<String> slow(List<ApplicationSettings> applications, Path defaultDirectory) {
    Map<Path, Long> wanted = new HashMap<>();
    for (ApplicationSettings application : applications) {
      ApplicationSettings.Tensors tensors = application.memory().tensors();
      if (tensors.placed()) {
        wanted.merge(
            directory(tensors.slowDirectory(), defaultDirectory),
            tensors.slowBytes() * application.partitions(),
            Long::sum);
      }
    }
    List<String> problems = new ArrayList<>();
    wanted.forEach(
        (directory, bytes) -> {
          String problem = slow(directory, bytes);
          if (problem != null) {
            problems.add(problem);
          }
        });
    return problems;
  }

  private static Path directory(@Nullable String named, Path defaultDirectory) {
    return (named == null ? defaultDirectory : Path.of(named)).toAbsolutePath();
  }

  private static @Nullable String slow(Path directory, long bytes) {
    try {
      Files.createDirectories(directory);
      FileStore store = Files.getFileStore(directory);
      if (!Files.isWritable(directory)) {
        return "memory.tensors.slow-directory %s is not writable".formatted(directory);
      }
      if (store.getUsableSpace() < bytes) {
        return "memory.tensors.slow-bytes of all learners are %,d bytes; %s has room for %,d"
            .formatted(bytes, directory, store.getUsableSpace());
      }
      return null;
    } catch (IOException refused) {
      return "memory.tensors.slow-directory %s cannot be used: %s".formatted(directory, refused);
    }
  }

  /** What {@code -XX:MaxDirectMemorySize} allows; as much as the heap if it is not given. */
  private static long directLimitBytes() {
    HotSpotDiagnosticMXBean jvm =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long given = Long.parseLong(jvm.getVMOption("MaxDirectMemorySize").getValue());
    return given == 0 ? Runtime.getRuntime().maxMemory() : given;
  }
}
