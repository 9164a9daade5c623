package io.idlalayer.jobs.cluster;

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
 * A process of the cluster that outlives the command that starts it: known by a pid file,
 * recognised by its main class, so that a pid that now belongs to somebody else is never touched.
 */
final class ManagedProcess {
  private static final long TERM_SECONDS = 20;
  private static final String DIRECT = "512m";

  private final Path folder;
  private final String name;
  private final String mainClass;

  /**
   * @param folder where its pid file and log are
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

  /** The running process, if it runs and is ours. */
  Optional<ProcessHandle> handle() throws IOException {
    if (!Files.exists(pidFile())) {
      return Optional.empty();
    }
    String[] pidAndStart = Files.readString(pidFile()).trim().split(" ", -1);
    return ProcessHandle.of(Long.parseLong(pidAndStart[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> startMillis(process).equals(pidAndStart[pidAndStart.length - 1]));
  }

  private static String startMillis(ProcessHandle process) {
    return process.info().startInstant().map(it -> Long.toString(it.toEpochMilli())).orElse("?");
  }

  /** Starts the process with the class path and options of this one. */
  void start(String heap, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + heap);
    // Java's default is as much again as the heap; who knows better says so in IDLA_JAVA_OPTS.
    command.add("-XX:MaxDirectMemorySize=" + DIRECT);
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (inherited(option)) {
        command.add(option);
      }
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
    Files.writeString(pidFile(), process.pid() + " " + startMillis(process.toHandle()));
  }

  private static boolean inherited(String option) {
    return !option.startsWith("-Xmx")
        && !option.startsWith("-XX:ArchiveClassesAtExit")
        && !option.startsWith("-XX:SharedArchiveFile")
        && !option.startsWith("-Didla.terminal");
  }

  /** Asks the process to end, then makes it; waits until it is gone. */
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
