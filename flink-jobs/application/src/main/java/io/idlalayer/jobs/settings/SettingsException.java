package io.idlalayer.jobs.settings;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if an application file has problems; it lists all of them. */
public final class SettingsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  public SettingsException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }
}
