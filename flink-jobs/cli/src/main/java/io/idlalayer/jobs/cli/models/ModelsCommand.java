package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Groups the commands on published models. */
@Command(
    name = "models",
    description =
        "Commands for published models: list, check, copy or export a version; predict, test or"
            + " serve with it; choose which version serves; list the processes that serve.",
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
public final class ModelsCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return Terminal.OK;
  }
}
