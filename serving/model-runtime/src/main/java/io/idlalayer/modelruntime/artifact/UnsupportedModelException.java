package io.idlalayer.modelruntime.artifact;

import java.io.IOException;

/**
 * Thrown if a model has a part that plain Java does not compute here; other loaders may support it.
 */
public final class UnsupportedModelException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what is not known, with its place
   */
  public UnsupportedModelException(String what) {
    super(
        what + " is not known here; load the model with idlalayer-model-loader (Dl4jModelLoader)");
  }
}
