package io.idlalayer.jobs.settings.change;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.InputChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The difference between the settings that state was made with and those of a start, and whether
 * the state can go on: with other features it can, with other values of any other key of the
 * identity it cannot.
 *
 * @param before schema that the state was made with
 * @param changes what changed of the schema, such as {@code added feature c}; "" if nothing did
 * @param refusals why the state cannot go on, one line for each key or reason; empty if it can
 */
public record IdentityChange(SampleSchema before, String changes, List<String> refusals) {
  private static final Set<String> KEYS =
      Set.of(SettingsIdentity.COLUMNS, SettingsIdentity.FEATURES, SettingsIdentity.CATEGORICAL);

  public IdentityChange {
    refusals = List.copyOf(refusals);
  }

  /**
   * Compares the identity that state was made with and the settings of a start.
   *
   * @throws IllegalArgumentException if the identity does not name features
   */
  public static IdentityChange between(SettingsIdentity before, ApplicationSettings now) {
    SettingsIdentity identity = SettingsIdentity.of(now);
    ModelSpec spec = now.model();
    SampleSchema schema = before.schemaLike(spec.schema());
    if (before.differences(identity, KEYS::contains).isEmpty()) {
      return new IdentityChange(
          schema, "", before.differences(identity, key -> !KEYS.contains(key)));
    }
    InputChange input = new InputChange(spec.with(schema), spec);
    List<String> columns = now.input().schema().columns();
    boolean columnsStay = sameOrder(schema.columns(), columns);
    List<String> refusals =
        new ArrayList<>(
            before.differences(
                identity,
                key ->
                    key.equals(SettingsIdentity.COLUMNS)
                        ? !columnsStay
                        : !KEYS.contains(key) || !input.refusals().isEmpty()));
    refusals.addAll(input.refusals());
    if (now.mixing().on()) {
      refusals.add(
          SettingsIdentity.FEATURES
              + ": features cannot change while models are mixed ("
              + input.schema().describe()
              + "); start over, or leave them as they were");
    }
    if (!columnsStay) {
      refusals.add(
          SettingsIdentity.COLUMNS
              + ": columns may be added and removed; those that stay must keep their order");
    }
    return new IdentityChange(schema, changes(input, schema.columns(), columns), refusals);
  }

  private static String changes(InputChange input, List<String> before, List<String> now) {
    String features = input.schema().describe();
    return features.isEmpty() && !before.equals(now) ? "other columns in a row" : features;
  }

  /**
   * Returns whether the names that are in both lists stand in the same order, if both have some.
   */
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

  /** Returns whether state goes on as it is. */
  public boolean isNone() {
    return changes.isEmpty() && refusals.isEmpty();
  }
}
