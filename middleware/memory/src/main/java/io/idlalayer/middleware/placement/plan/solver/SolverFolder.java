package io.idlalayer.middleware.placement.plan.solver;

import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;

/**
 * Finds the folder with the jars of the solver, which a user may add to an installation: the system
 * property {@value #PROPERTY} names it; without one it is the folder {@value #NAME} beside the jar
 * of this class.
 */
public final class SolverFolder {
  /** Name of the system property with the folder. */
  public static final String PROPERTY = "idla.solver-directory";

  /** Name of the folder beside the product's jars. */
  static final String NAME = "solver";

  private SolverFolder() {}

  /** Returns the folder, whether or not it exists; empty if this class comes from no file. */
  static Optional<Path> expected() {
    String named = System.getProperty(PROPERTY);
    if (named != null && !named.isBlank()) {
      return Optional.of(Path.of(named).toAbsolutePath());
    }
    CodeSource source = SolverFolder.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return Optional.empty();
    }
    try {
      Path jar = Path.of(source.getLocation().toURI());
      return Optional.ofNullable(jar.getParent()).map(folder -> folder.resolve(NAME));
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException other) {
      return Optional.empty();
    }
  }

  /** Returns where the solver is expected, for messages. */
  public static String describe() {
    return expected().map(Path::toString).orElse("a folder that " + PROPERTY + " names");
  }

  /** Returns the folder if it exists. */
  public static Optional<Path> find() {
    return expected().filter(Files::isDirectory);
  }
}
