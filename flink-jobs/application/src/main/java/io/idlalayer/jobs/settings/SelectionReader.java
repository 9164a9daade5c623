package io.idlalayer.jobs.settings;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.datacontroller.stage.RuleScorer;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.jobs.storage.SmallTextFile;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import java.io.IOException;
import java.nio.file.Path;

/** Reads the section {@code selection} and the file with fuzzy rules that it names. */
final class SelectionReader {
  private final Section section;
  private final Path file;
  private final boolean tables;

  /**
   * @param file the application file; a rule file's path is relative to its folder
   * @param tables whether the model has embedding tables; if so, the default is to replay nothing,
   *     because tables overfit to ids if samples are replayed
   */
  SelectionReader(Section section, Path file, boolean tables) {
    this.section = section;
    this.file = file;
    this.tables = tables;
  }

  DataSettings read() {
    DataSettings defaults = DataSettings.defaults();
    DataSettings settings =
        new DataSettings(
            staging(defaults.staging()),
            replay(defaults.replay()),
            section.integer("max-samples", defaults.maxSamples(), 1, SampleIndex.MOST_SAMPLES),
            section.bytes("max-bytes", defaults.maxBytes(), 1),
            section.integer("max-unlabeled", defaults.maxUnlabeled(), 0, 100_000_000),
            section.choice("eviction", defaults.eviction(), DataSettings.Eviction.values()),
            Math.round(1_000 * section.seconds("label-wait", defaults.labelWaitMillis() / 1e3)),
            defaults.hashKey(),
            defaults.defaultWeight(),
            defaults.defaultLabel(),
            forget(section.section("forget")));
    if (settings.replay().policy() == DataSettings.Policy.STAGE_SHARES
        && settings.staging().score() == DataSettings.Score.FREQUENCY) {
      // Nearly all samples have one of two scores. Among samples with equal scores, always the same
      // ones would be trained.
      section.problem(
          "policy",
          "stage-shares needs another score than frequency: 'score: fitted', 'score: contribution'"
              + " or 'score: rules'");
    }
    section.finish();
    return settings;
  }

  private static ForgetSettings forget(Section section) {
    double within = section.seconds("within", 0);
    int anchors =
        section.integer(
            "anchors",
            ForgetSettings.DEFAULT_ANCHORS,
            ForgetSettings.FEWEST_ANCHORS,
            ForgetSettings.MOST_ANCHORS);
    long millis = Math.round(1_000 * within);
    if (section.given("within")
        && (millis < ForgetSettings.LEAST_MILLIS || millis > ForgetSettings.MOST_MILLIS)) {
      section.problem("within", "must be 1s to 30d: by then a withdrawn sample is forgotten");
      millis = ForgetSettings.DEFAULT_MILLIS;
    }
    if (millis == 0) {
      section.idle("anchors", anchors, ForgetSettings.DEFAULT_ANCHORS, "'within'");
    }
    section.finish();
    return new ForgetSettings(millis, anchors);
  }

  private DataSettings.Staging staging(DataSettings.Staging defaults) {
    DataSettings.Score score =
        section.choice("score", defaults.score(), DataSettings.Score.values());
    FuzzyEngines.Kind engine =
        section.choice("rules-engine", defaults.engine(), FuzzyEngines.Kind.values());
    String rules = defaults.rules();
    String name = defaults.rulesName();
    String path = section.text("rules-file");
    if (path != null) {
      Path resolved = file.toAbsolutePath().resolveSibling(path).normalize();
      name = resolved.toString();
      rules = text(path, resolved, rules);
    }
    if (score == DataSettings.Score.RULES) {
      check(engine, name, rules);
    } else if (path != null) {
      section.problem("rules-file", "takes effect with 'score: rules' only");
    } else if (engine != defaults.engine()) {
      section.problem("rules-engine", "takes effect with 'score: rules' only");
    }
    DataSettings.ContributionMode contribution =
        section.choice(
            "contribution", defaults.contribution(), DataSettings.ContributionMode.values());
    if (score == DataSettings.Score.FREQUENCY) {
      section.idle(
          "contribution",
          contribution,
          defaults.contribution(),
          "'score: fitted', 'score: contribution' or 'score: rules'");
    }
    return new DataSettings.Staging(
        contribution,
        score,
        rules,
        name,
        engine,
        section.integer("max-age", defaults.maxAgeUpdates(), 0, 1_000_000_000));
  }

  private String text(String given, Path path, String otherwise) {
    try {
      return SmallTextFile.read(path);
    } catch (IOException missing) {
      section.problem("rules-file", "cannot be read: " + section.reason(given, missing));
      return otherwise;
    }
  }

  private void check(FuzzyEngines.Kind engine, String name, String rules) {
    try {
      new RuleScorer(engine, name, rules);
    } catch (FclException wrong) {
      section.problem(
          section.has("rules-file") ? "rules-file" : "rules-engine",
          String.valueOf(wrong.getMessage()));
    }
  }

  private DataSettings.Replay replay(DataSettings.Replay defaults) {
    DataSettings.Replay replay = given(defaults);
    boolean fuzzy = replay.policy() == DataSettings.Policy.FUZZY;
    if (replay.budget() == 0) {
      idleWithoutReplay(replay, defaults);
    }
    if (!fuzzy) {
      String only = "'policy: fuzzy'";
      section.idle("steady-share", replay.steadyShare(), defaults.steadyShare(), only);
      section.idle("newborns", replay.newborns(), defaults.newborns(), only);
    }
    if (!fuzzy && replay.policy() != DataSettings.Policy.STAGE_SHARES) {
      String only = "'policy: fuzzy' or 'policy: stage-shares'";
      section.idle("mature", replay.ratios().mature(), defaults.ratios().mature(), only);
      section.idle("preserve", replay.ratios().preserve(), defaults.ratios().preserve(), only);
      section.idle("discard", replay.ratios().discard(), defaults.ratios().discard(), only);
      section.idle("search", replay.search(), defaults.search(), only);
    }
    return replay;
  }

  /**
   * Reports settings of a replay policy that have no effect if nothing is replayed, because the
   * policy then only chooses among new samples.
   */
  private void idleWithoutReplay(DataSettings.Replay replay, DataSettings.Replay defaults) {
    String only = "'replay-budget' above 0";
    section.idle("policy", replay.policy(), defaults.policy(), only);
    section.idle("mature", replay.ratios().mature(), defaults.ratios().mature(), only);
    section.idle("preserve", replay.ratios().preserve(), defaults.ratios().preserve(), only);
    section.idle("discard", replay.ratios().discard(), defaults.ratios().discard(), only);
    section.idle("search", replay.search(), defaults.search(), only);
    section.idle("steady-share", replay.steadyShare(), defaults.steadyShare(), only);
  }

  private DataSettings.Replay given(DataSettings.Replay defaults) {
    return new DataSettings.Replay(
        section.choice("policy", defaults.policy(), DataSettings.Policy.values()),
        new DataSettings.Ratios(
            section.number("mature", defaults.ratios().mature(), 0, true, 1),
            section.number("preserve", defaults.ratios().preserve(), 0, true, 1),
            section.number("discard", defaults.ratios().discard(), 0, true, 1)),
        section.flag("search", defaults.search()),
        section.integer("replay-budget", tables ? 0 : defaults.budget(), 0, 100_000_000),
        section.number("steady-share", defaults.steadyShare(), 0, true, 1),
        section.choice("newborns", defaults.newborns(), DataSettings.Newborns.values()));
  }
}
