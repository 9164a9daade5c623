package io.idlalayer.jobs.capacity;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.device.FileArena;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks before a job is submitted whether the tensors of its models fit, into the memory outside
 * of the heap and into the folder of the slow device.
 */
public final class TensorSpaceCheck {
  /** Memory outside the heap for Flink and the Kafka clients. */
  private static final long OTHERS_BYTES = 128L << 20;

  private TensorSpaceCheck() {}

  /**
   * Returns one sentence for each problem with the tensors of all applications; empty if they fit.
   * Creates the folders of the slow device.
   *
   * @param defaultDirectory directory for applications that name none
   * @param memory memory of the processes that train
   */
  public static List<String> problems(
      List<ApplicationSettings> applications, Path defaultDirectory, TaskMemory memory) {
    if (applications.stream().noneMatch(TensorSpaceCheck::wanted)) {
      return List.of();
    }
    List<String> problems = new ArrayList<>(fast(applications, memory));
    problems.addAll(slow(applications, defaultDirectory));
    return problems;
  }

  /**
   * Returns one sentence for each problem with the tensors of all applications in DRAM; empty if
   * they fit. The folders of the slow device are not checked, because they are on other hosts.
   *
   * @param memory memory of the processes that train
   */
  public static List<String> problems(List<ApplicationSettings> applications, TaskMemory memory) {
    return applications.stream().anyMatch(TensorSpaceCheck::wanted)
        ? fast(applications, memory)
        : List.of();
  }

  private static boolean wanted(ApplicationSettings application) {
    ApplicationSettings.Memory memory = application.memory();
    return memory.tensors().placed() || memory.lending().lends() || memory.budget() != null;
  }

  private static List<String> fast(List<ApplicationSettings> applications, TaskMemory memory) {
    long tensors = 0;
    long hot = 0;
    for (ApplicationSettings application : applications) {
      ApplicationSettings.Memory own = application.memory();
      FastBudget budget = own.budget();
      tensors += own.lending().lendBytes();
      tensors += own.divides(FastUse.TENSORS) ? 0 : own.tensors().fastBytes();
      long learner = own.divides(FastUse.SAMPLES) ? 0 : own.hotBytes();
      learner += budget == null ? 0 : budget.dividedBytes();
      hot += learner * application.partitions();
    }
    long each = tensors + hot / memory.processes() + OTHERS_BYTES;
    if (each <= memory.directBytes()) {
      return List.of();
    }
    return List.of(
        ("memory.tensors.fast-bytes and memory.lend-bytes of all applications need %,d bytes in each"
                + " process; memory.hot-bytes and memory.fast-bytes of all learners need %,d bytes in"
                + " %d processes together. But each process can have only %,d bytes outside its heap,"
                + " and Kafka and Flink need %,d of these: set %s, or lower these keys")
            .formatted(
                tensors,
                hot,
                memory.processes(),
                memory.directBytes(),
                OTHERS_BYTES,
                memory.settings().direct().formatted((each >> 20) + 1)));
  }

  private static List<String> slow(List<ApplicationSettings> applications, Path defaultDirectory) {
    Map<Path, Long> wanted = new HashMap<>();
    Set<Path> direct = new HashSet<>();
    for (ApplicationSettings application : applications) {
      Tensors tensors = application.memory().tensors();
      if (tensors.placed()) {
        Path directory = directory(tensors.slowDirectory(), defaultDirectory);
        wanted.merge(directory, tensors.slowBytes() * application.partitions(), Long::sum);
        if (tensors.access() == FileAccess.DIRECT) {
          direct.add(directory);
        }
      }
    }
    List<String> problems = new ArrayList<>();
    wanted.forEach(
        (directory, bytes) -> {
          String problem = slow(directory, bytes);
          if (problem == null && direct.contains(directory)) {
            problem = refusal(directory);
          }
          if (problem != null) {
            problems.add(problem);
          }
        });
    return problems;
  }

  private static Path directory(@Nullable String named, Path defaultDirectory) {
    return (named == null ? defaultDirectory : Path.of(named)).toAbsolutePath();
  }

  /** Returns why a directory cannot have files past the page cache; null if it can. */
  private static @Nullable String refusal(Path directory) {
    try {
      FileArena.check(directory);
      return null;
    } catch (IOException refused) {
      return ("memory.tensors.slow-access is direct, but %s cannot have a file past the page cache:"
              + " %s; name another slow-directory, or choose mapped")
          .formatted(directory, refused.getMessage());
    }
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
}
