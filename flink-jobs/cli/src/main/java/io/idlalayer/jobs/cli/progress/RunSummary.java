package io.idlalayer.jobs.cli.progress;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.report.ComparisonText;
import io.idlalayer.jobs.report.ProgressText;
import io.idlalayer.jobs.report.QualityText;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Prints how many events of a learner were learned, refused or lost, and how good its model was.
 */
final class RunSummary {
  private final PrintWriter out;

  RunSummary(PrintWriter out) {
    this.out = out;
  }

  private static String part(long events, String what) {
    return events == 0 ? "" : String.format(Locale.ROOT, " + %,d %s", events, what);
  }

  /** Prints the summaries of a run's learners. */
  void print(List<RunView.Learner> learners) {
    for (RunView.Learner learner : learners) {
      String application = learner.application();
      boolean alone =
          learners.stream().filter(each -> each.application().equals(application)).count() == 1;
      print(alone ? application : learner.name(), learner);
    }
  }

  private void print(String name, RunView.Learner learner) {
    Status status = learner.status();
    Status.Samples s = status.samples();
    out.printf(
        Locale.ROOT,
        "%n%s%n  events    %,d received = %,d trained as new + %,d duplicates + %,d malformed"
            + " + %,d without label%s%s%s%s%n",
        name,
        s.received(),
        status.trainedNewSamples(),
        s.duplicates(),
        s.malformed(),
        s.unlabeled(),
        part(s.merged(), "merged with another event of their id"),
        part(s.labelsWaiting(), "labels that wait for their events"),
        part(s.labelsGivenUp(), "labels whose events did not come"),
        part(s.quarantined(), "quarantined"));
    if (s.labelsDefaulted() > 0) {
      out.printf(
          Locale.ROOT,
          "  labels    %,d events got the default label; %,d of these were corrected later%n",
          s.labelsDefaulted(),
          s.defaultsCorrected());
    }
    Status.Input input = status.input();
    if (input.lostOffsets() > 0) {
      Status.LostRange last = input.lost().get(input.lost().size() - 1);
      out.printf(
          Locale.ROOT,
          "  MISSING   %,d offsets of the input were gone before they were read, last %d to %d of"
              + " %s: %s%n",
          input.lostOffsets(),
          last.from(),
          last.until() - 1,
          last.input(),
          last.why());
    }
    if (input.reread() > 0) {
      out.printf(
          Locale.ROOT,
          "  again     %,d records came again and were not learned twice%n",
          input.reread());
    }
    out.printf(
        Locale.ROOT,
        "  updates   %,d, %s; events were in a version %.2f s after they arrived on average,"
            + " 99 %% within %.2f s%n",
        status.updates(),
        ProgressText.served(status.servedVersion()),
        status.incorporation().meanSeconds(),
        status.incorporation().p99Seconds());
    cost(status.processor());
    RowUsage tables = status.tables();
    if (tables != null) {
      long reads = Math.max(1, tables.hits() + tables.buffered() + tables.misses());
      out.printf(
          Locale.ROOT,
          "  tables    %,d rows, %,d hot; %.1f %% of reads found their row hot, %.1f %% found it read ahead or waiting to be written%s%s%n",
          tables.rows(),
          tables.hotRows(),
          100.0 * tables.hits() / reads,
          100.0 * tables.buffered() / reads,
          tables.refused() == 0
              ? ""
              : "; FULL: %,d times an id got no row (embeddings.most-rows, memory.rows.slow-bytes)"
                  .formatted(tables.refused()),
          tables.outOfRange() == 0
              ? ""
              : "; OUT OF RANGE: %,d times an id was not a row number of its table (index: number)"
                  .formatted(tables.outOfRange()));
    }
    quality(status.prequential());
    ComparedVersions compared = status.compared();
    if (compared != null && ComparisonText.shows(compared)) {
      String label = "  compared  ";
      for (String line : ComparisonText.summary(compared, status.updates())) {
        out.println(label + line);
        label = " ".repeat(label.length());
      }
    }
    network(status.network(), status.history() != null);
    history(status.history());
  }

  /** Prints how good the network is without the references that are served with it. */
  private void network(@Nullable ExpertQuality network, boolean withHistory) {
    if (network == null) {
      return;
    }
    Double accuracy = network.accuracy();
    Double error = network.meanAbsoluteError();
    String alone = "";
    if (accuracy != null) {
      alone = String.format(Locale.ROOT, "alone, accuracy %.4f, ", accuracy);
    } else if (error != null) {
      alone = "alone, mean absolute error " + QualityText.number(error) + ", ";
    }
    out.printf(
        Locale.ROOT,
        "  network   %sloss %s; its weight in predictions is %.1f %%, and %s has the rest%n",
        alone,
        QualityText.number(network.meanLoss()),
        100 * network.weight(),
        withHistory
            ? "the last label and how often each label comes"
            : "how often each label comes");
  }

  private void history(@Nullable HistoryUse history) {
    if (history == null) {
      return;
    }
    String left =
        history.evictedKeys() == 0
            ? ""
            : String.format(Locale.ROOT, "; %,d keys left (history.keys)", history.evictedKeys());
    HistoryUse.ClassesWithout classes = history.classification();
    HistoryUse.TargetsWithout targets = history.regression();
    String without = "";
    if (classes != null) {
      without =
          String.format(
              Locale.ROOT, "; without context, accuracy %.1f %%", 100 * classes.accuracy());
    } else if (targets != null) {
      without =
          String.format(
              Locale.ROOT,
              "; without context, mean absolute error %.4g",
              targets.meanAbsoluteError());
    }
    out.printf(
        Locale.ROOT,
        "  history   %,d %s%s%s%n",
        history.keys(),
        history.keys() == 1 ? "key" : "keys",
        left,
        without);
  }

  private void cost(@Nullable ProcessorUse use) {
    if (use != null && use.updates() > 0) {
      out.printf(
          Locale.ROOT,
          "  cost      %s of processor time an update of late; %,d %s took %s, of which %s was"
              + " training%n",
          UpdateText.duration(use.recentUpdateSeconds()),
          use.updates(),
          use.updates() == 1 ? "update" : "updates",
          UpdateText.duration(use.caused().sumSeconds()),
          UpdateText.duration(use.caused().trainingSeconds()));
    }
  }

  private void quality(PrequentialSummary quality) {
    PrequentialSummary.Classification classes = quality.classification();
    PrequentialSummary.Regression targets = quality.regression();
    if (classes != null) {
      out.printf(
          Locale.ROOT,
          "  quality   accuracy %.4f, perplexity %.3f on %,d events before they were learned;"
              + " repeating the last label %.4f, always the most frequent class %.4f%n",
          classes.accuracy(),
          classes.perplexity(),
          quality.scored(),
          classes.noChangeAccuracy(),
          classes.majorityAccuracy());
    } else if (targets != null) {
      out.printf(
          Locale.ROOT,
          "  quality   mean absolute error %s on %,d events before they were learned; repeating the"
              + " last label %s%n",
          QualityText.number(targets.meanAbsoluteError()),
          quality.scored(),
          QualityText.number(targets.noChangeMeanAbsoluteError()));
    } else {
      out.println("  quality   " + QualityText.undefined(quality));
    }
    String metrics = QualityText.metrics(quality);
    if (!metrics.isEmpty()) {
      out.println("  metrics   " + metrics);
    }
  }
}
