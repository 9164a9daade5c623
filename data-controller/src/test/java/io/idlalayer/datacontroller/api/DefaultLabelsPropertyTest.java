package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.Retraction;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * Events and labels by id in any order, labels that come twice, late or never, labels taken back,
 * trainings and restarts, against a reference that follows the sentences on default labels in
 * {@code docs/repeated-events.md}.
 */
final class DefaultLabelsPropertyTest {
  private static final long AFTER_MILLIS = 30;
  private static final int DEFAULT = 0;
  private static final int CLASSES = 3;

  /** What is counted, and what the samples of the events have been told to be. */
  private record Outcome(
      int unlabeled,
      int duplicates,
      int merged,
      int trained,
      int pending,
      int labelsWaiting,
      int defaulted,
      int corrected,
      SortedMap<String, Integer> learned) {}

  /** What the documents say becomes of events and labels. */
  private static final class Reference {
    private static final class Known {
      boolean event;
      @Nullable Integer label;
      boolean byDefault;
      boolean withdrawn;
      boolean trained;
      long sinceMillis;
    }

    private final Map<String, Known> byId = new HashMap<>();
    private final SortedMap<String, Integer> learned = new TreeMap<>();
    private long notBeforeMillis;
    private int unlabeled;
    private int duplicates;
    private int merged;
    private int trained;
    private int pending;
    private int defaulted;
    private int corrected;

    void event(String id, long now) {
      Known known = byId.computeIfAbsent(id, each -> new Known());
      if (known.event) {
        duplicates++;
        return;
      }
      known.event = true;
      known.sinceMillis = now;
      unlabeled++;
      if (known.label != null) {
        pending++;
      }
    }

    void label(String id, int label) {
      Known known = byId.computeIfAbsent(id, each -> new Known());
      Integer before = known.label;
      known.label = label;
      boolean replacesDefault = known.byDefault;
      known.byDefault = false;
      if (before != null && before == label) {
        duplicates++;
      } else if (!known.event) {
        merged += before == null ? 0 : 1;
      } else {
        boolean waits = before != null && !known.trained;
        merged += waits ? 1 : 0;
        pending += waits ? 0 : 1;
        known.trained = false;
        known.withdrawn = false;
        corrected += replacesDefault ? 1 : 0;
      }
    }

    void withdraw(String id) {
      Known known = byId.get(id);
      if (known == null || known.label == null) {
        return;
      }
      if (!known.event) {
        byId.remove(id);
        unlabeled++;
        return;
      }
      known.label = null;
      known.byDefault = false;
      known.withdrawn = true;
      if (!known.trained) {
        pending--;
        unlabeled++;
      }
      known.trained = false;
    }

    void pass(long now, boolean all) {
      for (Known known : byId.values()) {
        boolean due = now >= notBeforeMillis && now - known.sinceMillis >= AFTER_MILLIS;
        if (known.event && known.label == null && !known.withdrawn && (due || all)) {
          known.label = DEFAULT;
          known.byDefault = true;
          unlabeled--;
          defaulted++;
          pending++;
        }
      }
    }

    void restart(long stopped, long now) {
      notBeforeMillis = now + Math.min(stopped, AFTER_MILLIS);
    }

    void train() {
      byId.forEach(
          (id, known) -> {
            if (known.event && known.label != null) {
              known.trained = true;
              learned.put(id, known.label);
            }
          });
      trained += pending;
      pending = 0;
    }

    Outcome outcome() {
      int waiting =
          (int) byId.values().stream().filter(it -> !it.event && it.label != null).count();
      return new Outcome(
          unlabeled,
          duplicates,
          merged,
          trained,
          pending,
          waiting,
          defaulted,
          corrected,
          new TreeMap<>(learned));
    }
  }

  private final SampleCodec codec = new SampleCodec();
  private final InMemorySampleStore store = new InMemorySampleStore();
  private final SortedMap<String, Integer> learned = new TreeMap<>();
  private DataController controller = open();
  private int unlabeled;
  private int duplicates;
  private int merged;
  private int trained;
  private int defaulted;
  private int corrected;
  private long updates;

