package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
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

/** Gives an alias to a model version, or deletes an alias. */
@Command(
    name = "alias",
    description = {
      "Gives a version a name, such as champion. A version that has the name loses it."
          + " Subscribers that follow the name go to the version at their next look, and it is not"
          + " deleted while it has a name.",
      "With --remove, no version has the name any more; subscribers that follow the name keep the"
          + " version that they have."
    })
final class ModelsAlias implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsFolderOptions folder;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(
      index = "1",
      paramLabel = "NAME",
      description = "Letters, digits and dashes, at most 32, the first one a letter.")
  String name;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "VERSION",
      description = "Number of the version.")
  @Nullable Long version;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(names = "--remove", description = "Take the name away.")
  boolean remove;

  @Override
  public Integer call() throws IOException {
    Long number = version;
    if (remove == (number != null)) {
      throw new UsageException("give either VERSION or --remove");
    }
    if (number != null && number < 1) {
      throw new UsageException("VERSION must be at least 1, not " + number);
    }
    ApplicationPartition of = ModelsOptions.partition(application, partition);
    String alias = ModelsVersionOptions.name(name);
    try (ModelStore models = folder.open(true, "")) {
      String done = number == null ? removed(models, of, alias) : given(models, of, alias, number);
      spec.commandLine().getOut().printf("%s: %s%n", of, done);
    }
    return Terminal.OK;
  }

  private static String removed(ModelStore models, ApplicationPartition of, String alias)
      throws IOException {
    return models.removeAlias(of.application(), of.partition(), alias)
        ? "no version is " + alias + " any more"
        : "no version was " + alias;
  }

  private static String given(
      ModelStore models, ApplicationPartition of, String alias, long version) throws IOException {
    ModelCheckpoint checkpoint =
        ModelsOptions.find(models, of.application(), of.partition(), version);
    models.alias(alias, checkpoint);
    return "v%d is %s from now on".formatted(version, alias);
  }
}
