package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.terminal.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The command line in this process, and what its last command printed. */
public final class IdlaRun {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /**
   * Runs a command and returns its exit code.
   *
   * @param parts parts of the command: texts of arguments with spaces between them, or lists of
   *     arguments that hold spaces
   */
  public int run(Object... parts) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Idla.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(Arrays.stream(parts).flatMap(IdlaRun::arguments).toArray(String[]::new));
  }

  private static Stream<String> arguments(Object part) {
    return part instanceof List<?> exact
        ? exact.stream().map(String::valueOf)
        : Stream.of(part.toString().split(" ", -1));
  }

  /** Runs a command that is refused, with a message for its user. */
  public void assertUsage(String message, Object... parts) {
    assertThat(run(parts)).as(Arrays.toString(parts)).isEqualTo(Terminal.BAD_USAGE);
    assertThat(err()).contains(message);
  }

  /** Runs a command that ends well, and returns what it printed. */
  public String printed(Object... parts) {
    assertThat(run(parts)).as(() -> err()).isZero();
    return out();
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }
}
