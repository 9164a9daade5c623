package io.idlalayer.middleware.fuzzy.fcl;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a rule file has problems; names all of them. */
public final class FclException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * A problem of a rule file, with its place in the text.
   *
   * @param line 1-based, 0 if the problem is not in the text
   * @param column 1-based
   */
  public record Problem(int line, int column, String message) {}

  FclException(String fileName, List<Problem> problems) {
    super(
        problems.stream()
            .map(problem -> describe(fileName, problem))
            .collect(Collectors.joining(System.lineSeparator())));
    this.problems = List.copyOf(problems);
  }

  /** Returns an exception for problems that have no place in the text. */
  public static FclException of(String fileName, List<String> messages) {
    return new FclException(
        fileName, messages.stream().map(message -> new Problem(0, 0, message)).toList());
  }

  private static String describe(String fileName, Problem problem) {
    return problem.line() == 0
        ? "%s: %s".formatted(fileName, problem.message())
        : "%s:%d:%d: %s".formatted(fileName, problem.line(), problem.column(), problem.message());
  }

  public List<Problem> problems() {
    return problems;
  }
}
