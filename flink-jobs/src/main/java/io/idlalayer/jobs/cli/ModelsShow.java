package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows a version's manifest. */
@Command(name = "show", description = "Verifies a version and prints its manifest.")
final class ModelsShow implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(names = "--version-number", paramLabel = "N", description = "Version (default: current).")
  long version;

  @Override
  public Integer call() throws IOException {
    ModelStore store = options.store(true);
    ModelCheckpoint checkpoint = ModelsOptions.find(store, application, partition, version);
    store.verify(checkpoint);
    spec.commandLine().getOut().println(Files.readString(checkpoint.file("manifest.json")));
    return Idla.OK;
  }
}
