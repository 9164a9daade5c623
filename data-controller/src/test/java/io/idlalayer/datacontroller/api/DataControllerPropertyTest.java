package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.ArrivalOutcome.Fate;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random lives against a model that knows only sets. */
final class DataControllerPropertyTest {
  private final SampleCodec codec = new SampleCodec();

  /** The store is full of Newborns at most this often before the test trains. */
  private static final int MAX_SAMPLES = 60;

  private static DataSettings settings() {
    return TestSettings.of(new DataSettings.Ratios(0.5, 1, 0.1), 20, MAX_SAMPLES, 1 << 20, 5);
  }

  private ArrivalOutcome arrive(
      DataController controller, String id, float x, double label, long now) {
    Sample sample = new Sample(id, new double[] {x}, new int[0], label);
    return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), now);
  }

  @Property(tries = 150)
  void select_everyLabelledSample_isNewOncePerLife(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 400) int steps) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    SampleStore store = new InMemorySampleStore();
    DataController controller = new DataController(settings(), store, seed);
    Map<Long, Integer> births = new HashMap<>();
    Map<Long, Integer> trained = new HashMap<>();
    Set<Long> waiting = new HashSet<>();
    long update = 0;
    for (int step = 0; step < steps; step++) {
      if (controller.full(64)) {
        update = train(controller, ++update, random, trained, waiting);
      }
      int dice = random.nextInt(20);
      if (dice < 13) {
        ArrivalOutcome arrival =
            arrive(controller, "", random.nextInt(120), random.nextInt(2), step / 6);
        assertThat(arrival.fate()).isEqualTo(Fate.NEWBORN);
        births.merge(arrival.sampleId(), 1, Integer::sum);
        assertThat(waiting.add(arrival.sampleId())).isTrue();
      } else if (dice < 15) {
        arrive(controller, "u" + random.nextInt(30), 500 + step, Sample.NO_LABEL, step / 6);
      } else if (dice < 16) {
        controller = reopened(controller, store, seed);
      } else if (controller.waiting().size() > 0) {
        update = train(controller, ++update, random, trained, waiting);
      }
      assertThat(controller.waiting().size()).isEqualTo(waiting.size());
      assertThat(controller.usage().samples()).isLessThanOrEqualTo(MAX_SAMPLES);
      assertThat(controller.usage().stages().total()).isEqualTo((int) controller.usage().samples());
    }
    while (controller.waiting().size() > 0) {
      update = train(controller, ++update, random, trained, waiting);
    }
    assertThat(trained).isEqualTo(births);
  }

  private static DataController reopened(DataController old, SampleStore store, long seed) {
    DataController controller = new DataController(settings(), store, seed);
    controller.restore(old.snapshot());
    controller.rebuild(samples -> {});
    assertThat(controller.usage().stages()).isEqualTo(old.usage().stages());
    assertThat(controller.usage().samples()).isEqualTo(old.usage().samples());
    assertThat(controller.usage().bytes()).isEqualTo(old.usage().bytes());
    assertThat(controller.waiting().size()).isEqualTo(old.waiting().size());
    if (old.waiting().size() > 0) {
      Selection mine = controller.select(999, controller.waiting().size());
      Selection his = old.select(999, old.waiting().size());
      assertThat(mine.newIds()).isEqualTo(his.newIds());
      assertThat(mine.replayedIds()).isEqualTo(his.replayedIds());
    }
    return controller;
  }

  /** One training, which may be dropped or given up; returns the update's number. */
  private long train(
      DataController controller,
      long number,
      SplittableRandom random,
      Map<Long, Integer> trained,
      Set<Long> waiting) {
    Selection selection =
        controller.select(number, 1 + random.nextInt(controller.waiting().size()));
    assertThat(selection.replayedIds().length).isLessThanOrEqualTo(20);
    TrainingSession training = controller.begin(selection);
    for (long id : selection.newIds()) {
      assertThat(waiting.remove(id)).isTrue();
    }
    if (random.nextInt(5) == 0) {
      training.abandon();
      for (long id : selection.newIds()) {
        waiting.add(id);
      }
      return number;
    }
    TrainingBatch batch = training.load(codec::decode);
    assertThat(batch.freshCount()).isEqualTo(selection.newIds().length);
    List<Contribution> contributions = new ArrayList<>();
    for (TrainingRow row : batch.rows()) {
      contributions.add(
          new Contribution(row.sampleId(), random.nextInt(5), random.nextInt(5) / 2f));
    }
    training.accept(contributions, 1);
    for (long id : selection.newIds()) {
      trained.merge(id, 1, Integer::sum);
    }
    return number;
  }
}
