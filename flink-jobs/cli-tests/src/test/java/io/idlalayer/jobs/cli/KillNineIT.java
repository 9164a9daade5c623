package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.embedded.ExpectedStream;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of the whole process (broker, Flink, trainer, producer) at random moments, again and
 * again on the same work directory, while a subscriber follows. At the end the counts must equal a
 * count that knows nothing of the product. {@code -Didlalayer.kills=20 -Didlalayer.kill.seed=...}
 * for the long form.
 */
final class KillNineIT {
  private static final long STREAM_SEED = 7;
  private static final int SECONDS = Integer.getInteger("idlalayer.kill.seconds", 20);
  private static final long EVENTS = SECONDS * 600L;
  private static final int MOST_LOOKS = 900;

  @TempDir Path folder;

  @Test
  void killNine_losesNothingDoublesNothingAndTearsNoVersion() throws Exception {
    int kills = Integer.getInteger("idlalayer.kills", 1);
    SplittableRandom random = new SplittableRandom(Long.getLong("idlalayer.kill.seed", 1));
    Path work = folder.resolve("work");
    Path log = folder.resolve("log");
    Path report = folder.resolve("report.json");
    String[] command = {
      "demo",
      "--seconds",
      "" + SECONDS,
      "--work-dir",
      work.toString(),
      "--report",
      report.toString()
    };
    Path moved = folder.resolve("moved");
    List<Long> served = Collections.synchronizedList(new ArrayList<>());
    List<String> refused = Collections.synchronizedList(new ArrayList<>());
    try (ModelSubscriber<Long> subscriber = follow(work, served)) {
      subscriber.start(null, refused::add);
      int done = 0;
      boolean finished = false;
      while (!finished && done < kills) {
        Process process = ChildRun.start(log, command);
        long millis = 3_000 + random.nextLong(9_000);
        finished = process.waitFor(millis, TimeUnit.MILLISECONDS);
        // The last kill comes after a checkpoint, so that there is one to go on from elsewhere.
        for (int i = 0;
            i < MOST_LOOKS && done == kills - 1 && !finished && !checkpointed(work);
            i++) {
          finished = process.waitFor(200, TimeUnit.MILLISECONDS);
        }
        if (!finished) {
          process.destroyForcibly().waitFor();
          done++;
          if (done == kills) {
            // The runs go on at another place; the subscriber finds it by a link.
            Files.move(work, moved);
            Files.createSymbolicLink(work, moved);
            command[Arrays.asList(command).indexOf("--work-dir") + 1] = moved.toString();
          }
        }
      }
      System.getLogger(KillNineIT.class.getName())
          .log(System.Logger.Level.INFO, "killed {0} times", done);
      assertThat(done).as("the stream is too short for so many kills").isEqualTo(kills);
      Process last = ChildRun.start(log, command);
      assertThat(last.waitFor(300, TimeUnit.SECONDS)).as(ChildRun.tail(log)).isTrue();
      assertThat(last.exitValue()).as(ChildRun.tail(log)).isZero();
      assertCounts(report, moved);
    }
    assertThat(Files.readString(log))
        .as("the last start of a moved folder goes on")
        .contains("continuing from");
    assertThat(ChildRun.temporary(log))
        .as("temporary files are in the work directory, where the next start sweeps them")
        .isEmptyDirectory();
    assertThat(refused).isEmpty();
    assertThat(served).isNotEmpty().isSorted().doesNotHaveDuplicates();
  }

  static boolean checkpointed(Path work) throws IOException {
    if (!Files.isDirectory(work.resolve("checkpoints"))) {
      return false;
    }
    try (Stream<Path> files =
        Files.find(work.resolve("checkpoints"), 6, (file, it) -> file.endsWith("_metadata"))) {
      return files.findAny().isPresent();
    } catch (UncheckedIOException changing) {
      return false;
    }
  }

  private static ModelSubscriber<Long> follow(Path work, List<Long> served) {
    ModelLoader<Long> loader =
        (checkpoint, files) -> {
          served.add(checkpoint.manifest().version());
          return checkpoint.manifest().version();
        };
    return new ModelSubscriber<>(
        new ModelSubscriber.Subscription(
            new ModelStore(work.resolve("models"), InstantSource.system()),
            "demo",
            0,
            Duration.ofMillis(20)),
        loader,
        InstantSource.system());
  }

  private static void assertCounts(Path file, Path work) throws Exception {
    JsonNode report = new ObjectMapper().readTree(file.toFile());
    ExpectedStream expected = ExpectedStream.of(STREAM_SEED, EVENTS);
    JsonNode samples = report.get("samples");
    long trained = report.get("trainedNewSamples").asLong();
    assertThat(samples.get("received").asLong()).isEqualTo(expected.events());
    assertThat(samples.get("malformed").asLong()).isEqualTo(expected.malformed());
    assertThat(samples.get("unlabeled").asLong()).isEqualTo(expected.unlabelledEvents());
    assertThat(report.get("balance").get("holds").asBoolean()).isTrue();
    assertThat(trained - samples.get("revived").asLong())
        .as("every labelled event is trained as new once")
        .isEqualTo(expected.labelledEvents());
    assertThat(samples.get("stored").asLong())
        .isEqualTo(expected.labelledEvents() + expected.unlabelledEvents());
    long inUpdates = 0;
    long version = 0;
    for (JsonNode update : report.get("updates")) {
      inUpdates += update.at("/firing/newSamples").asLong();
      if (update.hasNonNull("published")) {
        // Models that were made again after a kill waited until they had learned as much.
        assertThat(update.at("/published/version").asLong()).isGreaterThan(version);
        version = update.at("/published/version").asLong();
      }
    }
    assertThat(inUpdates).as("the updates of the report add up").isEqualTo(trained);
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    ModelCheckpoint current = store.current("demo", 0).orElseThrow();
    assertThat(current.manifest().version()).isEqualTo(version);
    assertThat(current.manifest().counts()).containsEntry("trainedNewSamples", trained);
    assertThat(store.problems("demo", 0)).isEmpty();
  }
}
