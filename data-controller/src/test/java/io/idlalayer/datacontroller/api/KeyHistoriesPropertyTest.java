package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * Events of random keys, late and early labels, corrections, labels taken back, repeated deliveries
 * and restarts, against a small model of histories. The context of a sample is what was known when
 * it arrived, then and whenever it trains.
 */
final class KeyHistoriesPropertyTest {
  private static final String[] KEYS = {"a", "b", "c", "d", "e"};

  /** An event of the stream, as the model knows it. */
  private static final class Known {
    final String key;
    final long order;
    double x;
    double z;
    @Nullable Integer label;
    final double[] context;

    Known(String key, long order, double x, double z, double[] context) {
      this.key = key;
      this.order = order;
      this.x = x;
      this.z = z;
      this.context = context;
    }
  }

  /** What is kept of a key: its labels by the order of their events, and its last event. */
  private static final class Kept {
    final NavigableMap<Long, Integer> labels = new TreeMap<>(Comparator.reverseOrder());
    @Nullable Known last;
  }

  /** The histories as the documents describe them. */
  private static final class Model {
    final SampleSchema.History of;
    final boolean target;
    final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();
    final Map<String, Known> events = new HashMap<>();
    final Map<String, Integer> earlyLabels = new HashMap<>();
    long arrived;
    long left;

    Model(SampleSchema.History of, boolean target) {
      this.of = of;
      this.target = target;
    }

    double[] context(@Nullable Kept known, double x, double z) {
      List<Double> values = new ArrayList<>();
      List<Integer> labels = known == null ? List.of() : new ArrayList<>(known.labels.values());
      for (int i = 0; i < of.labels(); i++) {
        boolean there = i < labels.size();
        if (target) {
          values.add(there ? (double) labels.get(i) : Double.NaN);
          values.add(there ? 1.0 : 0.0);
        } else {
          for (int k = 0; k < 3; k++) {
            values.add(there && labels.get(i) == k ? 1.0 : 0.0);
          }
        }
      }
      if (of.changes()) {
        Known last = known == null ? null : known.last;
        values.add(last == null ? Double.NaN : x - last.x);
        values.add(last == null ? Double.NaN : z - last.z);
      }
      return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    Known arrive(String id, String key, double x, double z, @Nullable Integer label) {
      Kept history = kept.remove(key);
      double[] context = context(history, x, z);
      if (history == null) {
        history = new Kept();
        if (kept.size() == of.keys()) {
          kept.remove(kept.keySet().iterator().next());
          left++;
        }
      }
      kept.put(key, history);
      arrived++;
      Known event = new Known(key, arrived, x, z, context);
      history.last = event;
      events.put(id, event);
      label(event, label);
      return event;
    }

    void label(Known event, @Nullable Integer label) {
      Kept history = kept.get(event.key);
      event.label = label == null ? event.label : label;
      if (history == null || event.label == null) {
        return;
      }
      history.labels.put(event.order, event.label);
      while (history.labels.size() > of.labels()) {
        history.labels.pollLastEntry();
      }
    }

    void retract(Known event) {
      event.label = null;
      Kept history = kept.get(event.key);
      if (history != null) {
        history.labels.remove(event.order);
      }
    }
  }

  private static SampleSchema schema(SampleSchema.History history, boolean target) {
    Reading zero = new Reading(Missing.ZERO, false, List.of(), List.of());
    return new SampleSchema(
            List.of(),
            List.of(DenseFeature.of("x"), new DenseFeature("z", 1, 1, zero)),
            List.of(),
            new SampleSchema.Label(
                "y",
                target ? Task.REGRESSION : Task.CLASSIFICATION,
                target ? List.of() : List.of("0", "1", "2")),
            "id")
        .with(history);
  }

  /** The code under test, which is opened anew from its state now and then. */
  private static final class Real {
    private final SampleSchema schema;
    private final InMemorySampleStore store = new InMemorySampleStore();
    private final SampleCodec codec = new SampleCodec();
    private final JsonSampleDecoder decoder;
    KeyHistories histories;
    DataController controller;

    Real(SampleSchema schema) {
      this.schema = schema;
      decoder = new JsonSampleDecoder(schema, EventEncoding.UTF_8, EventParts.JOINED);
      histories = new KeyHistories(schema);
      controller = controller();
    }

    private DataController controller() {
      DataSettings settings =
          new DataSettings(
              DataSettings.Staging.defaults(),
              DataSettings.Replay.of(
                  DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 0),
              10_000,
              1 << 24,
              10_000);
      return new DataController(
          settings, store, index -> SelectionPolicies.of(settings.replay(), 1, index), histories);
    }

    void restart() {
      byte[] known = histories.snapshot();
      byte[] snapshot = controller.snapshot();
      histories = new KeyHistories(schema);
      histories.restore(known);
      assertThat(histories.snapshot()).isEqualTo(known);
      controller = controller();
      controller.restore(snapshot);
      controller.rebuild(samples -> {});
    }

    ArrivalOutcome arrive(String json, long now) throws Exception {
      Sample sample = decoder.decode(json.getBytes(StandardCharsets.UTF_8));
      return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), now);
    }

