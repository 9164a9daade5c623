package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a version. */
@Command(name = "pull", description = "Verifies a version and copies its files to a new folder.")
final class ModelsPull implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(index = "1", paramLabel = "FOLDER", description = "Must not exist yet.")
  Path target;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(names = "--version-number", paramLabel = "N", description = "Version (default: current).")
  long version;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(target)) {
      throw new UsageException(target + " exists; name a new folder");
    }
    ModelStore store = options.store(true);
    ModelCheckpoint checkpoint = ModelsOptions.find(store, application, partition, version);
    Map<String, byte[]> files = store.load(checkpoint);
    Path staged = target.resolveSibling("." + target.getFileName() + ".pulling");
    Files.createDirectories(staged);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(staged.resolve(file.getKey()), file.getValue());
    }
    Files.copy(
        checkpoint.file("manifest.json"),
        staged.resolve("manifest.json"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE);
    spec.commandLine()
        .getOut()
        .printf(
            "%s v%d, %d files, verified, in %s%n",
            application, checkpoint.manifest().version(), files.size(), target);
    return Idla.OK;
  }
}
