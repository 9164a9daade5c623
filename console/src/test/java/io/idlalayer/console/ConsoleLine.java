package io.idlalayer.console;

import io.idlalayer.jobs.terminal.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A command of the console in this process, and all that its runs have printed. */
final class ConsoleLine {
  private final StringWriter said = new StringWriter();

  /** The arguments of texts that hold several with spaces between them. */
  static String[] arguments(Object... parts) {
    return Arrays.stream(parts)
        .flatMap(part -> Stream.of(part.toString().split(" ", -1)))
        .toArray(String[]::new);
  }

  /** Runs a command and returns its exit code. */
  int run(Object command, Object... parts) {
    CommandLine line = Terminal.commandLine(command);
    line.setOut(new PrintWriter(said, true));
    line.setErr(new PrintWriter(said, true));
    return line.execute(arguments(parts));
  }

  String said() {
    return said.toString();
  }
}
