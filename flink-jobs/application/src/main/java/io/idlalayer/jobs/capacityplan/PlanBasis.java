package io.idlalayer.jobs.capacityplan;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The settings on which a plan depends. A plan for other settings does not hold for an application.
 *
 * @param settings text of the settings on which state depends, see {@link SettingsIdentity#json};
 *     only features, network and tables in it are compared
 * @param further values of other settings, by their keys in the application file
 */
public record PlanBasis(String settings, SortedMap<String, String> further) {
  private static final Set<String> KEYS =
      Set.of(
          SettingsIdentity.FEATURES,
          SettingsIdentity.CATEGORICAL,
          SettingsIdentity.IDS,
          SettingsIdentity.CLASSES,
          SettingsIdentity.TASK);
  private static final List<String> SECTIONS =
      List.of("model.", "training.", "embeddings.", "history.");

  /** Longest value that a difference shows. */
  private static final int SHOWN_CHARACTERS = 40;

  public PlanBasis {
    Objects.requireNonNull(settings, "settings");
    further = new TreeMap<>(further);
    further.forEach((key, value) -> Objects.requireNonNull(value, key));
  }

  /** Returns the settings on which a plan of an application depends. */
  public static PlanBasis of(ApplicationSettings application) {
    ModelSpec.Fit fit = application.model().fit();
    DataSettings.Replay replay = application.data().replay();
    SortedMap<String, String> further = new TreeMap<>();
    further.put("training.mini-batch", String.valueOf(fit.miniBatch()));
    further.put("training.epochs", String.valueOf(fit.epochs()));
    further.put("training.engine", String.valueOf(application.engine()));
    further.put("selection.policy", String.valueOf(replay.policy()));
    further.put("selection.replay-budget", String.valueOf(replay.budget()));
    further.put("selection.steady-share", String.valueOf(replay.steadyShare()));
    further.put("update.rule", application.update().rule().key());
    further.put(
        "update.waiting-samples-per-training-second",
        String.valueOf(application.update().weight()));
    further.put("update.max-batch", String.valueOf(application.update().limits().maxBatch()));
    further.put("update.max-wait", application.update().limits().maxWaitSeconds() + "s");
    further.put("update.min-interval", application.update().limits().minIntervalSeconds() + "s");
    further.put("update.*", String.valueOf(application.update().tuning()));
    return new PlanBasis(SettingsIdentity.of(application).json(), further);
  }

  /**
   * Returns the differences from other settings, one line for each key; empty if a plan for these
   * settings also holds for the other settings.
   *
   * @throws IllegalArgumentException if {@link #settings} is damaged
   */
  public List<String> differences(PlanBasis now) {
    List<String> differences =
        new ArrayList<>(
            SettingsIdentity.parse(settings)
                .differences(SettingsIdentity.parse(now.settings), PlanBasis::counts));
    SortedSet<String> keys = new TreeSet<>(further.keySet());
    keys.addAll(now.further.keySet());
    for (String key : keys) {
      String before = further.getOrDefault(key, "none");
      String after = now.further.getOrDefault(key, "none");
      if (!before.equals(after)) {
        differences.add(difference(key, before, after));
      }
    }
    return differences;
  }

  private static boolean counts(String key) {
    return KEYS.contains(key) || SECTIONS.stream().anyMatch(key::startsWith);
  }

  private static String difference(String key, String before, String after) {
    return Math.max(before.length(), after.length()) > SHOWN_CHARACTERS
        ? key + ": changed"
        : "%s: %s before, %s now".formatted(key, before, after);
  }
}
