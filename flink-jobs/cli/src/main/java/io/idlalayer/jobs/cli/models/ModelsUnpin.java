package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Removes the pin of a model version, so that the newest version serves again. */
@Command(
    name = "unpin",
    description = "Takes a pin or a rollback away: the current version serves again.")
final class ModelsUnpin implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsFolderOptions folder;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Override
  public Integer call() throws IOException {
    ApplicationPartition of = ModelsOptions.partition(application, partition);
    try (ModelStore models = folder.open(true, "")) {
      boolean was = models.unpin(of.application(), of.partition());
      spec.commandLine()
          .getOut()
          .printf(
              "%s: %s%n", of, was ? "the current version serves again" : "no version was pinned");
    }
    return Terminal.OK;
  }
}
