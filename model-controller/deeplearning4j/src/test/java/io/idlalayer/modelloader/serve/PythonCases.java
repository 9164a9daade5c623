package io.idlalayer.modelloader.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.NetworkInput;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.ServingHistories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Writes what plain Java predicts with published models, for readers in other languages. Each case
 * is a file {@code expected-VERSION.json} beside the folder of a store.
 */
final class PythonCases {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The largest difference between two readers that both round. */
  private static final double RELATIVE = 1e-6;

  /** Sums over images, steps and dot products are larger than what a network is given. */
  private static final double RELATIVE_OF_LONG_SUMS = 6e-6;

  private static final int EVENTS = 40;

  private final Path folder;
  private final ModelStore store;

  /**
   * @param folder folder of the case; its models are in {@code models}
   */
  PythonCases(Path folder, ModelStore store) {
    this.folder = folder;
    this.store = store;
  }

  /** Publishes a random model and writes predictions for random events. */
  void random(RandomModel.Kind kind, RandomModel model, long seed) throws Exception {
    ModelCheckpoint version = model.publish(store, folder);
    Random random = new Random(seed);
    if (model.spec().contextMembers() > 0) {
      writeInContext(version, random);
      return;
    }
    ArrayNode events = JSON.createArrayNode();
    for (int i = 0; i < EVENTS; i++) {
      events.add(event(model.spec().schema(), random).toString());
    }
    write(
        version,
        events,
        kind.placed() || kind == RandomModel.Kind.DLRM ? RELATIVE_OF_LONG_SUMS : RELATIVE);
  }

  /** Returns an event with values for all fields, some of which may be missing. */
  static ObjectNode event(SampleSchema schema, Random random) {
    ObjectNode event = JSON.createObjectNode();
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      if (feature.width() == 1) {
        event.put(feature.name(), random.nextGaussian() * 3);
        continue;
      }
      ArrayNode values = event.putArray(feature.name());
      for (int i = 0; i < feature.width(); i++) {
        values.add(random.nextGaussian());
      }
    }
    for (SampleSchema.CategoricalFeature feature : schema.categorical()) {
      switch (random.nextInt(4)) {
        case 0 -> event.putNull(feature.name());
        case 1 -> event.put(feature.name(), random.nextInt(50));
        case 2 -> event.put(feature.name(), random.nextInt(50) / 7.0);
        default -> event.put(feature.name(), "Größe \uD83D\uDE00 " + random.nextInt(50));
      }
    }
    for (SampleSchema.IdFeature feature : schema.ids()) {
      ArrayNode ids = event.putArray(feature.name());
      for (int i = random.nextInt(feature.mostIds() + 1); i > 0; i--) {
        ids.add(random.nextInt(3) == 0 ? "stranger" : "u" + random.nextInt(30));
      }
    }
    return event;
  }

  private PlainModel load(ModelCheckpoint version) throws IOException {
    return new PlainModelLoader().load(LoadRequest.of(store, version, null));
  }

  /**
   * Writes what is predicted for events in JSON, or why they are refused.
   *
   * @param relative largest difference, relative to what the network is given or gives
   */
  void write(ModelCheckpoint version, ArrayNode events, double relative) throws Exception {
    PlainModel model = load(version);
    JsonSampleDecoder decoder = new JsonSampleDecoder(model.spec().schema().toPredict());
    ArrayNode rows = JSON.createArrayNode();
    for (var event : events) {
      ObjectNode row = rows.addObject().put("event", event.textValue());
      try {
        Sample sample = decoder.decode(event.textValue().getBytes(StandardCharsets.UTF_8));
        predicted(row, version, model, sample, relative);
      } catch (MalformedSampleException refused) {
        row.put("refused", refused.getMessage());
      }
    }
    save(version, rows);
  }

  /** Writes what is predicted without tolerances of long sums. */
  void write(ModelCheckpoint version, ArrayNode events) throws Exception {
    write(version, events, RELATIVE);
  }

  private void writeInContext(ModelCheckpoint version, Random random) throws Exception {
    PlainModel model = load(version);
    ModelSpec spec = model.spec();
    JsonSampleDecoder decoder = new JsonSampleDecoder(spec.schema().toPredict());
    ServingHistories histories = new ServingHistories(spec);
    ArrayNode rows = JSON.createArrayNode();
    for (int i = 0; i < EVENTS; i++) {
      ObjectNode event = event(spec.schema(), random);
      String key = "key-" + random.nextInt(14);
      event.put("key", key);
      Sample plain = decoder.decode(event.toString().getBytes(StandardCharsets.UTF_8));
      Sample arrived = histories.arrived(key, plain);
      ObjectNode row = rows.addObject().put("event", event.toString()).put("key", key);
      predicted(row.putObject("without"), version, model, plain, RELATIVE);
      predicted(row, version, model, arrived, RELATIVE);
      boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
      if (random.nextInt(3) > 0) {
        double label = target ? random.nextGaussian() : random.nextInt(spec.outputWidth());
        histories.label(arrived, label);
        row.put("label", label);
        if (random.nextInt(8) == 0) {
          histories.labelTaken(arrived);
          row.put("taken", true);
        }
      }
    }
    save(version, rows);
  }

  private void predicted(
      ObjectNode row, ModelCheckpoint version, PlainModel model, Sample sample, double relative)
      throws Exception {
    double[] values = model.predict(sample);
    FeatureScaler scaler = FeatureScaler.decode(store.load(version).get(ModelArtifact.SCALER_FILE));
    boolean target = model.spec().schema().label().task() == SampleSchema.Task.REGRESSION;
    double unit =
        target ? Math.max(1, scaler.target().unscaled(1) - scaler.target().unscaled(0)) : 1;
    double largest = 1;
    for (float given :
        new NetworkInput(model.spec()).features(List.of(sample), scaler, IdVectors.NONE)) {
      largest = Math.max(largest, Math.abs(given));
    }
    largest *= unit;
    ArrayNode predicted = row.putArray("values");
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
      predicted.add(value);
    }
    row.put("tolerance", relative * largest);
  }

  private void save(ModelCheckpoint version, ArrayNode rows) throws IOException {
    String name = String.format(Locale.ROOT, "expected-%d.json", version.version());
    Path whole = folder.resolve(name + ".new");
    Files.write(whole, JSON.writeValueAsBytes(rows));
    Files.move(whole, folder.resolve(name));
  }
}
