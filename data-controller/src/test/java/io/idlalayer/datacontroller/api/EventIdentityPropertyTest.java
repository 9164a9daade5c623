package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.Retraction;
import io.idlalayer.datacontroller.intake.StoredLabels;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * Events, labels, parts, corrections and repeated deliveries in any order, against a reference that
 * follows the sentences of {@code docs/repeated-events.md}, with restarts in between.
 */
final class EventIdentityPropertyTest {
  private static final long LABEL_WAIT_MILLIS = 40;

  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("price"),
              new DenseFeature(
                  "age", 1, 1f, new Reading(Missing.ZERO, false, List.of(), List.of()))),
          List.of(new CategoricalFeature("site", 1_024)),
          new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
          "id");

  private final SampleCodec codec = new SampleCodec();
  private final JsonSampleDecoder decoder =
      new JsonSampleDecoder(SCHEMA, EventEncoding.UTF_8, EventParts.JOINED);

  /** An event as a producer means it: the fields that it has. */
  private record Event(String id, Map<String, String> features, @Nullable String label) {
    String json() {
      List<String> members = new ArrayList<>();
      if (!id.isEmpty()) {
        members.add("\"id\":\"" + id + "\"");
      }
      features.forEach((name, value) -> members.add("\"" + name + "\":\"" + value + "\""));
      if (label != null) {
        members.add("\"y\":" + label);
      }
      return "{" + String.join(",", members) + "}";
    }
  }

  /** How many events had each fate. */
  private record Counts(
      int malformed,
      int unlabeled,
      int duplicates,
      int merged,
      int givenUp,
      int waitingLabels,
      int pending,
      int trained) {
    int total() {
      return malformed
          + unlabeled
          + duplicates
          + merged
          + givenUp
          + waitingLabels
          + pending
          + trained;
    }
  }

  /** What the documents say becomes of events. */
  private static final class Reference {
    /** What is known of an event with an id. */
    private static final class Known {
      final Map<String, String> features = new HashMap<>();
      @Nullable String label;
      boolean trained;
      long labelAtMillis;
    }

    final Map<String, Known> byId = new LinkedHashMap<>();
    int malformed;
    int unlabeled;
    int duplicates;
    int merged;
    int givenUp;
    int pending;
    int trained;

    /** Missing ages are zeros, so an age of 0 says nothing that a missing one does not. */
    private static String value(Known known, String name) {
      return known.features.getOrDefault(name, name.equals("age") ? "0" : "");
    }

    void arrive(Event event, long now) {
      pass(now);
      boolean labelOnly = event.features().isEmpty() && event.label() != null;
      if (event.id().isEmpty()) {
        anonymous(event);
        return;
      }
      Known known = byId.get(event.id());
      boolean price =
          event.features().containsKey("price")
              || (known != null && known.features.containsKey("price"));
      if (known == null) {
        if (!labelOnly && !price) {
          malformed++;
          return;
        }
        known = new Known();
        byId.put(event.id(), known);
        known.features.putAll(event.features());
        known.label = event.label();
        known.labelAtMillis = now;
        if (!labelOnly) {
          first(known);
        }
        return;
      }
      meet(known, event, price);
    }

    private void first(Known known) {
      if (known.label == null) {
        unlabeled++;
      } else {
        pending++;
      }
    }

    private void meet(Known known, Event event, boolean price) {
      boolean labelled = known.label != null;
      boolean whole = known.features.containsKey("price");
      boolean news = event.label() != null && !event.label().equals(known.label);
      for (Map.Entry<String, String> each : event.features().entrySet()) {
        news |= !whole || !each.getValue().equals(value(known, each.getKey()));
      }
      if (event.features().isEmpty() && event.label() == null) {
        malformed++;
        return;
      }
      if (!news) {
        duplicates++;
        return;
      }
      if (!event.features().isEmpty() && !price) {
        malformed++;
        return;
      }
      known.features.putAll(event.features());
      known.label = event.label() == null ? known.label : event.label();
      boolean isWhole = known.features.containsKey("price");
      if (!isWhole || known.label == null || (whole && labelled && !known.trained)) {
        merged++;
        return;
      }
      if (!whole && event.label() == null) {
        unlabeled++;
      } else if (!whole) {
        merged++;
      }
      known.trained = false;
      pending++;
    }

    private void anonymous(Event event) {
      if (!event.features().containsKey("price")) {
        malformed++;
        return;
      }
      if (event.label() == null) {
        unlabeled++;
      } else {
        pending++;
      }
    }

    void retract(String id) {
      Known known = byId.get(id);
      if (known == null || known.label == null) {
        return;
      }
      if (!known.features.containsKey("price")) {
        byId.remove(id);
        unlabeled++;
        return;
      }
      known.label = null;
      if (!known.trained) {
        pending--;
        unlabeled++;
      }
      known.trained = false;
    }

    void pass(long now) {
      byId.values()
          .removeIf(
              known -> {
                boolean late =
                    !known.features.containsKey("price")
                        && now - known.labelAtMillis >= LABEL_WAIT_MILLIS;
                givenUp += late ? 1 : 0;
                return late;
              });
    }

    void train() {
      byId.values()
          .forEach(
              known -> known.trained |= known.label != null && known.features.containsKey("price"));
      trained += pending;
      pending = 0;
    }

    Counts counts() {
      int waiting =
          (int) byId.values().stream().filter(it -> !it.features.containsKey("price")).count();
      return new Counts(
          malformed, unlabeled, duplicates, merged, givenUp, waiting, pending, trained);
    }
  }

  private InMemorySampleStore store = new InMemorySampleStore();
  private DataController controller = open();
  private int malformed;
  private int unlabeled;
  private int duplicates;
  private int merged;
  private int givenUp;
  private int trained;

  private DataController open() {
    DataSettings settings =
        new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 0),
                10_000,
                1 << 24,
                10_000)
            .withLabelWait(LABEL_WAIT_MILLIS);
    return new DataController(settings, store, 1);
  }

  private void restart() {
    byte[] snapshot = controller.snapshot();
    controller = open();
    controller.restore(snapshot);
    controller.rebuild(samples -> {});
  }

  private void arrive(Event event, long now) {
    Sample sample;
    try {
      sample = decoder.decode(event.json().getBytes(StandardCharsets.UTF_8));
    } catch (MalformedSampleException refused) {
      controller.giveUpLabels(now);
      malformed++;
      return;
    }
    ArrivalOutcome outcome =
        controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), now);
    switch (outcome.fate()) {
      case DUPLICATE -> duplicates++;
      case UNLABELED, EVENT_JOINED -> unlabeled++;
      case MERGED, LABEL_REPLACED -> merged++;
      case INCOMPLETE -> malformed++;
      case NEWBORN, LABEL_JOINED, CORRECTED, DEFAULTED, LABEL_WAITS -> {}
    }
  }

  private void train(long update) throws Exception {
    int pending = controller.waiting().size();
    if (pending == 0) {
      return;
    }
    Selection selection = controller.select(update, pending);
    TrainingSession session = controller.begin(selection);
    List<Contribution> contributions = new ArrayList<>();
    for (TrainingRow row : session.load(codec::decode).rows()) {
      contributions.add(new Contribution(row.sampleId(), 1, 0.5f));
    }
    session.accept(contributions, 1);
    trained += pending;
    assertThat(controller.waiting().size()).isZero();
  }

  private Counts counts() {
    givenUp += controller.takeLostLabels().size();
    return new Counts(
        malformed,
        unlabeled,
        duplicates,
        merged,
        givenUp,
        (int) controller.usage().waitingLabels(),
        controller.waiting().size(),
        trained);
  }

  private static Event event(SplittableRandom random, List<Event> sent) {
    if (!sent.isEmpty() && random.nextInt(4) == 0) {
      return sent.get(random.nextInt(sent.size()));
    }
    String id = random.nextInt(5) == 0 ? "" : "e" + random.nextInt(12);
    Map<String, String> features = new LinkedHashMap<>();
    boolean labelOnly = random.nextInt(3) == 0;
    for (String name : List.of("price", "age", "site")) {
      if (!labelOnly && random.nextInt(name.equals("price") ? 6 : 2) > 0) {
        features.put(name, String.valueOf(random.nextInt(3)));
      }
    }
    String label = labelOnly || random.nextBoolean() ? String.valueOf(random.nextInt(2)) : null;
    return new Event(id, features, label);
  }

  @Property(tries = 200)
  void arrive_anyOrder_isWhatTheDocumentsSay(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 150) int steps) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Reference reference = new Reference();
    List<Event> sent = new ArrayList<>();
    store = new InMemorySampleStore();
    controller = open();
    malformed = unlabeled = duplicates = merged = givenUp = trained = 0;
    long now = 0;
    int events = 0;
    for (int step = 0; step < steps; step++) {
      now += random.nextInt(4);
      int dice = random.nextInt(30);
      if (dice == 0) {
        restart();
      } else if (dice == 1) {
        train(step);
        reference.train();
      } else if (dice == 2) {
        String id = "e" + random.nextInt(12);
        Retraction taken = controller.retract(id, now);
        unlabeled += taken.fate() == Retraction.Fate.WITHDRAWN ? 1 : 0;
        reference.retract(id);
      } else if (dice == 3) {
        now += LABEL_WAIT_MILLIS;
        controller.giveUpLabels(now);
        reference.pass(now);
      } else {
        Event event = event(random, sent);
        sent.add(event);
        arrive(event, now);
        reference.arrive(event, now);
        events++;
      }
      assertThat(counts()).as("step %d of %s", step, sent).isEqualTo(reference.counts());
      assertThat(counts().total()).isEqualTo(events);
    }
    assertThat(stored()).containsExactlyInAnyOrderElementsOf(known(reference));
  }

  /** The stored samples of events with ids. */
  private List<String> stored() {
    List<String> samples = new ArrayList<>();
    store.forEachMetadata(
        (id, metadata) -> {
          try {
            byte[] payload = store.payloads(new long[] {id}).get(0);
            boolean early = metadata.identity().labelOnly();
            Sample sample = codec.decode(early ? StoredLabels.sample(payload) : payload);
            if (!sample.id().isEmpty()) {
              boolean labelled = metadata.labeled() || early;
              samples.add(shown(labelled ? sample : sample.withLabel(Sample.NO_LABEL)));
            }
          } catch (MalformedSampleException damaged) {
            throw new AssertionError(damaged);
          }
        });
    return samples;
  }

  private List<String> known(Reference reference) throws MalformedSampleException {
    List<String> samples = new ArrayList<>();
    for (Map.Entry<String, Reference.Known> each : reference.byId.entrySet()) {
      Reference.Known known = each.getValue();
      Event whole = new Event(each.getKey(), known.features, known.label);
      samples.add(shown(decoder.decode(whole.json().getBytes(StandardCharsets.UTF_8))));
    }
    return samples;
  }

  private static String shown(Sample sample) {
    return sample.id()
        + Arrays.toString(sample.dense())
        + Arrays.toString(sample.categorical())
        + sample.label();
  }
}
