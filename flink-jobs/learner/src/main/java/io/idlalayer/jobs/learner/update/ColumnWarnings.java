package io.idlalayer.jobs.learner.update;

import io.idlalayer.modelruntime.artifact.CoarseColumn;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Remembers which columns an application was warned of, so that it is once. Confined to one thread.
 */
final class ColumnWarnings {
  private final Set<String> told = new HashSet<>();

  /** Returns the warnings of columns that were not warned of since the learner was opened. */
  List<String> news(List<CoarseColumn> columns) {
    return columns.stream()
        .filter(column -> told.add(column.name()))
        .map(CoarseColumn::warning)
        .toList();
  }
}
