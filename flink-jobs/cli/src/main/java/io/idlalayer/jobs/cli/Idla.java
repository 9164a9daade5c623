package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cli.cache.SharedCacheCommand;
import io.idlalayer.jobs.cli.files.CheckCommand;
import io.idlalayer.jobs.cli.files.InitCommand;
import io.idlalayer.jobs.cli.lending.MemoryNodeCommand;
import io.idlalayer.jobs.cli.letters.LettersCommand;
import io.idlalayer.jobs.cli.models.ModelsCommand;
import io.idlalayer.jobs.cli.plan.PlanCommand;
import io.idlalayer.jobs.terminal.ClassArchive;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code idla} command, which groups all other commands. Exit codes: 0 ok, 1 failed, 2 bad
 * usage or environment. A run has two more: 3 learned with losses, 4 nothing learned.
 */
@Command(
    name = "idla",
    mixinStandardHelpOptions = true,
    version = "iDlaLayer 0.1.0-SNAPSHOT",
    description =
        "Keeps deep-learning models up to date on a stream of events, at the least training"
            + " cost.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ok; of an input, all of it was learned",
      "1:failed",
      "2:bad usage or environment",
      "3:the input was learned with losses: refused or lost events",
      "4:nothing of the input was learned"
    },
    scope = ScopeType.INHERIT,
    subcommands = {
      DemoCommand.class,
      InitCommand.class,
      CheckCommand.class,
      PlanCommand.class,
      RunCommand.class,
      ProduceCommand.class,
      LettersCommand.class,
      TrainCommand.class,
      ModelsCommand.class,
      SamplesCommand.class,
      ReplayCommand.class,
      ClusterCommand.class,
      MemoryNodeCommand.class,
      SharedCacheCommand.class
    })
public final class Idla implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Option(
      names = Terminal.DEBUG,
      scope = ScopeType.INHERIT,
      description = "Print stack traces of errors.")
  boolean debug;

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    Terminal.settle();
    LogFile.begin(System.getenv(LogFile.VARIABLE));
    int code = execute(args);
    ClassArchive.save().ifPresent(System.err::println);
    System.exit(code);
  }

  static int execute(String... args) {
    return commandLine().execute(args);
  }

  public static CommandLine commandLine() {
    return Terminal.commandLine(new Idla());
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return Terminal.OK;
  }
}
