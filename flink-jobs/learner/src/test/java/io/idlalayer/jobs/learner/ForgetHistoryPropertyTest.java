package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;

/**
 * Histories of a learner that is asked to forget samples, with restarts at any moment and restores
 * of older checkpoints. Sample n is the n-th event, also when it is read again.
 */
final class ForgetHistoryPropertyTest {
  private static final long WITHIN_MILLIS = 8_000;
  private static final int STEPS = 250;

  /** What was sent, so that it can be read again. */
  private interface Sent {
    void send(LearnerSimulation sim) throws InterruptedException;
  }

  /** A checkpoint and how much had been sent then. */
  private record Taken(FakeLearnerState state, int sent, long position) {}

  /** A history that goes on step by step. */
  private static final class History {
    final Random random;
    final LearnerSimulation sim;
    final List<Sent> sent = new ArrayList<>();
    final Set<Long> toForget = new TreeSet<>();

    /** When each request was read for the first time since the last restore. */
    final Map<Long, Long> readAtMillis = new HashMap<>();

    /** Samples of which it was said that no version from now on has learned them. */
    final Set<Long> saidForgotten = new HashSet<>();

    final Set<Long> seenVersions = new HashSet<>();
    long events;
    long workedAtMillis;
    int heard;
    @Nullable Taken taken;

    History(long seed, Path models) {
      random = new Random(seed);
      sim =
          new LearnerSimulation(
              UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10),
              DataSettings.defaults()
                  .with(new ForgetSettings(WITHIN_MILLIS, 2 + random.nextInt(6))),
              models,
              request -> false);
    }

    void step() throws Exception {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          long id = ++events;
          send(learner -> learner.arrive("s" + id, (double) id, (double) (id % 2)));
        }
        case 4 -> send(LearnerSimulation::requestTraining);
        case 5, 6, 7 -> sim.turn();
        case 8 -> {
          if (sim.nowMillis > workedAtMillis + WITHIN_MILLIS / 4) {
            workAll();
          }
          sim.pass(random.nextInt((int) WITHIN_MILLIS / 3));
        }
        case 9 -> {
          if (events > 0 && random.nextInt(3) == 0) {
            long id = 1 + random.nextLong(events);
            toForget.add(id);
            send(
                learner -> {
                  readAtMillis.putIfAbsent(id, learner.nowMillis);
                  learner.send(
                      new LearnerEvent.RetractionRequest(
                          learner.next(), "s" + id, true, new TreeMap<>()));
                });
          }
        }
        case 10 -> {
          if (random.nextInt(4) == 0) {
            sim.crash();
          } else if (random.nextInt(4) == 0) {
            taken = new Taken(sim.checkpoint(), sent.size(), sim.position());
          }
        }
        default -> {
          Taken before = taken;
          if (before != null && random.nextInt(6) == 0) {
            restore(before);
          }
        }
      }
      look();
    }

    /**
     * The trainer thread ends what it was given, as a publication that has begun is not stopped at
     * the end of the time.
     */
    private void workAll() throws InterruptedException {
      while (sim.work()) {
        sim.step(1);
      }
      workedAtMillis = sim.nowMillis;
    }

    private void send(Sent one) throws InterruptedException {
      sent.add(one);
      one.send(sim);
    }

    private void restore(Taken before) throws Exception {
      readAtMillis.clear();
      sim.crash(before.state(), before.position());
      look();
      for (Sent each : List.copyOf(sent.subList(before.sent(), sent.size()))) {
        each.send(sim);
        look();
        if (random.nextBoolean()) {
          sim.turn();
          look();
        }
      }
    }

    /** Checks the versions that are new. */
    void look() throws IOException {
      List<ModelCheckpoint> versions = sim.models.list("app", 0);
      for (ModelCheckpoint each : versions) {
        if (seenVersions.add(each.manifest().version())) {
          Set<Long> learned = lineage(each);
          assertThat(learned)
              .as("version %d of those that are forgotten", each.manifest().version())
              .noneMatch(saidForgotten::contains);
          readAtMillis.forEach(
              (id, at) -> {
                if (sim.nowMillis > at + WITHIN_MILLIS) {
                  assertThat(learned)
                      .as("version %d", each.manifest().version())
                      .doesNotContain(id);
                }
              });
        }
      }
      for (; heard < sim.events.size(); heard++) {
        DecisionEvent event = sim.events.get(heard);
        if (event.type() == DecisionEvent.Type.FORGOTTEN && event.update() != null) {
          String names = event.message().replaceFirst(".*learned from (.*?); .*", "$1");
          for (String name : names.split(", ")) {
            saidForgotten.add(Long.parseLong(name.substring(1)));
          }
        }
      }
    }

    private Set<Long> lineage(ModelCheckpoint version) throws IOException {
      return new HashSet<>(
          FakeLineageTrainer.read(sim.models.load(version).get(FakeLineageTrainer.FILE)));
    }

    void end() throws Exception {
      sim.finish();
      look();
      Set<Long> expected =
          LongStream.rangeClosed(1, events)
              .boxed()
              .filter(id -> !toForget.contains(id))
              .collect(Collectors.toSet());
      assertThat(new HashSet<>(sim.lineage())).isEqualTo(expected);
      assertThat(sim.lineage()).doesNotHaveDuplicates();
      for (ModelCheckpoint each : sim.models.list("app", 0)) {
        assertThat(lineage(each)).noneMatch(saidForgotten::contains);
      }
    }
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void history_restartsAndRestores_noLaterVersionHasLearnedIt(@ForAll long seed) throws Exception {
    Path folder = Files.createTempDirectory("forgetting");
    try {
      History history = new History(seed, folder.resolve("models"));
      try (LearnerSimulation sim = history.sim) {
        for (int i = 0; i < STEPS; i++) {
          history.step();
        }
        history.end();
      }
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
