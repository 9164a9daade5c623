package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options that choose a version of an application partition: by number, by alias, or the version
 * that serves.
 */
final class ModelsVersionOptions {
  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(
      names = "--version-number",
      paramLabel = "N",
      description = "Version (default: the one that serves).")
  @Nullable Long version;

  @Option(
      names = "--alias",
      paramLabel = "NAME",
      description = "The version that `models alias` gave this name.")
  @Nullable String alias;

  /**
   * Returns the version that the options choose.
   *
   * @throws UsageException if the options are invalid
   */
  ModelCheckpoint find(ModelReader models, String application) throws IOException {
    ApplicationPartition of = ModelsOptions.partition(application, partition);
    String name = alias;
    Long number = version;
    if (name != null) {
      if (number != null) {
        throw new UsageException("name the version once: either --version-number or --alias");
      }
      return models.aliased(of.application(), of.partition(), name(name));
    }
    if (number != null && number < 1) {
      throw new UsageException("--version-number must be at least 1, not " + number);
    }
    return ModelsOptions.find(models, application, partition, number == null ? 0 : number);
  }

  /** Returns a valid alias unchanged; refuses an invalid one as a usage error. */
  static String name(String alias) {
    try {
      return Alias.checked(alias);
    } catch (IllegalArgumentException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }
}
