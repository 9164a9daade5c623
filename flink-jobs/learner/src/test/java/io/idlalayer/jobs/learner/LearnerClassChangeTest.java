package io.idlalayer.jobs.learner;

import static io.idlalayer.jobs.learner.GateScenario.holds;
import static io.idlalayer.jobs.learner.GateScenario.inService;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.last;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.notices;
import static io.idlalayer.jobs.learner.SchemaChangeWorld.received;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.publish.VersionDrafts;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.ClassQuality;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner whose application file changes its classes between two starts. */
final class LearnerClassChangeTest {
  private static final int EVENTS = 100;

  /** The last events of a run are not trained before it stops. */
  private static final int UPDATE_EVERY = 30;

  private static final int KEPT = 100;
  private static final List<String> COLOURS = List.of("red", "green", "blue");

  @TempDir Path folder;
  private SchemaChangeWorld world;
  private final SplittableRandom random = new SplittableRandom(5);
  private int arrived;

  private @Nullable GateSettings gate;
  private SampleSchema.@Nullable History history;

  @BeforeEach
  void open() {
    world = new SchemaChangeWorld(folder);
  }

  private ApplicationSettings settings(String... classes) {
    ApplicationSettings plain =
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(UPDATE_EVERY)),
            DataSettings.defaults());
    GateSettings compared = gate;
    SampleSchema schema =
        new SampleSchema(
            List.of("a", "b", "y"),
            List.of(SampleSchema.DenseFeature.of("a"), SampleSchema.DenseFeature.of("b")),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of(classes)),
            null);
    return LearnerSettings.learning(
        compared == null
            ? LearnerSettings.published(plain, ApplicationSettings.Publishing.of(null, KEPT))
            : LearnerSettings.gated(plain, KEPT, compared),
        schema.with(history),
        new ModelSpec.Network.Mlp(List.of(8), 2),
        new ModelSpec.Fit(16, 4, ModelSpec.Updater.ADAM, 0.02, 0));
  }

  /** An event whose first feature tells its class, of the first ones of all. */
  private Sample sample(VirtualTimeLearner learner, int of) {
    int colour = random.nextInt(of);
    double a = colour + random.nextDouble() / 2;
    return new Sample(
        "e" + arrived++,
        new double[] {a, random.nextDouble()},
        new int[0],
        number(learner, COLOURS.get(colour)));
  }

  private static int number(VirtualTimeLearner learner, String name) {
    return learner.settings.input().schema().label().classes().indexOf(name);
  }

  private void learn(VirtualTimeLearner learner, int events, int of) throws Exception {
    for (int i = 0; i < events; i++) {
      Sample sample = sample(learner, of);
      learner.arrive(sample, ContentHasher.of(sample));
      learner.pass(10);
    }
  }

  private VirtualTimeLearner start(FakeLearnerState from, String... classes) throws Exception {
    return world.start(from, settings(classes));
  }

  private double[] predicted(ModelCheckpoint version, double a) throws Exception {
    return new PlainModelLoader()
        .load(world.store, version)
        .predict(List.of(Sample.of(new double[] {a, 0.5}, Sample.NO_LABEL)))[0];
  }

  private static List<ClassQuality> byClass(VirtualTimeLearner learner) {
    return Objects.requireNonNull(last(learner).prequential().classification()).byClass();
  }

  @Test
  void newClass_atARestart_learnsOnWithEverythingFromBefore() throws Exception {
    history = new SampleSchema.History(null, 1, false, 1);
    try (VirtualTimeLearner two = start(world.state, "red", "green")) {
      learn(two, EVENTS, 2);
      world.stop(two);
    }
    int before = world.versions().size();
    try (VirtualTimeLearner three = start(world.state, "blue", "red", "green")) {
      assertThat(notices(three))
          .containsExactly(
              "the application file has changed: added class blue; 100 stored samples go on with"
                  + " it");
      learn(three, EVENTS, 3);
      learn(three, 2 * EVENTS, 3);
      world.stop(three);
      assertThat(received(three)).isEqualTo(4 * EVENTS);
      assertThat(byClass(three))
          .extracting(ClassQuality::name)
          .containsExactly("blue", "red", "green");
      assertThat(byClass(three).get(0).correct()).as("blue is learned").isPositive();
      assertThat(byClass(three).stream().mapToLong(ClassQuality::samples).sum())
          .isEqualTo(last(three).prequential().scored());
    }
    assertThat(world.stored())
        .hasSize(4 * EVENTS)
        .allSatisfy(
            sample -> assertThat(sample.label()).isEqualTo(((int) sample.dense()[0] + 1) % 3));
    world.assertChained();
    List<ModelManifest> all = world.versions();
    for (int i = 0; i < all.size(); i++) {
      String expected = i == before ? "added class blue" : null;
      assertThat(all.get(i).attributes().get(VersionDrafts.SCHEMA)).isEqualTo(expected);
    }
    List<ModelCheckpoint> stored = world.store.list("app", 0);
    assertThat(predicted(stored.get(before - 1), 0.2)).hasSize(2);
    double[] late = predicted(stored.get(stored.size() - 1), 2.2);
    assertThat(late).hasSize(3);
    assertThat(late[0]).as("blue").isGreaterThan(0.5);

    try (VirtualTimeLearner again = start(world.state, "blue", "red", "green")) {
      assertThat(notices(again)).isEmpty();
      learn(again, EVENTS, 3);
      world.stop(again);
    }
    world.assertChained();
  }

  @Test
  void removedClass_atARestart_losesItsSamplesAndSaysSo() throws Exception {
    try (VirtualTimeLearner three = start(world.state, "red", "green", "blue")) {
      learn(three, EVENTS, 3);
      world.stop(three);
    }
    long blue = world.stored().stream().filter(sample -> sample.label() == 2).count();
    assertThat(blue).isBetween(20L, 50L);
    long untrained =
        world.stored().subList(EVENTS - 10, EVENTS).stream()
            .filter(sample -> sample.label() == 2)
            .count();
    assertThat(untrained).isPositive();
    int before = world.versions().size();
    try (VirtualTimeLearner two = start(world.state, "green", "red")) {
      assertThat(notices(two))
          .containsExactly(
              "the application file has changed: removed class blue; other order of classes;"
                  + " %d stored samples go on with it, and %d of removed classes are gone, %d of"
                      .formatted(EVENTS - blue, blue, blue - untrained)
                  + " which have trained");
      assertThat(byClass(two)).extracting(ClassQuality::name).containsExactly("green", "red");
      learn(two, EVENTS, 2);
      world.stop(two);
      assertThat(received(two)).isEqualTo(2 * EVENTS);
      assertThat(last(two).samples().stored()).isEqualTo(2 * EVENTS - blue);
      assertThat(last(two).samples().unlabeled()).as("never to be trained").isEqualTo(untrained);
      assertThat(
              last(two).samples().accounted(last(two).trainedNewSamples())
                  + last(two).decision().pending())
          .isEqualTo(2 * EVENTS);
    }
    assertThat(world.stored())
        .hasSize((int) (2 * EVENTS - blue))
        .allSatisfy(sample -> assertThat(sample.label()).isEqualTo(1 - (int) sample.dense()[0]));
    world.assertChained();
    assertThat(world.versions().get(before).attributes())
        .containsEntry(VersionDrafts.SCHEMA, "removed class blue; other order of classes");
    List<ModelCheckpoint> stored = world.store.list("app", 0);
    assertThat(predicted(stored.get(stored.size() - 1), 0.2)[1]).as("red").isGreaterThan(0.5);
  }

  /** Whatever happens before the first checkpoint has not happened. */
  @Test
  void crash_beforeTheFirstCheckpoint_convertsTheSameAgain() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "red", "green")) {
      learn(two, EVENTS, 2);
      world.stop(two);
    }
    FakeLearnerState savepoint = world.state;
    try (VirtualTimeLearner killed = start(savepoint.copy(), "blue", "green", "red")) {
      learn(killed, 5, 3);
    }
    try (VirtualTimeLearner three = start(savepoint.copy(), "blue", "green", "red")) {
      assertThat(notices(three)).singleElement().asString().contains("100 stored samples");
      learn(three, EVENTS, 3);
      world.stop(three);
      assertThat(last(three).trainedNewSamples()).isEqualTo(180);
    }
    world.assertChained();
    world.position = EVENTS;
    try (VirtualTimeLearner old = start(savepoint.copy(), "red", "green")) {
      assertThat(notices(old)).isEmpty();
      learn(old, EVENTS, 2);
      old.pass(2_000);
      assertThat(received(old)).isEqualTo(2 * EVENTS);
    }
  }

  @Test
  void updateInTraining_atTheStop_beginsAnewWithTheNewClasses() throws Exception {
    try (VirtualTimeLearner two =
        world.start(
            world.state, settings("red", "green"), learner -> learner.taskMillis(3_600_000))) {
      learn(two, UPDATE_EVERY, 2);
      assertThat(last(two).trainedNewSamples()).isZero();
      world.save(two);
    }
    try (VirtualTimeLearner three = start(world.state, "red", "green", "blue")) {
      three.pass(100);
      assertThat(three.said(DecisionEvent.Type.STAGED)).as("its samples have trained").isNotEmpty();
      learn(three, UPDATE_EVERY, 3);
      three.pass(2_000);
      assertThat(last(three).trainedNewSamples()).isEqualTo(2 * UPDATE_EVERY);
    }
  }

  @Test
  void earlyLabel_waitsForItsEventAcrossTheChange() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "red", "green")) {
      learn(two, EVENTS, 2);
      Sample early = Sample.labelOf("late", 0);
      two.arrive(early, ContentHasher.of(early));
      world.stop(two);
    }
    try (VirtualTimeLearner three = start(world.state, "blue", "red", "green")) {
      Sample event = new Sample("late", new double[] {0.3, 0.5}, new int[0], Sample.NO_LABEL);
      three.arrive(event, ContentHasher.of(event));
      world.stop(three);
    }
    assertThat(world.stored())
        .filteredOn(sample -> sample.id().equals("late"))
        .singleElement()
        .satisfies(sample -> assertThat(sample.label()).as("red").isOne());
  }

  @Test
  void gate_acrossTheChange_comparesAndContinuesTheVersionBefore() throws Exception {
    gate = inService(holds());
    try (VirtualTimeLearner two = start(world.state, "red", "green")) {
      learn(two, 6 * EVENTS, 2);
      two.pass(20_000);
      world.stop(two);
    }
    List<ModelManifest> before = world.versions();
    long serving = before.get(before.size() - 1).version();
    assertThat(serving).isGreaterThan(2);
    world.store.rollBack(new ApplicationPartition("app", 0), serving - 1, "worse");
    try (VirtualTimeLearner three = start(world.state, "red", "blue", "green")) {
      learn(three, 6 * EVENTS, 3);
      three.pass(20_000);
      world.stop(three);
    }
    ModelManifest next = world.versions().get(before.size());
    assertThat(next.parentVersion())
        .as("it goes on from where people went back")
        .isEqualTo(serving - 1);
    assertThat(next.counts()).containsEntry("comparedWith", serving - 1);
    assertThat(next.attributes()).containsEntry(VersionDrafts.SCHEMA, "added class blue");
    assertThat(predicted(world.store.read("app", 0, next.version()), 0.2)).hasSize(3);
  }

  @Test
  void otherClasses_ofWhichNoneIsLeft_areRefused() throws Exception {
    try (VirtualTimeLearner two = start(world.state, "red", "green")) {
      learn(two, EVENTS, 2);
      world.stop(two);
    }
    assertThatThrownBy(() -> start(world.state, "Red", "Green"))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("input.classes: [red, green] before, [Red, Green] now")
        .hasMessageContaining("none of the classes from before is left");
    assertThat(world.stored()).hasSize(EVENTS);
  }
}
