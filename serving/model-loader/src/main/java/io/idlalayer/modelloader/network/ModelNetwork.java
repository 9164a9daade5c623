package io.idlalayer.modelloader.network;

import java.io.IOException;

/** A network with everything that a training goes on from: also with its updater state. */
public interface ModelNetwork extends PredictingNetwork {
  /** Returns whether every parameter, and every number of the updater's state, is finite. */
  boolean finite();

  /** Parameters and updater state as a file; equal networks give equal bytes. */
  byte[] encode() throws IOException;
}
