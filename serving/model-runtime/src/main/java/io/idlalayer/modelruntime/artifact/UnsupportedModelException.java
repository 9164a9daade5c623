package io.idlalayer.modelruntime.artifact;

import java.io.IOException;

/** A model has something that plain Java does not compute here; other loaders may know it. */
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