  private DataController open() {
    DataSettings settings =
        new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 0),
                10_000,
                1 << 24,
                10_000)
            .with(new DefaultLabel(DEFAULT, AFTER_MILLIS));
    return new DataController(settings, store, 1);
  }

  private void arrive(Sample sample, long now) {
    ArrivalOutcome outcome =
        controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), now);
    corrected += outcome.correctsDefault() ? 1 : 0;
    switch (outcome.fate()) {
      case DUPLICATE -> duplicates++;
      case UNLABELED, EVENT_JOINED -> unlabeled++;
      case MERGED -> merged++;
      case LABEL_JOINED, CORRECTED, LABEL_WAITS -> {}
      case NEWBORN, LABEL_REPLACED, DEFAULTED, INCOMPLETE ->
          throw new AssertionError("no event has features and a label: " + outcome);
    }
  }

  private void withdraw(String id, long now) {
    Retraction.Fate fate = controller.retract(id, now).fate();
    unlabeled += fate == Retraction.Fate.WITHDRAWN ? 1 : 0;
  }

  private void pass(long now, boolean all) {
    ArrivalOutcome outcome = controller.giveDefaultLabel(now, all);
    while (outcome != null) {
      assertThat(outcome.fate()).isEqualTo(ArrivalOutcome.Fate.DEFAULTED);
      assertThat(outcome.sample().label()).isEqualTo(DEFAULT);
      unlabeled--;
      defaulted++;
      outcome = controller.giveDefaultLabel(now, all);
    }
  }

  private void restart(long stopped, long now) {
    byte[] snapshot = controller.snapshot();
    controller = open();
    controller.restore(snapshot);
    controller.rebuild(samples -> {});
    controller.resumed(stopped, now);
  }

  private void train() throws Exception {
    int pending = controller.waiting().size();
    if (pending == 0) {
      return;
    }
    updates++;
    Selection selection = controller.select(updates, pending);
    TrainingSession session = controller.begin(selection);
    List<Contribution> contributions = new ArrayList<>();
    for (TrainingRow row : session.load(codec::decode).rows()) {
      contributions.add(new Contribution(row.sampleId(), 1, 0.5f));
      learned.put(row.sample().id(), (int) row.sample().label());
    }
    session.accept(contributions, 1);
    trained += pending;
  }

  private Outcome outcome() {
    return new Outcome(
        unlabeled,
        duplicates,
        merged,
        trained,
        controller.waiting().size(),
        (int) controller.usage().waitingLabels(),
        defaulted,
        corrected,
        new TreeMap<>(learned));
  }

  @Property
  void anyOrder_countsAndLearnsWhatTheDocumentsSay(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 120) int steps) throws Exception {
    DefaultLabelsPropertyTest learner = new DefaultLabelsPropertyTest();
    Reference reference = new Reference();
    SplittableRandom random = new SplittableRandom(seed);
    long now = 1_000;
    for (int step = 0; step < steps; step++) {
      int number = 1 + random.nextInt(6);
      String id = "click-" + number;
      now += random.nextInt(12);
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> {
          learner.arrive(new Sample(id, new double[] {number}, new int[0], Sample.NO_LABEL), now);
          reference.event(id, now);
        }
        case 3, 4, 5 -> {
          int label = random.nextInt(CLASSES);
          learner.arrive(Sample.labelOf(id, label), now);
          reference.label(id, label);
        }
        case 6 -> {
          learner.withdraw(id, now);
          reference.withdraw(id);
        }
        case 7 -> {
          boolean all = random.nextInt(8) == 0;
          learner.pass(now, all);
          reference.pass(now, all);
        }
        case 8 -> {
          learner.train();
          reference.train();
        }
        default -> {
          long stopped = random.nextInt(60);
          now += stopped;
          learner.restart(stopped, now);
          reference.restart(stopped, now);
        }
      }
      assertThat(learner.outcome())
          .as("step %d of seed %d", step, seed)
          .isEqualTo(reference.outcome());
    }
  }
}
