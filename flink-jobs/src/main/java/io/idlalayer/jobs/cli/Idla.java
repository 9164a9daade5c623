package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.run.SettingsChangedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code idla} command. Exit codes: 0 ok, 1 failed, 2 bad usage or environment. */
@Command(
    name = "idla",
    mixinStandardHelpOptions = true,
    version = "iDlaLayer 0.1.0-SNAPSHOT",
    description =
        "Keeps deep-learning models up to date on a stream of events, at the least training"
            + " cost.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:ok", "1:failed", "2:bad usage or environment"},
    scope = ScopeType.INHERIT,
    subcommands = {
      DemoCommand.class,
      RunCommand.class,
      ProduceCommand.class,
      TrainCommand.class,
      ModelsCommand.class,
      SamplesCommand.class,
      ReplayCommand.class,
      ClusterCommand.class
    })
public final class Idla implements Callable<Integer> {
  public static final int OK = 0;
  static final int FAILED = 1;
  static final int BAD_USAGE = 2;

  @Spec CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Print stack traces of errors.")
  boolean debug;

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    LogFile.begin(System.getenv(LogFile.VARIABLE));
    System.exit(execute(args));
  }

  static int execute(String... args) {
    return commandLine().execute(args);
  }

  static CommandLine commandLine() {
    return commandLine(new Idla());
  }

  /** A command line that explains errors as this one does. */
  public static CommandLine commandLine(Object command) {
    CommandLine line = new CommandLine(command);
    line.setExecutionExceptionHandler(Idla::explain);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  /** Errors are a message; whoever wants the stack trace asks for it. */
  private static int explain(
      Exception failed, CommandLine line, CommandLine.ParseResult arguments) {
    PrintWriter err = line.getErr();
    boolean usage = failed instanceof UsageException || failed instanceof SettingsChangedException;
    if (usage) {
      err.println(failed.getMessage());
    } else {
      String message = failed.getMessage();
      err.println("error: " + (message == null ? failed.toString() : message));
      if (!LogFile.where().isEmpty()) {
        err.println("(" + LogFile.where() + ")");
      }
    }
    if (arguments.hasMatchedOption("--debug")) {
      java.io.StringWriter trace = new java.io.StringWriter();
      failed.printStackTrace(new PrintWriter(trace));
      err.println(trace);
    } else if (!usage && !(failed instanceof IOException)) {
      err.println("(run again with --debug for the stack trace)");
    }
    err.flush();
    return usage ? BAD_USAGE : FAILED;
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return OK;
  }
}
