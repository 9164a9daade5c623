package io.idlalayer.jobs.cli;

import io.idlalayer.testkit.NativeCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line in a process of its own, with the class path of the tests. */
final class ChildRun {
  /** The lib folder, as the build leaves it. */
  private static final Path LIB = Path.of("../cli/target/lib").toAbsolutePath().normalize();

  private ChildRun() {}

  /** The folder for temporary files of all commands with this log. */
  static Path temporary(Path log) {
    return log.resolveSibling("tmp");
  }

  /** Starts a command; its output is appended to a file. */
  static Process start(Path log, String... arguments) throws IOException {
    return start(log, List.of(), arguments);
  }

  /** Starts a command with further options of Java. */
  static Process start(Path log, List<String> options, String... arguments) throws IOException {
    return start(
        log,
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
        options,
        arguments);
  }

  /** Starts a command as users get it, from the lib folder of the build. */
  static Process startFromLibFolder(Path log, String... arguments) throws IOException {
    return start(log, LIB.resolve("*").toString(), List.of(), arguments);
  }

  private static Process start(
      Path log, String classPath, List<String> options, String... arguments) throws IOException {
    Files.createDirectories(temporary(log));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.addAll(NativeCode.options());
    command.addAll(options);
    command.add("-Djava.io.tmpdir=" + temporary(log));
    command.add("-Dorg.deeplearning4j.crash.reporting.enabled=false");
    command.add("-cp");
    command.add(classPath);
    command.add(Idla.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().put("OMP_NUM_THREADS", "1");
    return builder.start();
  }

  /** The last lines of a log, for messages of failed assertions. */
  static String tail(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
  }
}
