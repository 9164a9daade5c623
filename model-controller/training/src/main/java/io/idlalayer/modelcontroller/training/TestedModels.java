package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Loads the models of an application into the engine that trains them, for tests on new samples.
 * Confined to one thread.
 */
public final class TestedModels {
  private final ModelChange change;
  private final @Nullable EngineNetworks networks;

  /**
   * @param spec specification of the samples on which models are tested
   * @param networks networks of the product's own engine; null for Deeplearning4j
   */
  TestedModels(ModelSpec spec, @Nullable EngineNetworks networks) {
    change = new ModelChange(spec);
    this.networks = networks;
  }

  /**
   * Loads the model of an artifact; the caller closes the model. A model that was trained on other
   * features is converted to the present ones.
   *
   * @throws MalformedModelException if the model cannot be loaded
   */
  public TaskModel load(ModelArtifact artifact) throws MalformedModelException {
    EngineNetworks own = networks;
    ModelArtifact fitting = change.fitting(artifact);
    if (own == null) {
      return Dl4jModel.load(fitting);
    }
    try {
      ModelFiles files = ModelFiles.read(fitting, Long.MAX_VALUE);
      return Dl4jModel.of(files, own.tested(files.network()));
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new MalformedModelException("the model cannot be loaded: " + broken, broken);
    }
  }
}
