package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.Pin;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lets the version before serve until a newer one is published. */
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
  long to;

  @Option(
      names = "--reason",
      defaultValue = "rolled back by hand",
      description = "A sentence for those who wonder later (default: ${DEFAULT-VALUE}).")
  String reason;

  @Override
  public Integer call() throws IOException {
    ModelStore models = new ModelStore(folder.root(true, ""), InstantSource.system());
    ModelCheckpoint serving = ModelsOptions.find(models, application, partition, 0);
    long current =
        models
            .current(application, partition)
            .map(it -> it.manifest().version())
            .orElseThrow(() -> new IOException(application + " has published no model"));
    ModelCheckpoint back =
        to > 0 ? ModelsOptions.find(models, application, partition, to) : before(models, serving);
    if (back.manifest().version() >= current) {
      throw new UsageException(
          "v%d is the current version or newer; a rollback goes to an older one"
              .formatted(back.manifest().version()));
    }
    Pin pin = models.pin(back, current, reason);
    spec.commandLine()
        .getOut()
        .printf(
            "%s/%d: v%d serves from now on, %s%n",
            application, partition, pin.version(), ModelsList.describe(pin));
    return Idla.OK;
  }

  private ModelCheckpoint before(ModelReader models, ModelCheckpoint serving) throws IOException {
    List<ModelCheckpoint> older =
        models.list(application, partition).stream()
            .filter(each -> each.manifest().version() < serving.manifest().version())
            .toList();
    if (older.isEmpty()) {
      throw new IOException(
          "%s has no version before v%d any more; publishing.keep says how many stay"
              .formatted(application, serving.manifest().version()));
    }
    return older.get(older.size() - 1);
  }
}
