package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the files of a running job's checkpoints, which a cleaner of temporary files or a
 * person may remove: writes the descriptor of the run again, and notices a checkpoint whose files
 * are missing. Incremental checkpoints would refer to missing files for hours. For one thread.
 */
final class RunFiles {
  private final RecoveryPoints points;
  private @Nullable RunFolder known;

  RunFiles(RecoveryPoints points) {
    this.points = points;
  }

  /**
   * Remembers the folder of the current submission. An older folder does not replace the remembered
   * one: if the remembered folder has lost its descriptor, a search finds the older folder only.
   */
  RunFolder remember(RunFolder found) {
    RunFolder before = known;
    RunFolder current = before == null || found.number() > before.number() ? found : before;
    known = current;
    return current;
  }

  /** Returns the last folder that was remembered, or null. */
  @Nullable RunFolder known() {
    return known;
  }

  /**
   * Looks at the files of the current submission, and writes its descriptor again if it is gone.
   *
   * @return what was missing, as a clause; empty if nothing was
   */
  Optional<String> mend(RunFolder run) throws IOException {
    boolean renewed = run.renew();
    Optional<String> damage = points.damage(run);
    if (renewed) {
      return Optional.of(
          "%s was removed while the job runs; it is marked as this run's folder again"
              .formatted(run.folder()));
    }
    return damage.map(each -> "files of the last checkpoint were removed: " + each);
  }
}
