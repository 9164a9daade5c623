package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the published model versions of applications. */
@Command(
    name = "list",
    description = {
      "Lists the published versions, the current one marked, with their pin and aliases.",
      "Verifies the files of a folder. With --store, only manifests and the lengths of files are"
          + " compared; `show` verifies a version."
    })
final class ModelsList implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;

  @Override
  public Integer call() throws IOException {
    boolean whole = true;
    try (ModelsOptions.OpenModels open = options.open(true)) {
      // A list should not fetch all files only to verify them.
      ModelReader.Scrutiny scrutiny =
          open.remote() ? ModelReader.Scrutiny.LENGTHS : ModelReader.Scrutiny.CONTENTS;
      for (Map.Entry<String, List<Integer>> each : open.reader().applications().entrySet()) {
        for (int partition : each.getValue()) {
          whole &= list(open.reader(), each.getKey(), partition, scrutiny);
        }
      }
    }
    return whole ? Terminal.OK : Terminal.FAILED;
  }

  private boolean list(
      ModelReader models, String application, int partition, ModelReader.Scrutiny scrutiny)
      throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    long currentVersion = current(models, application, partition);
    out.printf("%s/%d%n", application, partition);
    for (ModelCheckpoint checkpoint : models.list(application, partition)) {
      ModelManifest manifest = checkpoint.manifest();
      out.printf(
          "%s v%d  %s  parent v%d  trained %,d new samples in total%s%n",
          manifest.version() == currentVersion ? " *" : "  ",
          manifest.version(),
          Instant.ofEpochMilli(manifest.createdAtMillis()),
          manifest.parentVersion(),
          manifest.counts().getOrDefault("trainedNewSamples", 0L),
          rows(manifest));
    }
    pinned(models, application, partition, out);
    aliases(models, application, partition, out);
    List<String> problems = models.problems(application, partition, scrutiny);
    problems.forEach(problem -> out.println("   damaged: " + Shown.escaped(problem)));
    return problems.isEmpty();
  }

  private static void pinned(ModelReader models, String application, int partition, PrintWriter out)
      throws IOException {
    Optional<Pin> pin;
    try {
      pin = models.serving(application, partition).map(ModelReader.Serving::pin);
    } catch (CorruptModelException damaged) {
      // Among the problems.
      return;
    }
    pin.ifPresent(it -> out.printf("   v%d serves: %s%n", it.version(), describe(it)));
  }

  private static void aliases(
      ModelReader models, String application, int partition, PrintWriter out) throws IOException {
    Map<String, Alias> aliases;
    try {
      aliases = models.aliases(application, partition);
    } catch (CorruptModelException damaged) {
      // Among the problems.
      return;
    }
    aliases.forEach(
        (name, alias) ->
            out.printf(
                "   v%d is %s since %s%n",
                alias.version(), name, Instant.ofEpochMilli(alias.atMillis())));
  }

  /** Returns a readable description of a pin. */
  static String describe(Pin pin) {
    String until =
        pin.until() == 0 ? "until it is unpinned" : "until a version above v" + pin.until();
    return "pinned at %s %s: %s"
        .formatted(Instant.ofEpochMilli(pin.atMillis()), until, Shown.escaped(pin.reason()));
  }

  /**
   * Describes which rows of its embedding tables a version contains; "" if the model has no tables.
   */
  static String rows(ModelManifest manifest) {
    if (!manifest.hasRows()) {
      return "";
    }
    long bytes =
        manifest.file(ModelManifest.ROWS_FILE).map(ModelManifest.ModelFile::bytes).orElse(0L);
    return ModelManifest.FULL_ROWS.equals(manifest.attributes().get(ModelManifest.ROWS))
        ? ", all rows in %,d bytes".formatted(bytes)
        : ", %,d changed rows in %,d bytes"
            .formatted(manifest.counts().getOrDefault("rowsChanged", 0L), bytes);
  }

  /**
   * Returns the number of the current version; 0 if there is none, or if the pointer file is
   * damaged, which is then added to the problems.
   */
  private static long current(ModelReader models, String application, int partition)
      throws IOException {
    try {
      return models.current(application, partition).map(it -> it.manifest().version()).orElse(0L);
    } catch (CorruptModelException damaged) {
      return 0;
    }
  }
}
