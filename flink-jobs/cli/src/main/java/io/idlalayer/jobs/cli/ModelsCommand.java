package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Groups the commands on published models. */
@Command(
    name = "models",
    description =
        "Lists, shows, verifies, copies, follows, tests, asks, serves, pins and names published"
            + " models, and lists who serves them.",
    subcommands = {
      ModelsList.class,
      ModelsShow.class,
      ModelsPull.class,
      ModelsExport.class,
      ModelsFollow.class,
      ModelsEvaluate.class,
      ModelsPredict.class,
      ModelsServe.class,
      ModelsSubscribers.class,
      ModelsPin.class,
      ModelsUnpin.class,
      ModelsRollback.class,
      ModelsAlias.class
    })
final class ModelsCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return Terminal.OK;
  }
}
