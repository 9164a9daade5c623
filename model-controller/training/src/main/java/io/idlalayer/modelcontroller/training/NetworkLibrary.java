package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A library that builds and trains the networks which iDlaLayer's engine does not know. It is found
 * on the class path as a service. Implementations are safe for several threads.
 */
public interface NetworkLibrary {
  /**
   * Returns the library on the class path.
   *
   * @throws IllegalArgumentException if there is none
   */
  static NetworkLibrary onClassPath() {
    return ServiceLoader.load(NetworkLibrary.class, NetworkLibrary.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "only Deeplearning4j trains this network, and it is not on the class path: add"
                        + " idlalayer-deeplearning4j"));
  }

  /** Its name and version, for instance {@code deeplearning4j 1.0.0-M2.1}. */
  String name();

  /** What of the training of a specification has no effect, in sentences; empty if all has. */
  List<String> warnings(ModelSpec spec);

  /** Returns an engine that trains networks of a specification with this library. */
  TrainingEngine engine(ModelSpec spec);

  /**
   * What is wrong with the network of a specification; empty if it can be built, predicts and can
   * be trained. Builds the network once, which takes its memory.
   */
  Optional<String> problem(ModelSpec spec);
}
