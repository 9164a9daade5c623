package io.idlalayer.modelloader.serve;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A library that predicts with networks of every kind, also with those that plain Java does not
 * know. It is found on the class path as a service. Implementations are safe for several threads.
 */
public interface PredictionLibrary {
  /** Returns the library that the class path provides; empty if there is none. */
  static Optional<PredictionLibrary> find() {
    return ServiceLoader.load(PredictionLibrary.class, PredictionLibrary.class.getClassLoader())
        .findFirst();
  }

  /**
   * Returns the network in a file.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   * @throws MalformedModelException if it has none, or one of another specification
   */
  PredictingNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException;
}
