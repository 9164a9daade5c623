package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a model version to a folder. */
@Command(name = "pull", description = "Verifies a version and copies its files to a new folder.")
final class ModelsPull implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;

  @Parameters(index = "0", paramLabel = "APPLICATION")
  String application;

  @Parameters(index = "1", paramLabel = "FOLDER", description = "Must not exist yet.")
  Path target;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(target)) {
      throw new UsageException(target + " exists; name a new folder");
    }
    try (ModelsOptions.OpenModels open = options.open(true)) {
      pull(open.reader());
    }
    return Terminal.OK;
  }

  private void pull(ModelReader models) throws IOException {
    ModelCheckpoint checkpoint = version.find(models, application);
    Map<String, byte[]> files = models.load(checkpoint);
    ModelManifest manifest = checkpoint.manifest();
    Path staged = target.resolveSibling("." + target.getFileName() + "-" + UUID.randomUUID());
    try {
      Files.createDirectories(staged);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(staged.resolve(file.getKey()), file.getValue());
      }
      if (manifest.hasRows()) {
        ModelManifest.ModelFile rows = pullRows(models, checkpoint, staged);
        Files.write(
            staged.resolve("manifest.json"), ModelReader.encoded(withAllRows(manifest, rows)));
      } else {
        Files.write(staged.resolve("manifest.json"), models.manifest(checkpoint));
      }
      Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      deleteIfThere(staged);
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s v%d, %d files, verified, in %s%n",
            application, manifest.version(), manifest.files().size(), target);
  }

  /** Deletes a folder of files that was not moved to its place. */
  private static void deleteIfThere(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  /**
   * Merges the rows of a version, which a chain of versions contains, into one file, so that the
   * folder can be served by itself.
   */
  private static ModelManifest.ModelFile pullRows(
      ModelReader models, ModelCheckpoint checkpoint, Path folder) throws IOException {
    Path file = folder.resolve(ModelManifest.ROWS_FILE);
    MessageDigest sha256 = sha256();
    List<InputStream> open = new ArrayList<>();
    try (OutputStream out = new DigestOutputStream(Files.newOutputStream(file), sha256)) {
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (ModelCheckpoint version : models.chain(checkpoint)) {
        InputStream in = models.open(version);
        open.add(in);
        newestFirst.add(0, new RowFile.Reader(in));
      }
      RowFile.merge(newestFirst, out);
    } catch (IOException failed) {
      // Says which file is damaged, if one is.
      models.verify(checkpoint);
      throw new IOException(
          "the rows of %s cannot be read: %s".formatted(checkpoint.location(), failed.getMessage()),
          failed);
    } finally {
      for (InputStream in : open) {
        in.close();
      }
    }
    return new ModelManifest.ModelFile(
        ModelManifest.ROWS_FILE, Files.size(file), HexFormat.of().formatHex(sha256.digest()));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  /** Returns a manifest that lists the merged file of rows, as the folder contains it. */
  private static ModelManifest withAllRows(ModelManifest manifest, ModelManifest.ModelFile rows) {
    SortedMap<String, String> attributes = new TreeMap<>(manifest.attributes());
    attributes.put(ModelManifest.ROWS, ModelManifest.FULL_ROWS);
    SortedMap<String, Long> counts = new TreeMap<>(manifest.counts());
    counts.replace("rowChanges", 0L);
    counts.replace("rowChangesBytes", 0L);
    List<ModelManifest.ModelFile> files =
        manifest.files().stream()
            .map(file -> file.name().equals(ModelManifest.ROWS_FILE) ? rows : file)
            .toList();
    return new ModelManifest(
        manifest.formatVersion(),
        manifest.application(),
        manifest.partition(),
        manifest.version(),
        manifest.parentVersion(),
        manifest.parentDigest(),
        manifest.createdAtMillis(),
        manifest.inputOffsets(),
        counts,
        manifest.metrics(),
        attributes,
        files);
  }
}
