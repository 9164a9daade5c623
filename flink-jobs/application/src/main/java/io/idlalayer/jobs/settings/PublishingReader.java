package io.idlalayer.jobs.settings;

import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code publishing}, which has the settings of the release gate too. */
final class PublishingReader {
  private static final int MOST_COMPARED = 1_000_000;
  private static final double LONGEST_EVERY_SECONDS = 3_600;

  private PublishingReader() {}

  static ApplicationSettings.Publishing read(
      Section section, QualityMetric metric, boolean hasTables) {
    boolean onnx = section.flag("onnx", false);
    if (onnx && hasTables) {
      section.problem(
          "onnx",
          "models with tables are not written as ONNX with each version; 'idla models export'"
              + " writes one with tables of fixed size");
    }
    ApplicationSettings.Publishing publishing =
        new ApplicationSettings.Publishing(
            section.folderOrObjectStore("directory"),
            every(section),
            section.integer("keep", 5, 2, 100_000),
            gate(section.section("gate"), Metric.comparing(metric)),
            onnx);
    section.finish();
    return publishing;
  }

  private static @Nullable Double every(Section section) {
    Double every = section.secondsOrAuto("every");
    if (every != null && every > LONGEST_EVERY_SECONDS) {
      section.problem(
          "every", "must be from 0 to 1h; it is how long a better model may wait before it serves");
      return null;
    }
    return every;
  }

  /**
   * @param usual metric by which models are compared, unless the section names another metric
   */
  private static GateSettings gate(Section section, Metric usual) {
    GateSettings defaults = GateSettings.off(usual);
    double wait = section.seconds("wait", defaults.waitSeconds());
    if (wait < 0) {
      section.problem("wait", "must be at least 0");
      wait = 0;
    }
    GateSettings gate =
        new GateSettings(
            section.choice("action", defaults.action(), Action.values()),
            section.choice(
                "after-publishing", defaults.afterPublishing(), AfterPublishing.values()),
            section.choice("metric", usual, Metric.values()),
            section.number("margin", defaults.margin(), 0, true, 0.99),
            section.integer("samples", defaults.samples(), 1, MOST_COMPARED),
            wait,
            section.choice("continue-from", defaults.continueFrom(), ContinueFrom.values()),
            section.file("trusted-file"));
    if (gate.metric().ofClasses() != usual.ofClasses()) {
      section.problem(
          "metric",
          usual.ofClasses()
              ? "classes are compared by 'accuracy' or 'loss'"
              : "targets are compared by 'error', 'squared-error', 'quantile-loss-10',"
                  + " 'quantile-loss-90' or 'training-loss'");
    }
    String compared = "'action: hold', or 'after-publishing: roll-back'";
    if (!gate.compares()) {
      section.idle("margin", gate.margin(), defaults.margin(), compared);
      section.idle("samples", gate.samples(), defaults.samples(), compared);
      section.idle("metric", gate.metric(), usual, compared);
      section.idle("continue-from", gate.continueFrom(), defaults.continueFrom(), compared);
      if (gate.trustedFile() != null) {
        section.problem("trusted-file", "takes effect with " + compared + " only");
      }
    }
    if (gate.trustedFile() != null && section.has("samples")) {
      section.problem("samples", "all events of 'trusted-file' are compared: leave it out");
    }
    if (gate.action() != Action.HOLD) {
      section.idle("wait", gate.waitSeconds(), defaults.waitSeconds(), "'action: hold'");
    }
    section.finish();
    return gate;
  }
}
