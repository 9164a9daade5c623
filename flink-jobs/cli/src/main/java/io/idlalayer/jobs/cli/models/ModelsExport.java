package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a model version as an ONNX file. */
@Command(
    name = "export",
    description = {
      "Verifies a version and writes it as an ONNX file: scaling, network and most probable class.",
      "Models with tables cannot be written so."
    })
final class ModelsExport implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(index = "1", paramLabel = "FILE", description = "Must not exist yet.")
  Path target;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(target)) {
      throw new UsageException(target + " exists; name a new file");
    }
    Path folder = target.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new UsageException("there is no folder %s for %s".formatted(folder, target));
    }
    try (ModelsOptions.OpenModels open = options.open(true)) {
      export(open.reader());
    }
    return Terminal.OK;
  }

  private void export(ModelReader models) throws IOException {
    ModelCheckpoint checkpoint = version.find(models, application);
    byte[] onnx;
    try {
      onnx = OnnxModel.of(new ModelArtifact(models.load(checkpoint)), application);
    } catch (UnsupportedModelException | MalformedModelException refused) {
      throw new IOException(
          "%s cannot be written as ONNX: %s".formatted(checkpoint.location(), refused.getMessage()),
          refused);
    }
    Path staged = target.resolveSibling(target.getFileName() + "-" + UUID.randomUUID());
    try {
      Files.write(staged, onnx);
      Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(staged);
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s v%d, verified, as ONNX with %d bytes in %s%n",
            application, checkpoint.manifest().version(), onnx.length, target);
  }
}
