package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelcontroller.engine.NetworkChange;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.input.InputChange;
import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Converts models that were trained on other features or classes of an application to the features
 * and classes that the application has now, so that training can continue from these models and
 * they can be compared. New columns have no weight and no scale yet, and new classes are
 * improbable, see {@link NetworkChange}. The rows of tables are not part of a model. Converting the
 * same model again gives the same result. Thread-safe.
 */
public final class ModelChange {
  private final ModelSpec spec;
  private final byte[] specFile;

  /**
   * @param spec specification to which models are converted
   */
  public ModelChange(ModelSpec spec) {
    this.spec = spec;
    specFile = ModelSpecJson.encode(spec);
  }

  /**
   * Returns a model for the features and classes that the application has now; the same model if it
   * already has them, or if it has another network or is incomplete, because its readers refuse
   * such a model.
   *
   * @throws MalformedModelException if the model cannot be read or cannot be converted
   */
  public ModelArtifact fitting(ModelArtifact model) throws MalformedModelException {
    byte[] file = model.files().get(ModelArtifact.SPEC_FILE);
    if (file == null || Arrays.equals(file, specFile)) {
      return model;
    }
    try {
      ModelSpec before = ModelSpecJson.decode(file);
      InputChange change = new InputChange(before, spec);
      return change.schema().isNone() || !before.network().equals(spec.network())
          ? model
          : converted(model, before, change);
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new MalformedModelException("the model cannot be read: " + broken.getMessage(), broken);
    }
  }

  private ModelArtifact converted(ModelArtifact model, ModelSpec before, InputChange change)
      throws IOException {
    if (!change.refusals().isEmpty()) {
      throw new MalformedModelException(
          "it was trained on other features or classes: " + String.join("; ", change.refusals()));
    }
    FeatureScaler scaler = FeatureScaler.decode(model.file(ModelArtifact.SCALER_FILE));
    SortedMap<String, byte[]> files = new TreeMap<>(model.files());
    files.put(ModelArtifact.SPEC_FILE, specFile);
    files.put(
        ModelArtifact.SCALER_FILE,
        scaler.changed(change.schema().dense(), change.context()).encode());
    byte[] mixture = files.get(ModelArtifact.MIXTURE_FILE);
    if (mixture != null && !change.schema().classes().isUnchanged()) {
      ServedMixture experts = ServedMixture.decode(mixture, before);
      files.put(ModelArtifact.MIXTURE_FILE, experts.changed(change.outputs()).encode());
    }
    if (!change.columns().isUnchanged() || !change.outputs().isUnchanged()) {
      NetworkChange network = new NetworkChange(before, spec, change, change.missing(scaler));
      files.put(
          ModelArtifact.NETWORK_FILE, network.convert(model.file(ModelArtifact.NETWORK_FILE)));
      byte[] heldOut = files.get(ModelArtifact.HELD_OUT_FILE);
      if (heldOut != null) {
        files.put(ModelArtifact.HELD_OUT_FILE, network.convert(heldOut));
      }
    }
    return new ModelArtifact(files);
  }
}
