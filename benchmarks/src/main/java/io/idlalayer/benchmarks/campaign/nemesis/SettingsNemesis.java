package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Changes the application file between runs on one work directory. What is part of the identity of
 * a state must be refused, naming the key; what is not must be taken; and the run with the right
 * file must then learn everything.
 */
final class SettingsNemesis implements Nemesis {
  private static final int CHANGES = 12;
  private static final long REFUSAL_MILLIS = 30_000;

  /**
   * A change of one key.
   *
   * @param identity whether the state depends on it
   */
  record Change(String key, String from, String to, boolean identity) {}

  static final List<Change> CHANGED =
      List.of(
          new Change("classes", "[\"0\", \"1\"]", "[\"1\", \"0\"]", true),
          new Change("features", "features: [x1, x2]", "features: [x2, x1]", true),
          new Change(
              "features", "features: [x1, x2]", "features: [{name: x1, scale: 3}, x2]", true),
          new Change("standardize", "standardize: true", "standardize: false", true),
          new Change("topic", "-in\n", "-other-in\n", true),
          new Change("hidden", "hidden: [8]", "hidden: [9]", true),
          new Change("columns", "columns: [n, x1, x2, label]", "columns: [n, x2, x1, label]", true),
          new Change("partitions", "partitions: 1", "partitions: 2", true),
          new Change(
              "label",
              "features: [x1, x2]\n  label: label",
              "features: [x1, label]\n  label: x2",
              true),
          new Change("id", "  label: label\n", "  label: label\n  id: n\n", true),
          new Change("task", "  classes: [\"0\", \"1\"]\n", "  task: regression\n", true),
          new Change("count", "count: 100", "count: 57", false),
          new Change(
              "rule",
              "{rule: count, count: 100, max-wait: 2s}",
              "{rule: periodic, period: 1s}",
              false),
          new Change("replay-budget", "replay-budget: 64", "replay-budget: 17", false),
          new Change("max-samples", "max-samples: 100000", "max-samples: 90000", false),
          new Change("keep", "{keep: 500}", "{keep: 400}", false),
          new Change("hot-bytes", "hot-bytes: 0", "hot-bytes: 64MiB", false),
          new Change("max-event-bytes", "max-event-bytes: 1MiB", "max-event-bytes: 2MiB", false));

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    String text = AppFile.text(round.name(), 1);
    round.application(text);
    List<String> all = new ArrayList<>(Row.stream(round.random().nextLong(), 1, 300, true));
    Path first = round.input("first.csv", all);
    round.watchModels();
    if (round.finish(first, 0, Map.of(), 1, Round.BOUND_SECONDS) != 0) {
      return round.history(Promise.all(Round.BOUND_SECONDS), null);
    }
    int runs = 0;
    for (int i = 0; i < CHANGES && round.own().isEmpty(); i++) {
      Change change = CHANGED.get(round.random().nextInt(CHANGED.size()));
      round.application(text.replace(change.from(), change.to()));
      round.fault("changed " + change.key() + (change.identity() ? "" : " (free)"));
      List<String> rows =
          Row.stream(
              round.random().nextLong(), 10_000L * (i + 1), change.identity() ? 50 : 150, true);
      Path input = round.input("change-" + i + ".csv", rows);
      if (change.identity()) {
        refused(round, change, input);
      } else if (History.learned(round.finish(input, 0, Map.of(), 1, Round.BOUND_SECONDS))) {
        all.addAll(rows);
        runs++;
      } else {
        round.violation(
            Invariant.SETTINGS,
            change.key() + " may change, but: " + round.history(Promise.all(1), null).message());
      }
    }
    round.note(runs + " changes were taken");
    round.application(text);
    List<String> last = Row.stream(round.random().nextLong(), 900_000, 200, true);
    round.finish(round.input("last.csv", last), 0, Map.of());
    all.addAll(last);
    return round.history(Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(all)), null);
  }

  /** A start with another identity must end soon, with an error that names the key. */
  static void refused(Round round, Change change, Path input)
      throws IOException, InterruptedException {
    Victim run = round.run(input, 0, Map.of());
    OptionalInt code = run.awaitExit(REFUSAL_MILLIS);
    String said = run.output();
    run.kill();
    if (code.isEmpty()) {
      round.violation(
          Invariant.SETTINGS,
          "'%s' instead of '%s' was taken and the run does not end"
              .formatted(change.to().strip(), change.from().strip()));
    } else if (History.learned(code.getAsInt())) {
      round.violation(
          Invariant.SETTINGS,
          "'%s' instead of '%s' was taken silently, exit code 0"
              .formatted(change.to().strip(), change.from().strip()));
    } else if (!said.contains(change.key())) {
      round.violation(
          Invariant.SETTINGS,
          "the refusal of another %s does not name it: %s"
              .formatted(change.key(), said.strip().lines().reduce((a, b) -> b).orElse("")));
    }
  }
}
