package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A library that builds and trains the networks which iDlaLayer's engine does not know. The library
 * is found on the class path as a service ({@code ServiceLoader}). Implementations are thread-safe.
 */
public interface NetworkLibrary {
  /** Advice for messages about a missing library. */
  String MISSING =
      "Deeplearning4j is not on the class path; add idlalayer-deeplearning4j, see docs/training.md";

  /**
   * Advice for messages about a library that cannot compute on this machine; has a placeholder for
   * the reason.
   */
  String UNUSABLE =
      "Deeplearning4j is on the class path, but its native code cannot be loaded on this machine: %s. Add the jars of ND4J for this platform, see docs/training.md";

  /**
   * Returns the library that the class path provides; empty if there is none, or if it cannot
   * compute on this machine.
   */
  static Optional<NetworkLibrary> find() {
    return provided().filter(library -> library.obstacle().isEmpty());
  }

  /**
   * Returns the library that the class path provides.
   *
   * @throws IllegalArgumentException if there is none, or if it cannot compute on this machine
   */
  static NetworkLibrary onClassPath() {
    return find().orElseThrow(() -> new IllegalArgumentException(missing()));
  }

  /** Returns why {@link #find} returns no library, and what to do about that. */
  static String missing() {
    return provided().flatMap(NetworkLibrary::obstacle).map(UNUSABLE::formatted).orElse(MISSING);
  }

  /**
   * Returns whether the class path provides a library. The library is possibly unable to compute on
   * this machine, but the training can run on another machine. This method loads no native code.
   */
  static boolean isProvided() {
    return provided().isPresent();
  }

  private static Optional<NetworkLibrary> provided() {
    return ServiceLoader.load(NetworkLibrary.class, NetworkLibrary.class.getClassLoader())
        .findFirst();
  }

  /**
   * Returns why the library cannot compute on this machine; empty if it can. The first call loads
   * its native code.
   */
  Optional<String> obstacle();

  /**
   * Returns the name and version of the library, for instance {@code deeplearning4j 1.0.0-M2.1}.
   */
  String name();

  /**
   * Returns a sentence for each setting of a specification that has no effect on the training; an
   * empty list if all settings have an effect.
   */
  List<String> warnings(ModelSpec spec);

  /** Returns an engine that trains networks of a specification with this library. */
  TrainingEngine engine(ModelSpec spec);

  /**
   * Returns what is wrong with the network of a specification; empty if the network can be built,
   * predicts and can be trained. This method builds the network once, which takes the memory of a
   * network.
   */
  Optional<String> problem(ModelSpec spec);
}
