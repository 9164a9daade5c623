package io.idlalayer.modelloader.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Untrained models of a few numbers and two classes, to be published by tests. */
public final class SmallModels {
  private SmallModels() {}

  /**
   * Numbers of these names, and the label "label".
   *
   * @param columns columns of the files; none if the label comes by its name
   * @param classes names of the two classes
   */
  public static SampleSchema schema(
      List<String> columns, List<String> numbers, List<String> classes) {
    return new SampleSchema(
        columns,
        numbers.stream().map(SampleSchema.DenseFeature::of).toList(),
        List.of(),
        new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, classes),
        null);
  }

  /** What a model of a network is made of. */
  public static ModelSpec spec(
      SampleSchema schema, ModelSpec.Network network, boolean standardize) {
    return new ModelSpec(
        schema, network, new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0), standardize);
  }

  /** The files of a model with the parameters of a seed, which has seen no sample. */
  public static SortedMap<String, byte[]> files(ModelSpec spec, long seed) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(
        ModelArtifact.SCALER_FILE,
        FeatureScaler.empty(spec.schema().denseWidth(), spec.standardize(), false).encode());
    files.put(ModelArtifact.NETWORK_FILE, network(spec, seed));
    return files;
  }

  /** Only a network that the product's engine does not know needs native code. */
  private static byte[] network(ModelSpec spec, long seed) throws IOException {
    try {
      return EngineNetworks.newFile(spec, seed);
    } catch (UncompilableException unknown) {
      try (ModelNetwork network = LibraryBuilders.create(spec, seed)) {
        return network.encode();
      }
    }
  }

  /** The files of a model of one number. */
  public static SortedMap<String, byte[]> files(String number, List<String> classes)
      throws IOException {
    SampleSchema schema = schema(List.of(number, "label"), List.of(number), classes);
    return files(spec(schema, new ModelSpec.Network.Mlp(List.of(2)), true), 1);
  }
}
