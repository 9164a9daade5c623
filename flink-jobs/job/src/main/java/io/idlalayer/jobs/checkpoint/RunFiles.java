package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks the files of a running job's checkpoints. A cleaner of temporary files or a person might
 * remove such files. This class writes a lost descriptor of the run again, and notices a checkpoint
 * whose files are missing. Otherwise incremental checkpoints would refer to missing files for
 * hours. Confined to one thread.
 */
final class RunFiles {
  private final RecoveryPoints points;
  private @Nullable RunFolder known;

  RunFiles(RecoveryPoints points) {
    this.points = points;
  }

  /**
   * Remembers the folder of the current submission. An older folder does not replace the remembered
   * folder. If the remembered folder has lost its descriptor, a search finds only the older folder.
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
   * Checks the files of the current submission, and writes the descriptor of the submission again
   * if the descriptor is gone.
   *
   * @return a clause about what was missing; empty if nothing was missing
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
