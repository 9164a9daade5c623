package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Publishing as the learner does it, where the folder or another publisher is in the way. */
final class PublicationTest {
  @TempDir Path models;

  private LearnerSimulation simulation() {
    return new LearnerSimulation(
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(25)),
        DataSettings.defaults(),
        models,
        request -> false);
  }

  private static void learn(LearnerSimulation sim, int from, int count) throws Exception {
    for (int i = from; i < from + count; i++) {
      sim.arrive("", i, i % 2);
    }
    for (int i = 0; i < 20; i++) {
      sim.work();
      sim.step(20);
    }
  }

  @Test
  void publish_anotherRunTookThePlace_endsTheLearnerForGoodAndSaysWho() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      assertThat(sim.notices).hasSize(1);
      new ModelStore(models, InstantSource.system(), new PublisherIdentity("run B", "host B"))
          .claim("app", 0);
      assertThatThrownBy(() -> learn(sim, 25, 25))
          .isInstanceOf(LastingFailureException.class)
          .hasMessageContaining("run B (host B) with epoch 2")
          .hasMessageContaining("let only one run publish there");
      assertThat(sim.notices).hasSize(1);
    }
  }

  private LearnerSimulation publishingEvery(@Nullable Double seconds) {
    return LearnerSimulation.publishingEvery(
        seconds,
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(25)),
        DataSettings.defaults(),
        models);
  }

  @Test
  void publish_updatesSoonAfterAPublication_onlyTheNewestIsPublishedWhenItsTimeHasCome()
      throws Exception {
    try (LearnerSimulation sim = publishingEvery(10.0)) {
      learn(sim, 0, 25);
      assertThat(sim.notices).hasSize(1);
      learn(sim, 25, 25);
      learn(sim, 50, 25);
      assertThat(sim.notices).as("three updates within ten seconds").hasSize(1);
      assertThat(sim.events.get(sim.events.size() - 1).status().progress().updates()).isEqualTo(3);

      sim.pass(10_000);
      sim.work();
      sim.step(20);
      assertThat(sim.notices).hasSize(2);
      var published = sim.models.current("app", 0).orElseThrow().manifest();
      assertThat(published.counts()).containsEntry("updateNumber", 3L);
      assertThat(published.counts()).containsEntry("trainedNewSamples", 75L);
      assertThat(published.parentVersion()).isEqualTo(1);
      assertThat(published.attributes()).doesNotContainKey(VersionDrafts.BRANCH);
    }
  }

  @Test
  void publish_autoAndDearPublications_waitsAtMostAHundredMilliseconds() throws Exception {
    try (LearnerSimulation sim = publishingEvery(null)) {
      AtomicLong nanos = new AtomicLong();
      sim.measure(
          new ProcessorTimes(
              // Each reading of the clock is 100 ms later than the one before.
              () -> nanos.addAndGet(100_000_000),
              () -> 0,
              () -> 0,
              () -> new ProcessorUse.OfProcess(0, 0),
              () -> 0));
      sim.crash();
      sim.work();
      sim.step(20);
      learn(sim, 0, 25);
      assertThat(sim.notices).as("the first model is published at once").hasSize(1);
      sim.pass(10_000);
      update(sim, 25);
      assertThat(sim.notices).as("nothing was published for a while").hasSize(2);
      update(sim, 50);
      assertThat(sim.notices).as("right after a publication").hasSize(2);
      sim.pass(100);
      sim.work();
      sim.step(20);
      assertThat(sim.notices).hasSize(3);
      var published = sim.models.current("app", 0).orElseThrow().manifest();
      assertThat(published.counts()).containsEntry("trainedNewSamples", 75L);
    }
  }

  /** Trains and publishes as fast as a learner can: within 10 milliseconds. */
  private static void update(LearnerSimulation sim, int from) throws Exception {
    for (int i = from; i < from + 25; i++) {
      sim.arrive("", i, i % 2);
    }
    for (int i = 0; i < 5; i++) {
      sim.work();
      sim.step(2);
    }
  }

  @Test
  void publish_autoAndNothingIsMeasured_publishesEachModel() throws Exception {
    try (LearnerSimulation sim = publishingEvery(null)) {
      learn(sim, 0, 25);
      update(sim, 25);
      update(sim, 50);
      assertThat(sim.notices).hasSize(3);
    }
  }

  @Test
  void publish_inputEndsBeforeItsTimeHasCome_publishesAtOnce() throws Exception {
    try (LearnerSimulation sim = publishingEvery(3_600.0)) {
      learn(sim, 0, 25);
      learn(sim, 25, 30);
      assertThat(sim.notices).hasSize(1);
      sim.finish();
      var published = sim.models.current("app", 0).orElseThrow().manifest();
      assertThat(published.counts()).containsEntry("trainedNewSamples", 55L);
    }
  }

  @Test
  void open_afterACrashWhileAModelWaits_publishesItAtTheStart() throws Exception {
    try (LearnerSimulation sim = publishingEvery(3_600.0)) {
      learn(sim, 0, 25);
      learn(sim, 25, 25);
      assertThat(sim.notices).hasSize(1);
      sim.crash();
      for (int i = 0; i < 5; i++) {
        sim.work();
        sim.step(20);
      }
      var published = sim.models.current("app", 0).orElseThrow().manifest();
      assertThat(published.counts()).containsEntry("trainedNewSamples", 50L);
      assertThat(published.parentVersion()).isEqualTo(1);
      int before = sim.notices.size();
      learn(sim, 50, 25);
      assertThat(sim.notices).as("within an hour of that").hasSize(before);
    }
  }

  @Test
  void publish_laterAttemptOfTheSameRunTookThePlace_endsThisAttempt() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      new ModelStore(models, InstantSource.system()).claim("app", 0);
      assertThatThrownBy(() -> learn(sim, 25, 25)).isInstanceOf(IllegalStateException.class);
    }
  }

  /** A learner that was restored is the publisher before anything is learned. */
  @Test
  void open_afterACrash_fencesWhoeverPublishedBefore() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      sim.crash();
      learn(sim, 25, 25);
      assertThat(sim.notices).hasSize(2);
    }
  }

  @Test
  void open_everyVersionWasDeleted_publishesTheModelAgain() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      assertThat(sim.models.current("app", 0).orElseThrow().manifest().version()).isEqualTo(1);
      try (Stream<Path> all = Files.walk(models.resolve("app"))) {
        for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
      sim.crash();
      for (int i = 0; i < 5; i++) {
        sim.work();
        sim.step(20);
      }
      var again = sim.models.current("app", 0).orElseThrow();
      assertThat(again.manifest().version()).as("versions only grow").isEqualTo(2);
      assertThat(again.manifest().parentVersion()).isEqualTo(1);
      assertThat(sim.notices).hasSize(2);
      learn(sim, 25, 25);
      assertThat(sim.models.current("app", 0).orElseThrow().manifest().parentVersion())
          .isEqualTo(2);
      assertThat(sim.events)
          .as("nothing was trained twice")
          .noneMatch(event -> event.status().trainedNewSamples() > 50);
    }
  }

  @Test
  void publish_pointerDamagedAndLeftoversNested_goesOn() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      Path folder = models.resolve("app/0");
      Path nested = folder.resolve(".deleting-x/a/b/c");
      Files.createDirectories(nested.getParent());
      Files.writeString(nested, "x");
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path file : all.filter(it -> it.endsWith("current.json")).toList()) {
          Files.writeString(file, "{");
        }
      }
      for (int i = 1; i <= 6; i++) {
        learn(sim, 25 * i, 25);
      }
      assertThat(sim.notices).hasSize(7);
      // Old versions are deleted within two seconds.
      for (int i = 0; i < 3; i++) {
        sim.step(1_000);
        sim.work();
      }
      assertThat(sim.models.list("app", 0)).hasSize(3);
      assertThat(folder.resolve(".deleting-x")).doesNotExist();
    }
  }
}
