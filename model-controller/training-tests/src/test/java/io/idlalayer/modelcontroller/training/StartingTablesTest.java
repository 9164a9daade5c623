package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelloader.imported.ImportedTable;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Networks with embedding tables that PyTorch and Keras wrote as ONNX: network and rows are
 * imported, trained, written and imported again, and ONNX Runtime predicts from both files what the
 * product predicts.
 */
@ExtendWith(OnnxRuntime.class)
final class StartingTablesTest {
  private static final double CLOSE = 1e-5;
  private static final int ROWS = 16;
  private static final int NUMBERS = 3;

  private static Path folder() {
    return Path.of(System.getProperty("idlalayer.networks", "src/test/resources/networks"));
  }

  static Stream<String> files() throws IOException {
    try (Stream<Path> all = Files.list(folder())) {
      return all
          .map(each -> String.valueOf(each.getFileName()))
          .filter(name -> name.endsWith(".onnx") && ElsewhereNetworks.hasTables(name))
          .sorted()
          .toList()
          .stream();
    }
  }

  /** An id feature with a table of its own. */
  private record Feature(String name, int rows, int dim, int mostIds, IdPooling pooling) {}

  private static ModelSpec spec(RowIndex.Kind kind, String numbers, Feature... features) {
    SampleSchema plain = Trainings.classes(1, 2);
    List<SampleSchema.IdFeature> ids = new ArrayList<>();
    List<ModelSpec.Table> tables = new ArrayList<>();
    List<ModelSpec.Use> uses = new ArrayList<>();
    for (Feature each : features) {
      RowIndex index = kind == RowIndex.Kind.OPEN ? RowIndex.OPEN : new RowIndex(kind, each.rows);
      ids.add(new SampleSchema.IdFeature(each.name, each.mostIds, index));
      uses.add(new ModelSpec.Use(tables.size(), each.pooling));
      tables.add(new ModelSpec.Table(each.name, each.dim));
    }
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature(numbers, NUMBERS, 1)),
            List.of(),
            ids,
            plain.label(),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(List.of(8)),
        StartFiles.FIT,
        true,
        new ModelSpec.Embeddings(
            tables, uses, new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.1, 0.01)));
  }

  private static ModelSpec spec(String file) {
    RowIndex.Kind number = RowIndex.Kind.NUMBER;
    return switch (file.substring(0, file.indexOf('.'))) {
      case "embedding_mean" -> spec(number, "a", new Feature("b", 20, 4, 3, IdPooling.MEAN));
      case "embedding_sum" -> spec(number, "a", new Feature("b", 20, 4, 3, IdPooling.SUM));
      case "embedding_two" ->
          spec(
              number,
              "a",
              new Feature("b", 20, 4, 1, IdPooling.MEAN),
              new Feature("c", 7, 2, 1, IdPooling.MEAN));
      case "keras_embedding" -> spec(number, "x", new Feature("item", 20, 4, 1, IdPooling.MEAN));
      default -> spec(number, "a", new Feature("b", 20, 4, 1, IdPooling.MEAN));
    };
  }

  private static List<Sample> samples(ModelSpec spec) {
    SplittableRandom random = new SplittableRandom(7);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      List<Long> keys = new ArrayList<>();
      int[] ends = new int[spec.schema().ids().size()];
      for (int f = 0; f < ends.length; f++) {
        SampleSchema.IdFeature feature = spec.schema().ids().get(f);
        for (int k = 0; k < feature.mostIds(); k++) {
          int id = random.nextInt(feature.index().rows());
          keys.add(feature.index().keyOf(Integer.toString(id)));
        }
        ends[f] = keys.size();
      }
      IdLists ids = new IdLists(keys.stream().mapToLong(Long::longValue).toArray(), ends);
      double[] x = random.doubles(NUMBERS, -2, 2).toArray();
      samples.add(new Sample("s" + i, x, new int[0], ids, x[0] > 0 ? 1 : 0));
    }
    return samples;
  }

  private static RowTables begun(StartingNetwork start, ModelSpec spec) {
    RowTables tables =
        new RowTables(
            EmbeddingPlans.of(spec),
            EmbeddingPlans.rule(spec, 1),
            RowSettings.DEFAULT,
            new InMemoryRowStore());
    for (ImportedTable each : start.tables()) {
      tables.begin(each.table(), each.keys(), each.weights(), 1_000);
    }
    return tables;
  }

  private static RowBatch rows(RowTables tables, List<Sample> samples) {
    return tables.look(samples.stream().map(Sample::ids).toList());
  }

  private static double[][] predict(ModelArtifact artifact, RowTables tables, List<Sample> samples)
      throws IOException {
    try (Dl4jModel model = Dl4jModel.load(artifact)) {
      return model.predict(samples, rows(tables, samples));
    }
  }

  /** Trains two updates, and commits their rows. */
  private static ModelArtifact trained(
      StartingNetwork start, ModelSpec spec, RowTables tables, List<Sample> samples)
      throws Exception {
    ModelArtifact model = start.artifact();
    try (Trainer trainer =
        EngineChoice.of(EngineName.ONEDNN, spec, null, JavaKernels::new).trainer("app", false)) {
      for (int update = 0; update < 2; update++) {
        List<TrainingRow> batch = new ArrayList<>();
        for (Sample each : samples) {
          batch.add(new TrainingRow(100L * update + batch.size(), 0, each, Float.NaN, true));
        }
        RowBatch rows = tables.gatherToTrain(samples.stream().map(Sample::ids).toList(), List.of());
        TrainingResult result =
            trainer.train(
                new TrainingRequest(model, new TrainingBatch(update, batch), update, rows));
        model = result.model();
        tables.commit(result.rows(), 2_000);
      }
    }
    return model;
  }

  @ParameterizedTest
  @MethodSource("files")
  void read_networksWithTables_predictAndReturn(String name) throws Exception {
    ModelSpec spec = spec(name);
    List<Sample> samples = samples(spec);
    Path file = folder().resolve(name);
    StartingNetwork start = StartingNetwork.read(file, spec);
    RowTables tables = begun(start, spec);
    double[][] first = predict(start.artifact(), tables, samples);
    double before = difference(first, run(file, samples, spec));
    ModelArtifact trained = trained(start, spec, tables, samples);
    double[][] then = predict(trained, tables, samples);
    double moved = difference(then, first);
    boolean lists = spec.schema().ids().get(0).mostIds() > 1;
    double after = 0;
    double returned = 0;
    if (lists) {
      assertThatThrownBy(() -> OnnxModel.of(trained, "app", rows(tables, samples)))
          .hasMessageContaining("lists of ids (b)");
    } else {
      Path written = Files.createTempFile("written", ".onnx");
      try {
        Files.write(written, OnnxModel.of(trained, "app", all(tables, spec)));
        double[][] expected = run(written, samples, spec);
        after = difference(then, expected);
        StartingNetwork again = StartingNetwork.read(written, spec);
        returned = difference(predict(again.artifact(), begun(again, spec), samples), expected);
      } finally {
        Files.delete(written);
      }
    }
    if (System.getProperty("idlalayer.networks") != null) {
      System.out.printf(
          Locale.ROOT,
          "| `%s` | %s | %.1e | %.1e | %.1e | %.1e |%n",
          name,
          start.layers(),
          before,
          moved,
          after,
          returned);
    }
    assertThat(before).describedAs("before the first update").isLessThan(CLOSE);
    assertThat(moved).describedAs("what training changed").isGreaterThan(1e-6);
    assertThat(after).describedAs("as ONNX again").isLessThan(CLOSE);
    assertThat(returned).describedAs("imported again").isLessThan(CLOSE);
  }

  /** Returns the rows of all ids, of missing ones and of unknown ones. */
  private static RowBatch all(RowTables tables, ModelSpec spec) {
    List<IdLists> lists = new ArrayList<>();
    int features = spec.schema().ids().size();
    for (int f = 0; f < features; f++) {
      for (long key = 0; key < spec.schema().ids().get(f).index().rows() + 2L; key++) {
        int[] ends = new int[features];
        Arrays.fill(ends, f, features, 1);
        lists.add(new IdLists(new long[] {key}, ends));
      }
    }
    return tables.look(lists);
  }

  @Test
  void read_tablesThatDoNotFit_saysWhatToWrite() {
    Path file = folder().resolve("embedding.dynamo.onnx");
    RowIndex.Kind number = RowIndex.Kind.NUMBER;
    IdPooling mean = IdPooling.MEAN;
    refused(
        file,
        spec(number, "a", new Feature("b", 21, 4, 1, mean)),
        "a table of 20 rows of 4 numbers, and table 'b' has 21 rows",
        "{name: b, dim: 4, rows: 20, index: number, features: [b]}");
    refused(file, spec(number, "a", new Feature("b", 20, 5, 1, mean)), "of 5; say");
    refused(file, spec(RowIndex.Kind.OPEN, "a", new Feature("b", 20, 4, 1, mean)), "has open rows");
    refused(
        file, spec(RowIndex.Kind.HASH, "a", new Feature("b", 20, 4, 1, mean)), "20 rows (HASH)");
    refused(
        file,
        spec(number, "a", new Feature("item", 20, 4, 1, mean)),
        "its input 'b' is of whole numbers, which are ids",
        "it has item");
    refused(
        file,
        spec(number, "a", new Feature("b", 20, 4, 1, mean), new Feature("c", 20, 4, 1, mean)),
        "has no table for 'c'");
    Path lists = folder().resolve("embedding_mean.script13.onnx");
    refused(lists, spec(number, "a", new Feature("b", 20, 4, 2, mean)), "'at-most: 2'");
    refused(lists, spec(number, "a", new Feature("b", 20, 4, 3, IdPooling.SUM)), "takes the sum");
  }

  @Tag("natives")
  @Test
  void read_damagedFiles_areReadOrRefused(@TempDir Path other) throws IOException {
    Map<String, ModelSpec> files = new TreeMap<>();
    for (String name : List.of("embedding_two.script13.onnx", "keras_embedding.keras.onnx")) {
      files.put(name, spec(name));
    }
    for (String name : List.of("mlp_gelu_tanh", "mlp_layernorm", "mlp_block")) {
      files.put(name + ".script13.onnx", ElsewhereNetworks.spec(name));
    }
    SplittableRandom random = new SplittableRandom(5);
    for (Map.Entry<String, ModelSpec> each : files.entrySet()) {
      byte[] whole = Files.readAllBytes(folder().resolve(each.getKey()));
      for (int i = 0; i < 200; i++) {
        byte[] damaged = whole.clone();
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        Path file = Files.write(other.resolve("damaged.onnx"), damaged);
        try {
          assertThat(StartingNetwork.read(file, each.getValue()).layers()).isNotEmpty();
        } catch (IOException refused) {
          assertThat(refused).hasMessageContaining("damaged.onnx: ");
        }
      }
    }
  }

  private static void refused(Path file, ModelSpec spec, String... parts) {
    assertThatThrownBy(() -> StartingNetwork.read(file, spec))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(parts);
  }

  private static double difference(double[][] found, double[][] expected) {
    double most = 0;
    for (int i = 0; i < expected.length; i++) {
      for (int k = 0; k < expected[i].length; k++) {
        most = Math.max(most, Math.abs(found[i][k] - expected[i][k]));
      }
    }
    return most;
  }

  // ---- ONNX Runtime ---------------------------------------------------------------------------

  private static double[][] run(Path file, List<Sample> samples, ModelSpec spec) throws Exception {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    double[][] rows = new double[samples.size()][];
    try (OrtSession session = environment.createSession(file.toString())) {
      for (int i = 0; i < rows.length; i++) {
        Map<String, OnnxTensor> given = new HashMap<>();
        for (Map.Entry<String, NodeInfo> each : session.getInputInfo().entrySet()) {
          given.put(
              each.getKey(),
              tensor(
                  environment,
                  each.getKey(),
                  (TensorInfo) each.getValue().getInfo(),
                  samples.get(i),
                  spec));
        }
        try (OrtSession.Result result = session.run(given)) {
          FloatBuffer values = ((OnnxTensor) result.get(0)).getFloatBuffer();
          double[] row = {values.get(0), values.get(1)};
          boolean shares = Math.abs(row[0] + row[1] - 1) < 1e-5 && row[0] >= 0 && row[1] >= 0;
          rows[i] = shares ? row : StartedNetworks.softmax(row);
        } finally {
          given.values().forEach(OnnxTensor::close);
        }
      }
    }
    return rows;
  }

  private static OnnxTensor tensor(
      OrtEnvironment environment, String name, TensorInfo info, Sample sample, ModelSpec spec)
      throws Exception {
    if (info.type == OnnxJavaType.INT64) {
      long[] keys = keys(name, sample, spec);
      long[] numbers = Arrays.stream(keys).map(key -> key - 2).toArray();
      return OnnxTensor.createTensor(
          environment, LongBuffer.wrap(numbers), new long[] {1, numbers.length});
    } else if (info.type == OnnxJavaType.DOUBLE) {
      return OnnxTensor.createTensor(
          environment, DoubleBuffer.wrap(sample.dense()), new long[] {1, NUMBERS});
    }
    float[] numbers = new float[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = (float) sample.dense()[i];
    }
    return OnnxTensor.createTensor(environment, FloatBuffer.wrap(numbers), new long[] {1, NUMBERS});
  }

  private static long[] keys(String input, Sample sample, ModelSpec spec) {
    List<Long> keys = new ArrayList<>();
    for (int f = 0; f < spec.schema().ids().size(); f++) {
      if (input.equals(OnnxModel.IDS) || input.equals(spec.schema().ids().get(f).name())) {
        for (int at = sample.ids().from(f); at < sample.ids().to(f); at++) {
          keys.add(sample.ids().key(at));
        }
      }
    }
    return keys.stream().mapToLong(Long::longValue).toArray();
  }
}
