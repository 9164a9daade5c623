package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the manifest of a model version. */
@Command(name = "show", description = "Verifies a version and prints its manifest.")
final class ModelsShow implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Override
  public Integer call() throws IOException {
    try (ModelsOptions.OpenModels open = options.open(true)) {
      ModelReader models = open.reader();
      ModelCheckpoint checkpoint = version.find(models, application);
      models.verify(checkpoint);
      String manifest = new String(models.manifest(checkpoint), StandardCharsets.UTF_8);
      spec.commandLine().getOut().println(manifest);
    }
    return Terminal.OK;
  }
}
