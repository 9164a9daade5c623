package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Untrained models of one number and two classes, to be published by tests. */
public final class SmallModels {
  private SmallModels() {}

  /**
   * @param feature name name of the numeric feature
   * @param classes names of the two classes
   */
  public static SortedMap<String, byte[]> files(String feature, List<String> classes)
      throws IOException {
    SampleSchema schema =
        new SampleSchema(
            List.of(feature, "label"),
            List.of(SampleSchema.DenseFeature.of(feature)),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, classes),
            null);
    ModelSpec spec =
        new ModelSpec(
            schema,
            new ModelSpec.Network.Mlp(List.of(2)),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0),
            true);
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(1, true, false).encode());
    try (ModelNetwork network = NetworkFactory.create(spec, 1)) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    return files;
  }

  /** Partition 0 of an application publishes these files, and nothing else is said of them. */
  public static ModelDraft draft(String application, SortedMap<String, byte[]> files) {
    return new ModelDraft(
        application,
        0,
        1,
        0,
        "",
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        files);
  }
}
