package io.idlalayer.modelloader.serve;

import java.io.IOException;

/** A network that can be trained further: it also has its updater state. */
public interface ModelNetwork extends PredictingNetwork {
  /** Returns whether all parameters and all numbers of the updater state are finite. */
  boolean finite();

  /** Returns the parameters and the updater state as a file; equal networks give equal bytes. */
  byte[] encode() throws IOException;
}
