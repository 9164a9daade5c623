package io.idlalayer.modelruntime.artifact;

import java.io.IOException;

/**
 * Thrown if a model has a part that this implementation in plain Java does not support; perhaps
 * another loader supports the part.
 */
public final class UnsupportedModelException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what name of the unsupported part and its place in the network
   */
  public UnsupportedModelException(String what) {
    super(
        what
            + " is not known here; load the model with Dl4jModelLoader of idlalayer-model-loader,"
            + " and idlalayer-deeplearning4j on the class path");
  }
}
