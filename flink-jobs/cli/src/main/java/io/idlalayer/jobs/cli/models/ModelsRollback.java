package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts the previous model version in service until a newer one is published. */
@Command(
    name = "rollback",
    description = {
      "Lets an older version serve until one above the current version is published. Without"
          + " --to, that is the version before the one that serves now.",
      "`models unpin` takes it back."
    })
final class ModelsRollback implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsFolderOptions folder;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(names = "--to", paramLabel = "N", description = "Version to go back to.")
  @Nullable Long to;

  @Option(
      names = "--reason",
      defaultValue = "rolled back by hand",
      description = "Reason, a sentence that is kept with the pin (default: ${DEFAULT-VALUE}).")
  String reason;

  @Override
  public Integer call() throws IOException {
    Long version = to;
    if (version != null && version < 1) {
      throw new UsageException("--to must be at least 1, not " + version);
    }
    try (ModelStore models = folder.open(true, "")) {
      ApplicationPartition of = ModelsOptions.partition(application, partition);
      Pin pin;
      try {
        pin = models.rollBack(of, version == null ? 0 : version, reason);
      } catch (IllegalArgumentException refused) {
        throw new UsageException(String.valueOf(refused.getMessage()));
      }
      spec.commandLine()
          .getOut()
          .printf(
              "%s/%d: v%d serves from now on, %s%n",
              application, partition, pin.version(), ModelsList.describe(pin));
    }
    return Terminal.OK;
  }
}
