package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A process that trains some networks, and prints its engine and what each network predicts. */
final class WithoutNativesMain {
  static final String ENGINE = "ENGINE ";
  static final String PREDICTED = "PREDICTED ";
  static final String LIBRARY = "LIBRARY ";
  static final String SERVED = "SERVED ";

  private static final int ROWS = 96;
  private static final int WIDTH = 64;
  private static final int UPDATES = 3;

  private WithoutNativesMain() {}

  public static void main(String[] arguments) throws Exception {
    for (Map.Entry<String, ModelSpec.Network> network : networks().entrySet()) {
      train(network.getKey(), spec(network.getValue()));
    }
  }

  private static Map<String, ModelSpec.Network> networks() {
    return Map.of(
        "mlp", new ModelSpec.Network.Mlp(List.of(16, 8)),
        "members", new ModelSpec.Network.Mlp(List.of(16), 4),
        "cnn", new ModelSpec.Network.Cnn(8, 8, 1, List.of(4), 8));
  }

  private static ModelSpec spec(ModelSpec.Network network) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", WIDTH, 1)),
            List.of(),
            List.of(),
            new SampleSchema.Label(
                "y", SampleSchema.Task.CLASSIFICATION, List.of("low", "middle", "high")),
            null);
    ModelSpec.Fit fit = new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.01, 1e-3);
    return new ModelSpec(schema, network, fit, true);
  }

  private static void train(String name, ModelSpec spec) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    List<TrainingRow> rows = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      double[] dense = random.doubles(WIDTH).toArray();
      int label = dense[0] < 0.33 ? 0 : dense[0] < 0.66 ? 1 : 2;
      rows.add(new TrainingRow(row, 1, Sample.of(dense, label), Float.NaN, true));
    }
    EngineChoice choice = EngineChoice.of(EngineName.AUTO, spec, null);
    EngineChoice.Description engine = choice.description();
    System.out.println(ENGINE + engine.name() + " " + engine.reason());
    ModelArtifact model = null;
    try (Trainer trainer = choice.trainer("app-0", false)) {
      for (int update = 1; update <= UPDATES; update++) {
        TrainingBatch batch = new TrainingBatch(update, rows);
        model = trainer.train(new TrainingRequest(model, batch, 7 + update)).model();
      }
    }
    NetworkLibrary library = NetworkLibrary.find().orElse(null);
    System.out.println(LIBRARY + (library == null ? NetworkLibrary.missing() : library.name()));
    // Deeplearning4j is on the class path; without its native code, plain Java loads the model.
    try (TaskModel served = Dl4jModel.load(model)) {
      for (double[] each : served.predict(rows.stream().map(TrainingRow::sample).toList())) {
        System.out.println(SERVED + name + " " + Arrays.toString(each));
      }
    }
    try (TaskModel tested = choice.testedModels().load(model)) {
      for (double[] each : tested.predict(rows.stream().map(TrainingRow::sample).toList())) {
        System.out.println(PREDICTED + name + " " + Arrays.toString(each));
      }
    }
  }
}
