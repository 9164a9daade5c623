package io.idlalayer.modelloader.serve;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A library that predicts with networks of every kind, also with networks that plain Java does not
 * support. It is found on the class path as a service. Implementations are safe for several
 * threads.
 */
public interface PredictionLibrary {
  /**
   * Returns the library that the class path provides; empty if there is none, or if it cannot
   * compute on this machine.
   */
  static Optional<PredictionLibrary> find() {
    return onClassPath().filter(library -> library.obstacle().isEmpty());
  }

  /** Returns why {@link #find} returns no library, as the end of a sentence. */
  static String missing() {
    return onClassPath()
        .flatMap(PredictionLibrary::obstacle)
        .map(obstacle -> "that cannot run on this machine: " + obstacle)
        .orElse("that is not on the class path: add idlalayer-deeplearning4j");
  }

  private static Optional<PredictionLibrary> onClassPath() {
    return ServiceLoader.load(PredictionLibrary.class, PredictionLibrary.class.getClassLoader())
        .findFirst();
  }

  /**
   * Returns why the library cannot compute on this machine; empty if it can. The first call loads
   * its native code.
   */
  Optional<String> obstacle();

  /**
   * Returns the network in a file.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   * @throws MalformedModelException if the file has no network, or one of another specification
   */
  PredictingNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException;
}
