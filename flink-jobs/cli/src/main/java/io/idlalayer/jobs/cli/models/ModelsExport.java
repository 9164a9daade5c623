package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.onnx.OnnxRepository;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a model version as an ONNX file, alone or in a repository of models. */
@Command(
    name = "export",
    description = {
      "Verifies a version and writes it as an ONNX file: scaling, network and most probable class.",
      "Models with tables cannot be written so.",
      "With --repository it is added to a folder as Triton and KServe read it."
    })
final class ModelsExport implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = "Must not exist yet.")
  @Nullable Path target;

  @Option(
      names = "--repository",
      paramLabel = "FOLDER",
      description = {
        "In place of FILE: adds FOLDER/MODEL/VERSION/model.onnx, and names it as the version that",
        "serves in FOLDER/MODEL/config.pbtxt. MODEL is the application, with -PARTITION if that is not 0."
      })
  @Nullable Path repository;

  @Override
  public Integer call() throws IOException {
    Path file = target;
    Path folder = repository;
    if ((file == null) == (folder == null)) {
      throw new UsageException("name either FILE or --repository FOLDER");
    }
    if (file != null) {
      check(file);
    }
    try (ModelsOptions.OpenModels open = options.open(true)) {
      ModelCheckpoint checkpoint = version.find(open.reader(), application);
      byte[] onnx = onnx(open.reader(), checkpoint);
      if (file != null) {
        write(file, checkpoint, onnx);
      } else if (folder != null) {
        add(folder, checkpoint, onnx);
      }
    }
    return Terminal.OK;
  }

  private static void check(Path file) {
    if (Files.exists(file)) {
      throw new UsageException(file + " exists; name a new file");
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new UsageException("there is no folder %s for %s".formatted(folder, file));
    }
  }

  private byte[] onnx(ModelReader models, ModelCheckpoint checkpoint) throws IOException {
    try {
      ModelArtifact artifact = new ModelArtifact(models.load(checkpoint));
      boolean tables =
          !ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE)).schema().ids().isEmpty();
      return OnnxModel.of(artifact, application, tables ? rows(models, checkpoint) : null);
    } catch (UnsupportedModelException | MalformedModelException refused) {
      throw new IOException(
          "%s cannot be written as ONNX: %s".formatted(checkpoint.location(), refused.getMessage()),
          refused);
    }
  }

  /** Returns all rows of a version's tables, even if its own file has changed rows only. */
  private static @Nullable IdVectors rows(ModelReader models, ModelCheckpoint checkpoint)
      throws IOException {
    return new PlainModelLoader().load(models, checkpoint).rows().orElse(null);
  }

  private void add(Path folder, ModelCheckpoint checkpoint, byte[] onnx) throws IOException {
    long number = checkpoint.manifest().version();
    int partition = checkpoint.manifest().partition();
    String model = partition == 0 ? application : application + "-" + partition;
    String origin = "application %s, partition %d".formatted(application, partition);
    boolean added = new OnnxRepository(folder).add(model, origin, number, onnx);
    spec.commandLine()
        .getOut()
        .printf(
            "%s v%d, verified, as ONNX with %d bytes %s%n",
            application,
            number,
            onnx.length,
            (added ? "in " : "is already in ") + folder.resolve(model));
  }

  private void write(Path file, ModelCheckpoint checkpoint, byte[] onnx) throws IOException {
    Path staged = file.resolveSibling(file.getFileName() + "-" + UUID.randomUUID());
    try {
      Files.write(staged, onnx);
      Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(staged);
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s v%d, verified, as ONNX with %d bytes in %s%n",
            application, checkpoint.manifest().version(), onnx.length, file);
  }
}
