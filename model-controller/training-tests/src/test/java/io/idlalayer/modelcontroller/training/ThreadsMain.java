package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.Product;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/**
 * A process that trains each of some networks several times from the same start. It prints how many
 * threads oneDNN started for a large product, and a line for each training: the network and a
 * digest of the model's files.
 */
final class ThreadsMain {
  private static final int TRAININGS = 3;
  private static final int ROWS = 192;
  private static final int SIDE = 512;
  private static final ModelSpec.Fit FIT =
      new ModelSpec.Fit(64, 2, ModelSpec.Updater.ADAM, 0.01, 1e-3);

  private ThreadsMain() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println("STARTED " + threadsOfProduct());
    List<ModelSpec> networks = new ArrayList<>();
    networks.add(
        spec(Trainings.classes(64, 3), new ModelSpec.Network.Mlp(List.of(SIDE, SIDE, SIDE))));
    networks.add(
        spec(Trainings.classes(784, 3), new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64)));
    networks.add(spec(Trainings.classes(16 * 8, 3), series()));
    TestNetworks.ofEveryLayer().stream()
        .filter(spec -> spec.embeddings().uses().isEmpty())
        .forEach(networks::add);
    for (int training = 0; training < TRAININGS; training++) {
      for (int i = 0; i < networks.size(); i++) {
        System.out.println("BITS " + i + " " + digest(networks.get(i)));
      }
    }
  }

  /** Comes first, since Deeplearning4j starts threads too. */
  private static long threadsOfProduct() throws IOException {
    OneDnnKernels kernels = new OneDnnKernels();
    int length = SIDE * SIDE;
    try (FloatMemory memory = new FloatMemory(3L * length)) {
      Tensor[] tensors = new Tensor[3];
      for (int i = 0; i < tensors.length; i++) {
        tensors[i] = new Tensor("t" + i, Tensor.Kind.ACTIVATIONS, length);
        tensors[i].place(memory.part((long) i * length, length));
        tensors[i].floats().put(0, new float[length], 0, length);
      }
      long before = threads();
      kernels
          .product(
              new Product(SIDE, SIDE, SIDE, false, false, false),
              tensors[0],
              tensors[1],
              tensors[2])
          .run();
      return threads() - before;
    }
  }

  private static long threads() throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks.count();
    }
  }

  private static ModelSpec spec(SampleSchema schema, ModelSpec.Network network) {
    return new ModelSpec(schema, network, FIT, true);
  }

  private static ModelSpec.Network series() {
    return TestNetworks.graph(
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .updater(new Adam(0.01))
            .graphBuilder()
            .addInputs("in")
            .addVertex("series", new ReshapeVertex(-1, 16, 8), "in")
            .addLayer("recurrent", new LSTM.Builder().nIn(16).nOut(64).build(), "series")
            .addVertex("end", new LastTimeStepVertex("in"), "recurrent")
            .addLayer(
                "out",
                new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .nIn(64)
                    .nOut(3)
                    .activation(Activation.SOFTMAX)
                    .build(),
                "end")
            .setOutputs("out"));
  }

  private static String digest(ModelSpec spec) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    List<Sample> samples = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      double[] dense = new double[spec.schema().denseWidth()];
      for (int i = 0; i < dense.length; i++) {
        dense[i] = random.nextGaussian();
      }
      samples.add(Sample.of(dense, row % 3));
    }
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, null);
    try (Trainer trainer = choice.trainer("app-0", false)) {
      ModelArtifact model =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, samples), 7)).model();
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Map.Entry<String, byte[]> file : model.files().entrySet()) {
        digest.update(file.getValue());
      }
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
