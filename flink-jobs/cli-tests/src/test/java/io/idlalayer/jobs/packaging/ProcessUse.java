package io.idlalayer.jobs.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** What a Java process of Flink holds, as the operating system and the JDK's jcmd say. */
final class ProcessUse {
  private static final long LARGE_BYTES = 10_000;
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final Pattern LOADERS =
      Pattern.compile(
          "\\s+\\d+:\\s+(\\d+)\\s+\\d+\\s+org\\.apache\\.flink\\.util\\.ChildFirstClassLoader\\b");

  /** Open files that are none: {@code socket:[123]}, {@code anon_inode:[eventpoll]}. */
  private static final Pattern SPECIAL =
      Pattern.compile("anon_inode:\\[?([a-z]+)]?|([a-z]+):\\[\\d+]");

  private static final Pattern METASPACE = Pattern.compile("Metaspace\\s+used (\\d+)K");

  private final ProcessHandle process;
  private final Path temporary;

  /**
   * @param temporary its folder of temporary files
   */
  ProcessUse(ProcessHandle process, Path temporary) {
    this.process = process;
    this.temporary = temporary;
  }

  /**
   * What it holds after a garbage collection.
   *
   * @param jobClassLoaders class loaders of jobs
   * @param metaspaceKb kilobytes of classes
   * @param residentKb kilobytes of memory
   * @param openFiles numbers of open files by their kind
   * @param files files and folders in the temporary folder
   */
  record Snapshot(
      int jobClassLoaders,
      long metaspaceKb,
      long residentKb,
      int threads,
      SortedMap<String, Integer> openFiles,
      int files) {
    /** Returns how many files are open. */
    int allOpenFiles() {
      return openFiles.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  Snapshot look() throws IOException {
    Matcher loaders = LOADERS.matcher(jcmd("GC.class_histogram"));
    Matcher metaspace = METASPACE.matcher(jcmd("GC.heap_info"));
    return new Snapshot(
        loaders.find() ? Integer.parseInt(loaders.group(1)) : 0,
        metaspace.find() ? Long.parseLong(metaspace.group(1)) : -1,
        status("VmRSS"),
        (int) status("Threads"),
        openFiles(),
        below(temporary).size());
  }

  /** Counts the open files by what the operating system says that they are. */
  private SortedMap<String, Integer> openFiles() throws IOException {
    SortedMap<String, Integer> counts = new TreeMap<>();
    Path open = Path.of("/proc", Long.toString(process.pid()), "fd");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(open)) {
      for (Path each : all) {
        try {
          counts.merge(kind(Files.readSymbolicLink(each).toString()), 1, Integer::sum);
        } catch (NoSuchFileException closed) {
          // It was open when the folder was listed.
        }
      }
    }
    return counts;
  }

  private static String kind(String target) {
    Matcher special = SPECIAL.matcher(target);
    if (special.matches()) {
      return special.group(1) == null ? special.group(2) : special.group(1);
    }
    String whole = target.replace(" (deleted)", "");
    String deleted = whole.length() < target.length() ? "deleted " : "";
    return whole.endsWith(".jar") ? deleted + "jar" : deleted + "file";
  }

  /**
   * Waits until the process has no class loader of a job and none of its jars any more; returns the
   * last look in any case.
   */
  Snapshot awaitNoJob() {
    AtomicReference<Snapshot> last = new AtomicReference<>();
    try {
      Awaitility.await()
          .atMost(WAIT)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () -> {
                last.set(look());
                return last.get().jobClassLoaders() == 0 && blobs() == 0;
              });
    } catch (ConditionTimeoutException late) {
      dumpHeap();
    }
    return last.get();
  }

  /** Writes the heap into the folder of the report, to see what holds a class loader. */
  private void dumpHeap() {
    String report = System.getProperty(UseTable.REPORT);
    if (report != null) {
      try {
        jcmd("GC.heap_dump " + Path.of(report, process.pid() + ".hprof").toAbsolutePath());
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  private long blobs() throws IOException {
    return below(temporary).stream()
        .filter(file -> file.getFileName().toString().startsWith("blob_"))
        .filter(file -> file.toFile().length() > LARGE_BYTES)
        .count();
  }

  /**
   * Returns the files and folders in a folder, and itself. Others may delete some of them
   * meanwhile.
   */
  static List<Path> below(Path folder) throws IOException {
    List<Path> all = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path inner, BasicFileAttributes attributes) {
            all.add(inner);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            all.add(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
            return goneOr(failed);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path inner, IOException failed)
              throws IOException {
            return failed == null ? FileVisitResult.CONTINUE : goneOr(failed);
          }
        });
    return all;
  }

  private static FileVisitResult goneOr(IOException failed) throws IOException {
    if (failed instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw failed;
  }

  private String jcmd(String command) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process asked =
        new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), command)
            .redirectErrorStream(true)
            .start();
    return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private long status(String name) throws IOException {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
      String line = lines.filter(it -> it.startsWith(name + ":")).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", ""));
    }
  }
}
