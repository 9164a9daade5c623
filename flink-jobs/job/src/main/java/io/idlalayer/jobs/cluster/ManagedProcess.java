package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.terminal.Terminal;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process of the cluster that outlives the command that starts it. A file has its pid and its
 * start time. The start time is checked before the process is ended, so that another process that
 * later got the same pid is never touched.
 */
final class ManagedProcess {
  private static final long TERM_SECONDS = 20;

  /**
   * File with an id that changes with each boot of the machine. At a boot, process numbers and
   * ticks start again.
   */
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * Index of the start time in clock ticks among the fields after the name in {@code
   * /proc/PID/stat}.
   */
  private static final int TICKS = 22 - 3;

  private final Path folder;
  private final String name;
  private final String mainClass;

  /**
   * @param folder folder of the pid file and the log
   */
  ManagedProcess(Path folder, String name, String mainClass) {
    this.folder = folder;
    this.name = name;
    this.mainClass = mainClass;
  }

  String name() {
    return name;
  }

  Path log() {
    return folder.resolve(name + ".log");
  }

  private Path pidFile() {
    return folder.resolve(name + ".pid");
  }

  /** Returns the process, if it runs and is the process that {@link #start} has started. */
  Optional<ProcessHandle> handle() throws IOException {
    if (!Files.exists(pidFile())) {
      return Optional.empty();
    }
    String[] pidAndStart = Files.readString(pidFile()).trim().split(" ", -1);
    return ProcessHandle.of(Long.parseLong(pidAndStart[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> beginning(process).equals(pidAndStart[pidAndStart.length - 1]));
  }

  /**
   * Returns when a process started, in a form that does not depend on the wall clock. On Linux, the
   * start time that Java reports changes when the wall clock is set, so the ticks since the boot
   * are used. On other systems Java's time is used.
   */
  private static String beginning(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      // These are the fields after the name, because the name can hold any character. The state is
      // field 3, and the ticks since the boot are field 22.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Files.readString(BOOT).strip() + ":" + fields[TICKS];
    } catch (IOException noLinux) {
      return process.info().startInstant().map(it -> Long.toString(it.toEpochMilli())).orElse("?");
    }
  }

  /** Starts the process with the class path and the options of the current process. */
  void start(String heap, List<String> arguments) throws IOException {
    start(heap, List.of(), arguments);
  }

  /**
   * Starts the process with a heap that has its full size from the start, so that the JVM collects
   * garbage less often.
   */
  void startWithWholeHeap(String heap, List<String> arguments) throws IOException {
    start(heap, List.of("-Xms" + heap), arguments);
  }

  private void start(String heap, List<String> options, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + heap);
    command.addAll(options);
    command.add("-XX:MaxDirectMemorySize=" + ClusterConfig.direct());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (inherited(option)) {
        command.add(option);
      }
    }
    // Kafka and Flink convert names to upper or lower case by the rules of the default locale.
    command.addAll(List.of("-Duser.language=en", "-Duser.country=", "-Duser.variant="));
    String nativeCache = System.getProperty(Terminal.NATIVE_CACHE);
    if (nativeCache != null) {
      command.add("-D" + Terminal.NATIVE_CACHE + "=" + nativeCache);
    }
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.addAll(arguments);
    File log = log().toFile();
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .start();
    Files.writeString(pidFile(), process.pid() + " " + beginning(process.toHandle()));
  }

  private static boolean inherited(String option) {
    return !option.startsWith("-Xmx")
        && !option.startsWith("-Xms")
        && !option.startsWith("-XX:MaxDirectMemorySize")
        && !option.startsWith("-XX:DumpLoadedClassList")
        && !option.startsWith("-Didla.classes")
        && !option.startsWith("-XX:SharedArchiveFile")
        && !option.startsWith("-Didla.log")
        && !option.startsWith("-Didla.terminal");
  }

  /** Asks the process to terminate. Kills the process if it does not end in time. */
  void stop() throws IOException, InterruptedException {
    Optional<ProcessHandle> running = handle();
    if (running.isPresent()) {
      ProcessHandle process = running.get();
      process.destroy();
      try {
        process.onExit().get(TERM_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException stubborn) {
        process.destroyForcibly();
      } catch (ExecutionException unexpected) {
        throw new IOException("cannot wait for " + name, unexpected);
      }
    }
    Files.deleteIfExists(pidFile());
  }
}
