package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases of {@code docs/faults-labels.md} whose labels come late or whose contents repeat, with
 * events as their reporters have them, from the bytes of an event to the status.
 */
final class LateLabelCasesTest {
  private static final int EVENTS = 300;
  private static final int DELAY = 40;
  private static final String[] SITES = {"A", "B", "C", "D"};

  @TempDir Path folder;

  private static SampleSchema schema(
      List<DenseFeature> dense, List<CategoricalFeature> categorical, List<IdFeature> ids) {
    return new SampleSchema(
        List.of("event", "user", "ad", "clicked"),
        dense,
        categorical,
        ids,
        new SampleSchema.Label("clicked", Task.CLASSIFICATION, List.of("0", "1")),
        "event");
  }

  private static SampleDecoder json(
      List<DenseFeature> dense, List<CategoricalFeature> categorical, List<IdFeature> ids) {
    return new JsonSampleDecoder(
        schema(dense, categorical, ids), EventEncoding.UTF_8, EventParts.JOINED);
  }

  private static String site(int event) {
    return SITES[event * 7 % SITES.length];
  }

  /** Events, each followed by its label after a while. */
  private static List<String> stream(String event, String label) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < EVENTS + DELAY; i++) {
      if (i < EVENTS) {
        lines.add(event.formatted(i, site(i)));
      }
      if (i >= DELAY) {
        int of = i - DELAY;
        lines.add(label.formatted(of, of % 3 == 0 ? 1 : 0, site(of)));
      }
    }
    return lines;
  }

  /** Learns lines; returns how many stored samples have each categorical feature or id. */
  private Map<String, Integer> learn(SampleDecoder decoder, List<String> lines, Status[] status)
      throws Exception {
    try (LearnerSimulation sim =
        new LearnerSimulation(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10),
            DataSettings.defaults(),
            folder.resolve("models"),
            request -> false)) {
      for (String line : lines) {
        sim.arrive(decoder.decode(line.getBytes(StandardCharsets.UTF_8)));
      }
      sim.finish();
      status[0] = sim.last().status();
      Map<String, Integer> features = new TreeMap<>();
      SampleCodec codec = new SampleCodec();
      List<Long> ids = new ArrayList<>();
      sim.state.samples().forEachMetadata((id, metadata) -> ids.add(id));
      for (byte[] payload :
          sim.state.samples().payloads(ids.stream().mapToLong(id -> id).sorted().toArray())) {
        Sample sample = codec.decode(payload);
        String feature =
            sample.categorical().length > 0
                ? String.valueOf(sample.categorical()[0])
                : Long.toString(sample.ids().key(0));
        features.merge(feature, 1, Integer::sum);
      }
      return features;
    }
  }

  private void assertAllTrain(SampleDecoder decoder, String event, String label) throws Exception {
    Status[] status = {null};
    Map<String, Integer> features = learn(decoder, stream(event, label), status);
    assertThat(status[0].trainedNewSamples()).isEqualTo(EVENTS);
    assertThat(status[0].samples().joined()).isEqualTo(EVENTS);
    assertThat(status[0].samples().unlabeled()).isEqualTo(EVENTS);
    assertThat(status[0].samples().duplicates()).isZero();
    assertThat(status[0].samples().changed()).isZero();
    assertThat(features.values()).as("of each site").containsOnly(EVENTS / SITES.length);
    assertThat(features).hasSize(SITES.length);
  }

  private static final List<CategoricalFeature> SITE = List.of(new CategoricalFeature("site", 64));

  @Test
  void case37_labelsWithIdsOnly_trainAllSamples() throws Exception {
    assertAllTrain(
        json(List.of(), SITE, List.of()),
        "{\"event\":\"e%d\",\"site\":\"%s\"}",
        "{\"event\":\"e%d\",\"clicked\":%d}");
  }

  @Test
  void case37b_labelsOfEventsWithIdFeatures_trainAllSamples() throws Exception {
    assertAllTrain(
        json(List.of(), List.of(), List.of(new IdFeature("user", 1))),
        "{\"event\":\"e%d\",\"user\":\"%s\"}",
        "{\"event\":\"e%d\",\"clicked\":%d}");
  }

  @Test
  void case37c_labelsWithoutTheNumber_trainAllSamples() throws Exception {
    assertAllTrain(
        json(List.of(DenseFeature.of("price")), SITE, List.of()),
        "{\"event\":\"e%d\",\"price\":7,\"site\":\"%s\"}",
        "{\"event\":\"e%d\",\"clicked\":%d}");
  }

  @Test
  void labelsWithSomeFeatures_trainAllSamples() throws Exception {
    assertAllTrain(
        json(List.of(DenseFeature.of("price")), SITE, List.of()),
        "{\"event\":\"e%d\",\"price\":7,\"site\":\"%s\"}",
        "{\"event\":\"e%d\",\"clicked\":%d,\"site\":\"%s\"}");
  }

  @Test
  void case37d_labelsThatRepeatEverything_trainAllSamples() throws Exception {
    assertAllTrain(
        json(List.of(DenseFeature.of("price")), SITE, List.of()),
        "{\"event\":\"e%d\",\"price\":7,\"site\":\"%s\"}",
        "{\"event\":\"e%d\",\"clicked\":%d,\"site\":\"%s\",\"price\":7}");
  }

  @Test
  void case02d_clicksWithIds_allTrain() throws Exception {
    SampleDecoder csv =
        new CsvSampleDecoder(
            schema(List.of(), List.of(), List.of(new IdFeature("user", 1), new IdFeature("ad", 1))),
            TextForm.PLAIN,
            EventParts.JOINED);
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      rows.add(String.format(Locale.ROOT, "c%d,u%d,ad%d,%d", i, i % 4, i % 3, i % 10 == 0 ? 1 : 0));
    }
    rows.add(rows.get(17));
    Status[] status = {null};
    Map<String, Integer> users = learn(csv, rows, status);
    assertThat(status[0].trainedNewSamples()).isEqualTo(EVENTS);
    assertThat(status[0].samples().duplicates()).isEqualTo(1);
    assertThat(users.values()).containsOnly(EVENTS / 4);
  }
}
