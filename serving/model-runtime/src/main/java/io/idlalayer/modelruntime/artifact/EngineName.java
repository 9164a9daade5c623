package io.idlalayer.modelruntime.artifact;

/** The training engines that an application can choose. */
public enum EngineName {
  /** The product's own engine for networks that it supports, else Deeplearning4j. */
  AUTO,
  /** The product's own engine, with the kernels of oneDNN. */
  ONEDNN,
  /** Deeplearning4j, or SameDiff for graphs of SameDiff. */
  DEEPLEARNING4J
}
