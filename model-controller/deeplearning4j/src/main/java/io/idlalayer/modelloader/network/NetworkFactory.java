package io.idlalayer.modelloader.network;

import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;

/** Builds Deeplearning4j's and SameDiff's networks from specifications and from files. */
public final class NetworkFactory {
  static {
    NativeMemory.takeOver();
  }

  private NetworkFactory() {}

  /**
   * Creates a freshly initialized network of a file. iDlaLayer itself creates those that an
   * application names by their sizes.
   *
   * @param seed seed of its parameters; a SameDiff graph brings its own parameters
   * @throws IllegalArgumentException if the specification's network is no file, cannot be built or
   *     does not fit its features and label
   */
  public static ArrayNetwork create(ModelSpec spec, long seed) {
    if (spec.network() instanceof ModelSpec.Network.Dl4jJson json) {
      return Dl4jConfiguration.create(spec, json.json(), seed);
    } else if (spec.network() instanceof ModelSpec.Network.SameDiffGraph graph) {
      return SameDiffNetwork.create(spec, graph);
    }
    throw new IllegalArgumentException("no file of a network: " + spec.network());
  }

  /**
   * Returns whether a schedule of the network depends on the count of epochs. A learner counts no
   * epochs, so such a schedule keeps its first value.
   *
   * @throws IllegalArgumentException if the network's configuration cannot be read
   */
  public static boolean countsEpochs(ModelSpec spec) {
    return spec.network() instanceof ModelSpec.Network.Dl4jJson json
        && Dl4jConfiguration.countsEpochs(json.json());
  }

  /**
   * Returns the network in a file that {@link ModelNetwork#encode} of a network of this
   * specification wrote. The network trains on as the specification says now: another learning rate
   * and penalty take effect.
   *
   * @throws MalformedModelException if it is not that
   */
  public static ArrayNetwork decode(ModelSpec spec, byte[] file) throws MalformedModelException {
    return decode(spec, file, ZipEntries.LARGEST_BYTES);
  }

  /**
   * Returns the network in a file, with a limit of its unpacked size.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   */
  public static ArrayNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException {
    if (spec.network() instanceof ModelSpec.Network.SameDiffGraph graph) {
      return SameDiffNetwork.decode(spec, graph, file, largestBytes);
    }
    ArrayNetwork network = NetworkZip.decode(spec, file, largestBytes);
    boolean ours = !(spec.network() instanceof ModelSpec.Network.Dl4jJson);
    if (ours && network instanceof StackedNetwork stacked) {
      stacked.fitFromNowOn(spec.fit());
    } else if (ours && network instanceof GraphNetwork graph) {
      graph.fitFromNowOn(spec.fit());
    }
    return network;
  }

  public static IUpdater updater(ModelSpec.Fit fit) {
    return switch (fit.updater()) {
      case SGD -> new Sgd(fit.learningRate());
      case NESTEROVS -> new Nesterovs(fit.learningRate(), Nesterovs.DEFAULT_NESTEROV_MOMENTUM);
      case ADAM -> new Adam(fit.learningRate());
    };
  }
}
