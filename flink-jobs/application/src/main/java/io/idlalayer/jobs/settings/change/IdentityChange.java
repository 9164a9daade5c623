package io.idlalayer.jobs.settings.change;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.InputChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The difference between the settings with which state was made and the settings of a start, and
 * whether the state can still be used. The state can be used if only features, classes and id
 * features differ. It cannot be used if any other key of the identity has another value.
 *
 * @param before specification with which the state was made
 * @param changes changes of the schema, such as {@code added feature c}; "" if there are none
 * @param refusals why the state cannot be used, one line for each key or reason; empty if it can be
 *     used
 */
public record IdentityChange(ModelSpec before, String changes, List<String> refusals) {
  private static final Set<String> KEYS =
      Set.of(
          SettingsIdentity.COLUMNS,
          SettingsIdentity.FEATURES,
          SettingsIdentity.CATEGORICAL,
          SettingsIdentity.CLASSES,
          SettingsIdentity.IDS,
          SettingsIdentity.TABLES,
          SettingsIdentity.POOLING,
          SettingsIdentity.ROW_UPDATER);

  public IdentityChange {
    refusals = List.copyOf(refusals);
  }

  /**
   * Compares the identity with which state was made and the settings of a start.
   *
   * @throws IllegalArgumentException if the identity does not name features
   */
  public static IdentityChange between(SettingsIdentity before, ApplicationSettings now) {
    SettingsIdentity identity = SettingsIdentity.of(now);
    ModelSpec spec = now.model();
    ModelSpec was = IdentitySpec.of(before, spec);
    if (before.differences(identity, KEYS::contains).isEmpty()) {
      return new IdentityChange(was, "", before.differences(identity, key -> !KEYS.contains(key)));
    }
    InputChange input = new InputChange(was, spec);
    List<String> columnsBefore = was.schema().columns();
    List<String> columns = now.input().schema().columns();
    boolean columnsStay = sameOrder(columnsBefore, columns);
    boolean renamed = exchanges(input.schema().classes());
    boolean otherTask = !before.differences(identity, SettingsIdentity.TASK::equals).isEmpty();
    List<String> refusals =
        new ArrayList<>(
            before.differences(
                identity,
                key ->
                    switch (key) {
                      case SettingsIdentity.COLUMNS -> !columnsStay;
                      case SettingsIdentity.CLASSES ->
                          otherTask || renamed || !input.refusals().isEmpty();
                      default -> !KEYS.contains(key) || !input.refusals().isEmpty();
                    }));
    refusals.addAll(input.refusals());
    if (renamed && input.refusals().isEmpty()) {
      refusals.add(
          SettingsIdentity.CLASSES
              + ": a class is identified by its text, so a renamed class is a new class, and the samples of the old class would be lost. If that is meant, start once with the classes"
              + " that stay, and add the others when a version is published");
    }
    if (now.mixing().on()) {
      refusals.add(
          SettingsIdentity.FEATURES
              + ": features and classes cannot change while models are mixed ("
              + changes(input, columnsBefore, columns)
              + "); start over, or leave them as they were");
    }
    if (!columnsStay) {
      refusals.add(
          SettingsIdentity.COLUMNS
              + ": columns may be added and removed; those that stay must keep their order");
    }
    return new IdentityChange(was, changes(input, columnsBefore, columns), refusals);
  }

  /**
   * Returns whether some classes are removed and others are added, as if classes had been renamed.
   */
  private static boolean exchanges(ColumnMap classes) {
    boolean comes =
        IntStream.range(0, classes.after())
            .anyMatch(number -> classes.source(number) == ColumnMap.ADDED);
    return comes && classes.removed().length > 0;
  }

  private static String changes(InputChange input, List<String> before, List<String> now) {
    String features = input.schema().describe();
    return features.isEmpty() && !before.equals(now) ? "other columns in a row" : features;
  }

  /** Returns whether the names that are in both lists have the same order. */
  private static boolean sameOrder(List<String> before, List<String> now) {
    if (before.isEmpty() != now.isEmpty()) {
      return false;
    }
    List<String> left = new ArrayList<>(before);
    left.retainAll(Set.copyOf(now));
    List<String> right = new ArrayList<>(now);
    right.retainAll(Set.copyOf(before));
    return left.equals(right);
  }

  /** Returns whether the state can be used as it is. */
  public boolean isNone() {
    return changes.isEmpty() && refusals.isEmpty();
  }
}
