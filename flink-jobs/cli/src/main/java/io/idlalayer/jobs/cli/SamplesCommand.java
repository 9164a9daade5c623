package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Groups the commands on stored samples. */
@Command(
    name = "samples",
    description = "Explains samples of a running application, or takes their labels back.",
    subcommands = {SamplesExplain.class, SamplesWithdraw.class})
final class SamplesCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return Terminal.OK;
  }
}
