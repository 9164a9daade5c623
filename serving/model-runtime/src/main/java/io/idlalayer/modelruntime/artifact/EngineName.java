package io.idlalayer.modelruntime.artifact;

/** Engines that an application may ask for. */
public enum EngineName {
  /** The product's own where it can, else Deeplearning4j. */
  AUTO,
  /** The product's own, with the kernels of oneDNN. */
  ONEDNN,
  /** Deeplearning4j, or SameDiff for its graphs. */
  DEEPLEARNING4J
}
