package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts one model version in service until it is unpinned, even if newer ones are published. */
@Command(
    name = "pin",
    description = {
      "Lets one version serve until it is unpinned, whatever is published meanwhile. Every"
          + " subscriber goes to it at its next look, and it is not deleted.",
      "The learner goes on to publish; `models unpin` lets its newest version serve."
    })
final class ModelsPin implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsFolderOptions folder;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(index = "1", paramLabel = "VERSION", description = "Number of the version.")
  long version;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(
      names = "--reason",
      defaultValue = "by hand",
      description = "Reason, a sentence that is kept with the pin (default: ${DEFAULT-VALUE}).")
  String reason;

  @Override
  public Integer call() throws IOException {
    if (version < 1) {
      throw new UsageException("VERSION must be at least 1, not " + version);
    }
    try (ModelStore models = folder.open(true, "")) {
      ModelCheckpoint checkpoint = ModelsOptions.find(models, application, partition, version);
      Pin pin = models.pin(checkpoint, 0, reason);
      spec.commandLine()
          .getOut()
          .printf(
              "%s/%d: v%d serves from now on, %s%n",
              application, partition, pin.version(), ModelsList.describe(pin));
    }
    return Terminal.OK;
  }
}
