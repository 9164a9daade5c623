package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Loads the models of an application into the engine that trains them, for tests on new samples.
 * One thread.
 */
public final class TestedModels {
  private final @Nullable EngineNetworks networks;

  /**
   * @param networks networks of the product's own engine; null for Deeplearning4j
   */
  TestedModels(@Nullable EngineNetworks networks) {
    this.networks = networks;
  }

  /**
   * Loads the model of an artifact, which the caller closes.
   *
   * @throws MalformedModelException if it cannot be loaded
   */
  public TaskModel load(ModelArtifact artifact) throws MalformedModelException {
    EngineNetworks own = networks;
    if (own == null) {
      return Dl4jModel.load(artifact);
    }
    try {
      ModelSpec spec = ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE));
      FeatureScaler scaler = FeatureScaler.decode(artifact.file(ModelArtifact.SCALER_FILE));
      byte[] file = artifact.file(ModelArtifact.NETWORK_FILE);
      return new Dl4jModel(spec, scaler, own.tested(file));
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new MalformedModelException("the model cannot be loaded: " + broken, broken);
    }
  }
}
