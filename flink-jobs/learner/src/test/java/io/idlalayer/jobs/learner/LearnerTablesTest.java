package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A learner with tables for which memory is short, rows expire, or the process dies. */
final class LearnerTablesTest {
  private static final RowSettings EVERY_ID =
      new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER);

  private static final int IDLE_SECONDS = 600;

  /** All but those that are too few for an update. */
  private static void assertAllTrained(TablesWorld world) {
    EventCounters counters = new EventCounters();
    counters.restore(
        Objects.requireNonNull(world.written().get(LearnerState.Slot.COUNTERS), "no counters"));
    assertThat(counters.trainedNewSamples())
        .isBetween(TablesWorld.EVENTS - 12L, (long) TablesWorld.EVENTS);
    assertThat(counters.samples(0, 0, 0, 0).quarantined()).isZero();
  }

  @Test
  void gather_thatHasNoMemory_isAFailedAttemptAndNothingIsLost() throws InterruptedException {
    TablesWorld world =
        new TablesWorld(TablesWorld.settings(EVERY_ID, RowUpdater.ADAGRAD), TablesWorld.stream(5));
    int[] failed = {0};
    world.state.whenRowsAreRead(
        count -> {
          if (count > 7) {
            failed[0]++;
            throw new OutOfMemoryError("injected: Java heap space");
          }
        });
    world.finishAll();
    for (int i = 0; i < IDLE_SECONDS; i++) {
      world.idle();
    }
    assertThat(failed[0]).isPositive();
    assertThat(world.said(DecisionEvent.Type.DROPPED))
        .hasSize(failed[0])
        .allSatisfy(
            event ->
                assertThat(event.message())
                    .contains("not enough memory for the rows of its")
                    .contains("wait for the next attempt"));
    assertAllTrained(world);
  }

  @Test
  void gather_thatHasNoMemoryForAWhile_isTriedAgain() throws InterruptedException {
    TablesWorld world =
        new TablesWorld(TablesWorld.settings(EVERY_ID, RowUpdater.ADAM), TablesWorld.stream(6));
    int[] left = {4};
    world.state.whenRowsAreRead(
        count -> {
          if (left[0]-- > 0) {
            throw new OutOfMemoryError("injected: Java heap space");
          }
        });
    world.finishAll();
    for (int i = 0; i < IDLE_SECONDS; i++) {
      world.idle();
    }
    assertThat(world.said(DecisionEvent.Type.DROPPED)).hasSize(4);
    assertAllTrained(world);
  }

  /** With -XX:+ExitOnOutOfMemoryError the process exits before any code can catch the error. */
  @Test
  void gather_atWhichTheProcessDies_isFoundOutAtTheNextStart() throws InterruptedException {
    TablesWorld world =
        new TablesWorld(TablesWorld.settings(EVERY_ID, RowUpdater.ADAM), TablesWorld.stream(7));
    boolean[] dead = {false};
    FakeAttemptStore durable = new FakeAttemptStore(() -> dead[0]);
    world.attempted = () -> durable;
    world.close();
    int deaths = 0;
    TablesWorld.Checkpoint[] last = {world.checkpoint()};
    world.afterTick = () -> last[0] = world.checkpoint();
    while (last[0].position() < TablesWorld.EVENTS + 100 * IDLE_SECONDS) {
      dead[0] = false;
      world.state = last[0].state().copy();
      world.position = last[0].position();
      world.state.whenRowsAreRead(
          count -> {
            if (count > 7) {
              dead[0] = true;
              throw new InternalError("injected: the process ends");
            }
          });
      try {
        world.start();
        while (world.position < TablesWorld.EVENTS + 100 * IDLE_SECONDS) {
          if (world.position < TablesWorld.EVENTS) {
            world.step();
          } else {
            world.idle();
          }
          last[0] = world.checkpoint();
        }
      } catch (InternalError died) {
        deaths++;
        assertThat(deaths).as("it dies again and again").isLessThan(300);
      }
    }
    assertThat(deaths).isPositive();
    assertAllTrained(world);
  }

  /** The trainer does not wait for the store. */
  @Test
  void rows_thatAreAccepted_areWrittenOnceTheNextUpdateTrains() throws InterruptedException {
    RowSettings none = new RowSettings(100_000, RowPolicyName.SIMPLE, 1, 1_000, Expiry.NEVER);
    TablesWorld world =
        new TablesWorld(
            TablesWorld.settings(none, RowUpdater.ADAGRAD), TablesWorld.stream(8), true);
    List<Boolean> trainsAtWrite = new ArrayList<>();
    world.state.whenRowsAreWritten(() -> trainsAtWrite.add(world.executor.busy()));
    for (int i = 0; i < 24; i++) {
      world.arrive();
    }
    assertThat(trainsAtWrite).isEmpty();
    assertThat(world.executor.runOne()).isTrue();
    for (int tick = 0; tick < 5; tick++) {
      world.learner().tick();
    }
    assertThat(trainsAtWrite).containsExactly(true);
  }

  /** Explains the same whatever DRAM holds; being asked changes nothing. */
  @Test
  void explain_sampleWithIds_tellsHowOftenTheyCameInTraining() throws InterruptedException {
    for (RowIndex tags : List.of(RowIndex.OPEN, RowIndex.hash(7))) {
      ApplicationSettings settings =
          TablesWorld.settings(EVERY_ID, RowUpdater.ADAGRAD, TablesWorld.WIDE, RowIndex.OPEN, tags);
      // In a table of fixed size ids share rows.
      List<Sample> stream =
          tags.fixed()
              ? TablesWorld.stream(9).stream().map(LearnerTablesTest::withFewTags).toList()
              : TablesWorld.stream(9);
      TablesWorld world = new TablesWorld(settings, stream, true);
      while (world.position < TablesWorld.EVENTS) {
        world.step();
      }
      for (int i = 0; i < 10; i++) {
        world.work();
      }
      EventCounters counters = new EventCounters();
      TablesWorld.Checkpoint before = world.checkpoint();
      counters.restore(Objects.requireNonNull(before.state().get(LearnerState.Slot.COUNTERS)));
      List<Sample> trained = stream.subList(0, (int) counters.trainedNewSamples());
      RowUsage then = world.last().status().tables();
      for (int i = 0; i < TablesWorld.EVENTS; i += 7) {
        IdLists ids = stream.get(i).ids();
        long user = count(trained, ids.key(0), 0);
        long rarest = Long.MAX_VALUE;
        for (int k = ids.from(1); k < ids.to(1); k++) {
          rarest = Math.min(rarest, count(trained, ids.key(k), 1));
        }
        SampleView answer = world.explain("e" + i);
        assertThat(answer.idOccurrences())
            .containsExactly(Map.entry("user", (int) user), Map.entry("tags", (int) rarest));
      }
      RowUsage now = world.last().status().tables();
      // What was read to answer is traffic of the store.
      assertThat(now)
          .usingRecursiveComparison()
          .ignoringFields("store.readBytes", "store.waitSeconds")
          .isEqualTo(then);
      assertThat(TablesWorld.content(world.checkpoint().state(), settings))
          .isEqualTo(TablesWorld.content(before.state(), settings));
    }
  }

  @Test
  void explain_labelThatWaitsForItsEvent_hasNoIds() throws InterruptedException {
    TablesWorld world =
        new TablesWorld(TablesWorld.settings(EVERY_ID, RowUpdater.ADAGRAD), TablesWorld.stream(5));
    Sample label = Sample.labelOf("alone", 1);
    world.send(world.arrival(world.next(), 0, label, ContentHasher.of(label)));
    SampleView answer = world.explain("alone");
    assertThat(answer.found()).isTrue();
    assertThat(answer.labeled()).isFalse();
    assertThat(answer.idOccurrences()).isEmpty();
  }

  private static Sample withFewTags(Sample sample) {
    long[] keys = new long[sample.ids().size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i == 0 ? sample.ids().key(i) : 2 + sample.ids().key(i) % 7;
    }
    return new Sample(
        sample.id(),
        sample.dense(),
        sample.categorical(),
        new IdLists(keys, new int[] {1, keys.length}),
        sample.label());
  }

  /** How often an id is in a feature of samples. */
  private static long count(List<Sample> samples, long key, int feature) {
    long count = 0;
    for (Sample sample : samples) {
      IdLists ids = sample.ids();
      for (int i = ids.from(feature); i < ids.to(feature); i++) {
        count += ids.key(i) == key ? 1 : 0;
      }
    }
    return count;
  }

  private static final int LATE = 12;
  private static final int LABEL_COMES = 30;
  private static final int EVENTS_PER_DAY = 24;
  private static final IdLists LATE_IDS = IdLists.single(90, 90);

  /** Its ids come with a label, then without one, and the label of the latter comes a day later. */
  private static List<Sample> streamWithALateLabel() {
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < 2 * EVENTS_PER_DAY - 1; i++) {
      int number = i == LABEL_COMES ? LATE : i;
      boolean late = number == LATE || i == 0;
      stream.add(
          new Sample(
              "e" + number,
              new double[] {number},
              new int[0],
              late ? LATE_IDS : IdLists.single(2 + i, 2 + i),
              i == LATE ? Sample.NO_LABEL : i % 2));
    }
    return stream;
  }

  @Test
  void lateLabel_ofIdsWhoseRowsExpired_beginsTheirRowsAnew() throws InterruptedException {
    RowSettings rows =
        new RowSettings(2_000, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.unused(1_000));
    ApplicationSettings settings = TablesWorld.settings(rows, RowUpdater.ADAGRAD);
    TablesWorld world = new TablesWorld(settings, streamWithALateLabel());
    world.eventsPerDay = EVENTS_PER_DAY;
    while (world.position < LATE + 5) {
      world.step();
    }
    assertThat(tables(world).occurrences(LATE_IDS)).containsExactly(1, 1);
    while (world.position < LABEL_COMES) {
      world.step();
    }
    assertThat(tables(world).occurrences(LATE_IDS)).as("a day has passed").containsExactly(0, 0);
    TablesWorld.Checkpoint before = world.checkpoint();
    world.finish();

    assertThat(tables(world).occurrences(LATE_IDS)).containsExactly(1, 1);
    Status status = world.last().status();
    assertThat(status.samples().joined()).isEqualTo(1);
    assertThat(status.samples().quarantined()).isZero();
    TablesWorld killed = new TablesWorld(settings, streamWithALateLabel());
    killed.eventsPerDay = EVENTS_PER_DAY;
    killed.kill(before);
    killed.finish();
    assertThat(killed.content()).isEqualTo(world.content());
  }

  private static RowTables tables(TablesWorld world) {
    return TablesWorld.tables(world.checkpoint().state(), world.settings);
  }
}
