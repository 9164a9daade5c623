package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Watches the file with the fuzzy rules, and loads its changes into a running learner. If the file
 * is invalid or missing, the rules do not change. Called by the operator's thread from time to
 * time.
 */
final class RuleWatch {
  private static final long LOOK_MILLIS = 1000;

  private final @Nullable Path file;
  private final DataController data;
  private String seen;
  private long nextLookMillis;

  RuleWatch(DataSettings.Staging settings, DataController data) {
    Path named = Path.of(settings.rulesName());
    boolean watched = settings.score() == DataSettings.Score.RULES && named.isAbsolute();
    file = watched ? named : null;
    this.data = data;
    seen = settings.rules();
  }

  /**
   * Checks the rule file for changes, once a second. Returns a readable sentence if the file has
   * changed, else null.
   */
  @Nullable String look(long nowMillis) {
    Path path = file;
    if (path == null || nowMillis < nextLookMillis) {
      return null;
    }
    nextLookMillis = nowMillis + LOOK_MILLIS;
    String now;
    try {
      now = Files.readString(path);
    } catch (IOException unreadable) {
      // An editor may be replacing the file right now; the next check reads it again.
      return null;
    }
    if (now.equals(seen)) {
      return null;
    }
    seen = now;
    try {
      data.useRules(path.toString(), now);
      return "took the changed rules of " + path;
    } catch (FclException broken) {
      return "kept the rules; the changed file is refused: " + broken.getMessage();
    }
  }
}