    List<TrainingRow> waiting() {
      int count = controller.waiting().size();
      if (count == 0) {
        return List.of();
      }
      Selection selection = controller.select(1, count);
      return controller.begin(selection).load(codec::decode).rows();
    }
  }

  private static String json(
      String id,
      @Nullable String key,
      @Nullable Double x,
      @Nullable Double z,
      @Nullable Integer y) {
    List<String> members = new ArrayList<>();
    members.add("\"id\":\"" + id + "\"");
    if (key != null) {
      members.add("\"key\":\"" + key + "\"");
    }
    if (x != null) {
      members.add("\"x\":" + x);
    }
    if (z != null) {
      members.add("\"z\":" + z);
    }
    if (y != null) {
      members.add("\"y\":" + y);
    }
    return "{" + String.join(",", members) + "}";
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void contexts_areWhatWasKnownAtArrival(
      @ForAll long seed,
      @ForAll @IntRange(max = 3) int labels,
      @ForAll boolean changes,
      @ForAll boolean target,
      @ForAll boolean named,
      @ForAll @IntRange(min = 1, max = 6) int most)
      throws Exception {
    SampleSchema.History of =
        new SampleSchema.History(named ? "key" : null, labels, labels == 0 || changes, most);
    SplittableRandom random = new SplittableRandom(seed);
    Model model = new Model(of, target);
    Real real = new Real(schema(of, target));
    List<String> ids = new ArrayList<>();
    for (int step = 0; step < 300; step++) {
      String key = named ? KEYS[random.nextInt(KEYS.length)] : "";
      String written = named ? key : null;
      double x = random.nextInt(9) / 4.0;
      double z = 1 + random.nextInt(9);
      Integer label = random.nextInt(3);
      String id = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
      Known known = model.events.get(id);
      int what = random.nextInt(12);
      if (what < 5 || ids.isEmpty()) {
        id = "e" + step;
        ids.add(id);
        Integer given = random.nextBoolean() ? label : null;
        ArrivalOutcome outcome = real.arrive(json(id, written, x, z, given), step);
        Known event = model.arrive(id, key, x, z, given);
        assertThat(outcome.sample().context().values()).isEqualTo(event.context);
        assertThat(outcome.sample().context().order()).isEqualTo(event.order);
      } else if (what == 5) {
        id = "early" + step;
        ids.add(id);
        real.arrive(json(id, written, null, null, label), step);
        model.earlyLabels.put(id, label);
      } else if (known == null) {
        // The label came first, and now its event.
        real.arrive(json(id, written, x, z, null), step);
        model.arrive(id, key, x, z, model.earlyLabels.get(id));
      } else if (what < 8) {
        real.arrive(json(id, random.nextBoolean() ? written : null, null, null, label), step);
        if (!label.equals(known.label)) {
          model.label(known, label);
        }
      } else if (what == 8) {
        // A correction, also of the key, which stays.
        real.arrive(json(id, written, x, z, null), step);
        if (known.x != x || known.z != z) {
          known.x = x;
          known.z = z;
          model.label(known, null);
        }
      } else if (what == 9) {
        real.controller.retract(id, step);
        model.retract(known);
      } else if (what == 10) {
        real.arrive(
            json(id, known.key.isEmpty() ? null : known.key, known.x, known.z, known.label), step);
      } else {
        real.restart();
      }
      assertThat(real.histories.size()).isEqualTo(model.kept.size());
      assertThat(real.histories.evicted()).isEqualTo(model.left);
    }
    real.restart();
    List<TrainingRow> waiting = real.waiting();
    for (TrainingRow row : waiting) {
      Known event = model.events.get(row.sample().id());
      assertThat(row.sample().context().values()).isEqualTo(event.context);
      assertThat(row.sample().label()).isEqualTo((double) event.label);
    }
    assertThat(waiting).hasSizeGreaterThan(10);
  }

  /** A context never has a label that came later, however many labels come late. */
  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void contexts_withLateLabels_haveTheLastKnownOfTheWholeStream(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int late) throws Exception {
    SampleSchema.History of = new SampleSchema.History("key", 2, false, 100);
    Real real = new Real(schema(of, false));
    SplittableRandom random = new SplittableRandom(seed);
    List<String> keys = new ArrayList<>();
    List<Integer> labels = new ArrayList<>();
    for (int event = 0; event < 150; event++) {
      if (event >= late) {
        real.arrive(json("e" + (event - late), null, null, null, labels.get(event - late)), event);
      }
      String key = KEYS[random.nextInt(KEYS.length)];
      ArrivalOutcome outcome = real.arrive(json("e" + event, key, 1.0, 1.0, null), event);
      double[] expected = new double[6];
      int found = 0;
      for (int before = event - late; before >= 0 && found < 2; before--) {
        if (keys.get(before).equals(key)) {
          expected[3 * found + labels.get(before)] = 1;
          found++;
        }
      }
      assertThat(outcome.sample().context().values()).isEqualTo(expected);
      keys.add(key);
      labels.add(random.nextInt(3));
    }
  }

  @Property(tries = 5)
  void restore_ofFewerKeys_keepsThoseWithTheLastEvents(@ForAll @IntRange(min = 1, max = 4) int most)
      throws Exception {
    SampleSchema many = schema(new SampleSchema.History("key", 1, true, 10), false);
    Real real = new Real(many);
    for (String key : KEYS) {
      real.arrive(json("id-" + key, key, 1.0, 2.0, 1), 1);
    }
    KeyHistories fewer =
        new KeyHistories(schema(new SampleSchema.History("key", 1, true, most), false));
    fewer.restore(real.histories.snapshot());
    assertThat(fewer.size()).isEqualTo(most);
    assertThat(fewer.evicted()).isEqualTo(KEYS.length - most);
    JsonSampleDecoder decoder = new JsonSampleDecoder(many, EventEncoding.UTF_8, EventParts.JOINED);
    for (int i = 0; i < KEYS.length; i++) {
      String event = json("next", KEYS[i], 1.0, 2.0, null);
      Sample sample = decoder.decode(event.getBytes(StandardCharsets.UTF_8));
      double[] kept = {0, 1, 0, 0, 0};
      double[] left = {0, 0, 0, Double.NaN, Double.NaN};
      assertThat(fewer.inContext(sample).context().values())
          .isEqualTo(i >= KEYS.length - most ? kept : left);
    }
  }
}
