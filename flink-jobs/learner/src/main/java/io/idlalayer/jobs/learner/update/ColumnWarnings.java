package io.idlalayer.jobs.learner.update;

import io.idlalayer.modelruntime.artifact.CoarseColumn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Remembers for which columns a warning was given, so that each warning is given only once.
 * Confined to one thread.
 */
final class ColumnWarnings {
  private final Set<String> told = new HashSet<>();

  /** Returns the warnings of columns for which none was given since the learner was opened. */
  List<String> news(List<CoarseColumn> columns) {
    return columns.stream()
        .filter(column -> told.add(column.name()))
        .map(CoarseColumn::warning)
        .toList();
  }
}
