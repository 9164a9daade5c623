package io.idlalayer.benchmarks;

import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.deeplearning4j.Dl4jEngine;
import io.idlalayer.modelcontroller.training.NetworkTrainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/**
 * What the trainer adds to a bare DL4J fit loop on the same rows of Electricity: scaling, losses
 * before and after of every row, checks, and the finished model files. Both train updates of the
 * same size with the same network, in turn, in one process.
 */
public final class TrainingOverheadExperiment {
  private static final int UPDATE_ROWS = 3_000;
  private static final int UPDATES = 15;
  private static final int WARM_UP = 3;
  private static final int REPEATS = 5;

  private TrainingOverheadExperiment() {}

  /** Usage: {@code TrainingOverheadExperiment electricity.yaml elec.csv.gz}. */
  public static void main(String[] args) throws Exception {
    ApplicationSettings application = ApplicationFileReader.read(Path.of(args[0]), System::getenv);
    List<List<Sample>> updates = updates(application, Path.of(args[1]));
    double[] bare = new double[REPEATS];
    double[] product = new double[REPEATS];
    for (int i = -WARM_UP; i < REPEATS; i++) {
      double bareSeconds = bare(application.model(), updates);
      double productSeconds = product(application.model(), updates);
      if (i >= 0) {
        bare[i] = bareSeconds;
        product[i] = productSeconds;
      }
    }
    double ratio = Repeats.of(product).median() / Repeats.of(bare).median();
    System.out.printf(
        "| loop | seconds for %d updates of %d rows, median (min..max) of %d |%n|---|---|%n",
        UPDATES, UPDATE_ROWS, REPEATS);
    System.out.printf("| bare DL4J fit | %s |%n", Repeats.of(bare).text("%.3f"));
    System.out.printf(
        "| NetworkTrainer with Dl4jEngine | %s |%n", Repeats.of(product).text("%.3f"));
    System.out.printf("%nratio of the medians: %.3f%n", ratio);
    System.exit(0);
  }

  private static List<List<Sample>> updates(ApplicationSettings application, Path file)
      throws Exception {
    SampleDecoder decoder = SampleDecoders.of(application.input());
    List<List<Sample>> updates = new ArrayList<>();
    try (RecordReader reader = Inputs.open(file, application)) {
      while (updates.size() < UPDATES) {
        List<Sample> rows = new ArrayList<>();
        while (rows.size() < UPDATE_ROWS && reader.next()) {
          rows.add(decoder.decode(reader.record()));
        }
        updates.add(rows);
      }
    }
    return updates;
  }

  private static double product(ModelSpec spec, List<List<Sample>> updates) throws Exception {
    long start = System.nanoTime();
    try (NetworkTrainer trainer = new NetworkTrainer(spec, false, new Dl4jEngine(spec))) {
      @Nullable ModelArtifact model = null;
      long number = 0;
      for (List<Sample> samples : updates) {
        number++;
        List<TrainingRow> rows = new ArrayList<>();
        for (Sample sample : samples) {
          // The prequential loss of a new sample is known already, as in a job.
          rows.add(new TrainingRow(rows.size(), sample, 1, 0.7f, true));
        }
        TrainingResult result =
            trainer.train(new TrainingRequest(model, new TrainingBatch(number, rows), number));
        model = result.model();
      }
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static double bare(ModelSpec spec, List<List<Sample>> updates) {
    long start = System.nanoTime();
    MultiLayerNetwork network = network(spec);
    int miniBatch = spec.fit().miniBatch();
    for (List<Sample> samples : updates) {
      for (int epoch = 0; epoch < spec.fit().epochs(); epoch++) {
        for (int from = 0; from < samples.size(); from += miniBatch) {
          fit(network, samples.subList(from, Math.min(samples.size(), from + miniBatch)));
        }
      }
    }
    network.close();
    return (System.nanoTime() - start) / 1e9;
  }

  private static void fit(MultiLayerNetwork network, List<Sample> rows) {
    float[][] x = new float[rows.size()][];
    float[][] y = new float[rows.size()][2];
    for (int i = 0; i < x.length; i++) {
      x[i] = rows.get(i).dense();
      y[i][(int) rows.get(i).label()] = 1;
    }
    try (INDArray features = Nd4j.create(x);
        INDArray labels = Nd4j.create(y)) {
      network.fit(new DataSet(features, labels));
    }
  }

  private static MultiLayerNetwork network(ModelSpec spec) {
    if (!(spec.network() instanceof ModelSpec.Network.Mlp mlp)) {
      throw new IllegalArgumentException("the experiment takes an application with an mlp");
    }
    NeuralNetConfiguration.ListBuilder layers =
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .updater(new Adam(spec.fit().learningRate()))
            .weightInit(WeightInit.RELU)
            .list();
    for (int width : mlp.hidden()) {
      layers.layer(new DenseLayer.Builder().nOut(width).activation(Activation.RELU).build());
    }
    MultiLayerNetwork network =
        new MultiLayerNetwork(
            layers
                .layer(
                    new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(spec.outputWidth())
                        .build())
                .setInputType(InputType.feedForward(spec.inputWidth()))
                .build());
    network.init();
    return network;
  }
}
