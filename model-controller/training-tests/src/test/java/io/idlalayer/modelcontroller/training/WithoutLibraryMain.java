package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A process that trains some networks, and says whether it has ND4J. It prints a line for each
 * training: a digest of the model's files and of what it predicts. It names no class of
 * Deeplearning4j, also not through other classes of tests.
 */
final class WithoutLibraryMain {
  static final String LIBRARY = "LIBRARY ";
  static final String BITS = "BITS ";
  static final String REFUSED = "REFUSED ";

  private static final int ROWS = 192;
  private static final int WIDTH = 64;
  private static final int CLASSES = 3;

  private WithoutLibraryMain() {}

  /**
   * @param arguments folder with networks in Deeplearning4j's JSON, and one that the engine does
   *     not know: {@code unknown.json}
   */
  public static void main(String[] arguments) throws Exception {
    System.out.println(LIBRARY + library());
    Path folder = Path.of(arguments[0]);
    List<ModelSpec.Network> networks = new ArrayList<>();
    networks.add(new ModelSpec.Network.Mlp(List.of(16, 8)));
    networks.add(new ModelSpec.Network.Mlp(List.of(16), 4));
    networks.add(new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 8));
    networks.add(new ModelSpec.Network.Dl4jJson(Files.readString(folder.resolve("known.json"))));
    for (ModelSpec.Updater updater : ModelSpec.Updater.values()) {
      for (ModelSpec.Network network : networks) {
        System.out.println(BITS + digest(spec(network, updater)));
      }
    }
    ModelSpec.Network unknown =
        new ModelSpec.Network.Dl4jJson(Files.readString(folder.resolve("unknown.json")));
    System.out.println(
        REFUSED + EngineChoice.problem(EngineName.AUTO, spec(unknown, ModelSpec.Updater.SGD)));
  }

  private static boolean library() {
    try {
      Class.forName(
          "org.nd4j.linalg.factory.Nd4j", false, WithoutLibraryMain.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException none) {
      return false;
    }
  }

  private static ModelSpec spec(ModelSpec.Network network, ModelSpec.Updater updater) {
    List<String> classes = new ArrayList<>();
    for (int i = 0; i < CLASSES; i++) {
      classes.add("class" + i);
    }
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", WIDTH, 1)),
            List.of(),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, classes),
            null);
    return new ModelSpec(schema, network, new ModelSpec.Fit(64, 2, updater, 0.01, 1e-3), true);
  }

  private static String digest(ModelSpec spec) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    List<TrainingRow> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      double[] dense = new double[WIDTH];
      for (int i = 0; i < dense.length; i++) {
        dense[i] = random.nextDouble();
      }
      rows.add(new TrainingRow(row, 1, Sample.of(dense, row % CLASSES), Float.NaN, true));
    }
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, null);
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    ModelArtifact model = null;
    try (Trainer trainer = choice.trainer("app-0", false)) {
      for (int update = 1; update <= 2; update++) {
        TrainingBatch batch = new TrainingBatch(update, rows);
        model = trainer.train(new TrainingRequest(model, batch, 7 + update)).model();
        for (Map.Entry<String, byte[]> file : model.files().entrySet()) {
          digest.update(file.getValue());
        }
      }
    }
    try (TaskModel tested = choice.testedModels().load(model)) {
      for (double[] prediction : tested.predict(rows.stream().map(TrainingRow::sample).toList())) {
        for (double each : prediction) {
          digest.update((byte) Double.hashCode(each));
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
