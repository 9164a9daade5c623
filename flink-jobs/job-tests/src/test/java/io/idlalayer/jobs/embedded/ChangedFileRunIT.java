package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs of one application whose file changes in between: a feature, an id feature and a class come,
 * people go back to a version from before, and all of it goes again.
 */
final class ChangedFileRunIT {
  private static final int EVENTS = 400;
  private static final List<String> COLOURS = List.of("red", "green", "blue");

  @TempDir Path folder;
  private final SplittableRandom random = new SplittableRandom(3);
  private String servers = "";

  private ApplicationSettings application(String schema) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("shop.yaml"),
        """
        name: shop
        input:
          format: json
          id: i
          label: y
        %s
        model: {type: mlp, hidden: [8], members: 1}
        training: {learning-rate: 0.02, epochs: 4}
        update: {rule: count, count: 50}
        publishing:
          keep: 100
          gate: {action: hold, continue-from: in-service, samples: 40, wait: 1s}
        """
            .formatted(schema));
  }

  private ApplicationSettings before() throws Exception {
    return application(
        """
          features: [a]
          classes: [red, green]
        """);
  }

  private ApplicationSettings after() throws Exception {
    return application(
        """
          features: [b, a]
          ids: [user]
          classes: [blue, red, green]
        embeddings: {dim: 3, learning-rate: 0.1}
        """);
  }

  private static String event(String id, int colour, double b, int user) {
    return "{\"i\": \"%s\", \"a\": %s, \"b\": %s, \"user\": \"u%d\", \"y\": \"%s\"}"
        .formatted(id, colour + 0.5, b, user, COLOURS.get(colour));
  }

  /** Learns from new events, whose first feature tells their class. */
  private Status run(ApplicationSettings application, String name, int colours) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      int colour = random.nextInt(colours);
      text.append(event(name + i, colour, random.nextDouble(), random.nextInt(20))).append('\n');
    }
    Path file = Files.writeString(folder.resolve(name + ".jsonl"), text);
    return FileRun.run(
            application, folder.resolve("work"), servers, file, Long.MAX_VALUE, new FakeMonitor())
        .view()
        .learners()
        .get(0)
        .status();
  }

  private static String predicted(ModelStore models, ModelCheckpoint version, int colour)
      throws Exception {
    PlainModel model = new PlainModelLoader().load(models, version);
    Sample sample =
        new JsonSampleDecoder(model.spec().schema())
            .decode(event("", colour, 0.5, 1).getBytes(StandardCharsets.UTF_8));
    double[] probabilities = model.predict(List.of(sample))[0];
    int best = 0;
    for (int k = 1; k < probabilities.length; k++) {
      best = probabilities[k] > probabilities[best] ? k : best;
    }
    return model.spec().schema().label().classes().get(best);
  }

  @Test
  void runs_withChangedFiles_goOnWithEverything() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        ModelStore models = new ModelStore(folder.resolve("work/models"), InstantSource.system())) {
      servers = broker.bootstrapServers();
      run(before(), "first", 2);
      List<ModelCheckpoint> old = models.list("shop", 0);
      ModelCheckpoint last = old.get(old.size() - 1);
      assertThat(predicted(models, last, 1)).isEqualTo("green");

      Status grown = run(after(), "second", 3);
      assertThat(grown.samples().received()).isEqualTo(2 * EVENTS);
      assertThat(grown.samples().malformed()).isZero();
      assertThat(grown.trainedNewSamples()).isEqualTo(2 * EVENTS);
      ModelManifest next = models.list("shop", 0).get(old.size()).manifest();
      assertThat(next.parentDigest()).isEqualTo(last.digest());
      assertThat(next.attributes())
          .containsEntry(VersionDrafts.SCHEMA, "added features b, user; added class blue")
          .containsEntry(ModelManifest.ROWS, ModelManifest.FULL_ROWS);
      assertThat(next.counts()).containsEntry("comparedWith", last.manifest().version());
      ModelCheckpoint blue = models.current("shop", 0).orElseThrow();
      for (int colour = 0; colour < COLOURS.size(); colour++) {
        assertThat(predicted(models, blue, colour)).isEqualTo(COLOURS.get(colour));
      }

      // People go back to the version from before the change.
      models.rollBack(
          new ApplicationPartition("shop", 0), last.manifest().version(), "without blue");
      Status back = run(after(), "third", 3);
      assertThat(back.samples().received()).isEqualTo(3 * EVENTS);
      ModelCheckpoint newest = models.current("shop", 0).orElseThrow();
      assertThat(newest.manifest().version()).isGreaterThan(blue.manifest().version());
      for (int colour = 0; colour < COLOURS.size(); colour++) {
        assertThat(predicted(models, newest, colour)).isEqualTo(COLOURS.get(colour));
      }

      Status gone = run(before(), "fourth", 2);
      assertThat(gone.samples().received()).isEqualTo(4 * EVENTS);
      assertThat(gone.tables()).isNull();
      List<ModelCheckpoint> all = models.list("shop", 0);
      assertThat(all.get(all.size() - 1).manifest().attributes())
          .doesNotContainKey(ModelManifest.ROWS);
      for (ModelCheckpoint version : all) {
        assertThat(predicted(models, version, 0)).isIn(COLOURS);
      }
    }
  }
}
