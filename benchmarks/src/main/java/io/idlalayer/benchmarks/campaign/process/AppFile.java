package io.idlalayer.benchmarks.campaign.process;

import io.idlalayer.benchmarks.campaign.check.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Application files of the campaign: small models, small inputs, a few updates a second. */
public final class AppFile {
  private AppFile() {}

  /** The usual one; a round changes what it is about by replacing text. */
  public static String text(String name, int partitions) {
    return """
    name: %1$s
    partitions: %2$d
    seed: 42
    input:
      topic: %1$s-in
      format: csv
      columns: [n, x1, x2, label]
      features: [x1, x2]
      label: label
      classes: ["0", "1"]
      max-event-bytes: 1MiB
    model: {type: mlp, hidden: [8], standardize: true}
    training: {mini-batch: 32, learning-rate: 0.01}
    update: {rule: count, count: 100, max-wait: 2s}
    selection: {replay-budget: 64, max-samples: 100000}
    memory: {hot-bytes: 0}
    publishing: {keep: 500}
    kafka: {topic-prefix: "%1$s-"}
    """
        .formatted(name, partitions);
  }

  /**
   * One with a table of the ids of {@link Row#withIds}, most of whose rows are not in DRAM.
   *
   * @param slow folder of RocksDB's working files
   */
  public static String tables(String name, Path slow) {
    return text(name, 1)
        .replace("columns: [n, x1, x2, label]", "columns: [n, x1, shop, label]")
        .replace("features: [x1, x2]", "features: [x1]\n  ids: [shop]")
        .replace(
            "{type: mlp, hidden: [8], standardize: true}",
            "{type: wide-and-deep, hidden: [8], standardize: true}\nembeddings: {dim: 16}")
        .replace(
            "hot-bytes: 0", "hot-bytes: 0, rows: {fast-bytes: 64KiB}, slow-directory: " + slow);
  }

  /** The usual one with a network whose trainings can be broken, see {@link FaultyActivation}. */
  public static String faulty(String name, Path folder) throws IOException {
    Path network = folder.resolve("network.json");
    Files.writeString(network, network());
    return text(name, 1)
        .replace(
            "{type: mlp, hidden: [8], standardize: true}",
            "{type: dl4j-json, file: network.json, standardize: true}")
        .replace("mini-batch: 32, learning-rate: 0.01", "mini-batch: 32");
  }

  private static String network() {
    return new NeuralNetConfiguration.Builder()
        .seed(42)
        .updater(new Adam(0.01))
        .list()
        .layer(new DenseLayer.Builder().nOut(8).activation(new FaultyActivation()).build())
        .layer(
            new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .nOut(2)
                .activation(Activation.SOFTMAX)
                .build())
        .setInputType(InputType.feedForward(2))
        .build()
        .toJson()
        .replace(FaultyActivation.class.getName(), FaultyActivation.REPLACED);
  }
}
