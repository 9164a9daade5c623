package io.idlalayer.jobs.run;

import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The name of a job. It lists the applications of the job, and can be parsed. */
public final class JobNames {
  private static final String PREFIX = "iDlaLayer: ";
  private static final String SEPARATOR = ", ";

  private JobNames() {}

  /** Returns the set of the names of applications. */
  public static Set<String> of(List<ApplicationSettings> applications) {
    return applications.stream().map(ApplicationSettings::name).collect(Collectors.toSet());
  }

  /** Returns the name of the job of these applications. */
  public static String name(List<ApplicationSettings> applications) {
    return PREFIX + String.join(SEPARATOR, new TreeSet<>(of(applications)));
  }

  /**
   * Returns the names of the applications in the name of a job; empty if the job is not a job of
   * this product.
   */
  public static Set<String> parse(String name) {
    return name.startsWith(PREFIX)
        ? Set.of(name.substring(PREFIX.length()).split(SEPARATOR, -1))
        : Set.of();
  }
}
