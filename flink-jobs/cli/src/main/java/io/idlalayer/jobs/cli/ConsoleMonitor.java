package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.findings.InputOutcome;
import io.idlalayer.jobs.findings.RunFindings;
import io.idlalayer.jobs.report.DecisionFile;
import io.idlalayer.jobs.report.ProgressLine;
import io.idlalayer.jobs.report.QualityText;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows a run on the terminal, as a line that is rewritten; if the output is not a terminal, as a
 * line every 5 s.
 */
final class ConsoleMonitor implements RunMonitor {
  private static final long TERMINAL_NANOS = 1_000_000_000L;
  private static final long LOG_NANOS = 5_000_000_000L;

  private final PrintWriter out;
  private final List<ApplicationSettings> applications;
  private final RunFindings findings;
  private final @Nullable DecisionFile log;
  private final BiConsumer<String, Consumer<String>> onSubmitted;
  private final boolean terminal = Boolean.getBoolean("idla.terminal");
  private final ProgressLine progress;
  private final long startNanos = System.nanoTime();
  private long nextNanos;
  private int lineLength;
  private boolean emptyInput;

  /** Creates a monitor that writes to the terminal only. */
  ConsoleMonitor(PrintWriter out, List<ApplicationSettings> applications) {
    this(out, applications, null, (servers, line) -> {});
  }

  /**
   * @param applications applications of the run
   * @param log the file that every event is also written to, or null
   * @param onSubmitted called when the job is submitted, with the Kafka servers and a consumer of
   *     readable lines that any thread may call
   */
  ConsoleMonitor(
      PrintWriter out,
      List<ApplicationSettings> applications,
      @Nullable DecisionFile log,
      BiConsumer<String, Consumer<String>> onSubmitted) {
    this.out = out;
    this.applications = applications;
    findings = new RunFindings(applications);
    progress = new ProgressLine(commonMetric(applications));
    this.log = log;
    this.onSubmitted = onSubmitted;
  }

  /** Returns the metric that all applications go by; null if there is none. */
  private static @Nullable QualityMetric commonMetric(List<ApplicationSettings> applications) {
    List<QualityMetric> metrics =
        applications.stream().map(ApplicationSettings::metric).distinct().toList();
    return metrics.size() == 1 ? metrics.get(0) : null;
  }

  @Override
  public void submitted(String servers) {
    onSubmitted.accept(servers, this::phase);
  }

  /**
   * Prints the name of a phase of the run, with the seconds since the start. Safe from any thread.
   */
  @Override
  public synchronized void phase(String text) {
    line("%6.1fs  %s".formatted(seconds(), text));
  }

  private double seconds() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  @Override
  public synchronized void nothingToSend() {
    emptyInput = true;
  }

  @Override
  public synchronized void event(RunView view, DecisionEvent event) {
    UpdateRecord update = event.update();
    if (log != null) {
      log.add(event);
    }
    switch (event.type()) {
      case PUBLISHED -> {
        if (update != null) {
          line(published(event, update));
        }
      }
      case DROPPED, RESTORED, ABORTED, RULES, INPUT, HELD, WORSE, ROLLED_BACK, UNCOMPARED ->
          line(
              "%6.1fs  %s: %s"
                  .formatted(seconds(), event.application(), Shown.escaped(event.message())));
      case STATUS, FIRED, ARRIVALS, STAGED, EXPLAINED, MIXED, FINISHED -> {}
    }
    for (String finding : findings.after(view, event)) {
      line("%6.1fs  %s: %s".formatted(seconds(), event.application(), finding));
    }
  }

  private String published(DecisionEvent event, UpdateRecord update) {
    UpdateRecord.Firing firing = update.firing();
    UpdateRecord.Training training = update.requireTraining();
    return String.format(
        Locale.ROOT,
        "%6.1fs  %s: model v%d published: %d new + %d replayed samples in %s"
            + " (predicted %s), loss %s -> %s; %s",
        seconds(),
        event.application(),
        update.requirePublished().version(),
        firing.newSamples(),
        firing.replayedSamples(),
        duration(training.seconds()),
        duration(firing.grounds().predicted().mean()),
        QualityText.number(training.meanLossBefore()),
        QualityText.number(training.meanLossAfter()),
        firing.grounds().reason());
  }

  /**
   * Formats a duration in milliseconds or seconds, because trainings take from parts of a
   * millisecond to minutes.
   */
  private static String duration(double seconds) {
    return seconds < 1
        ? String.format(Locale.ROOT, "%.1f ms", 1e3 * seconds)
        : String.format(Locale.ROOT, "%.2f s", seconds);
  }

  @Override
  public synchronized void tick(RunView view) {
    long now = System.nanoTime();
    if (now < nextNanos) {
      return;
    }
    nextNanos = now + (terminal ? TERMINAL_NANOS : LOG_NANOS);
    String text = "%6.1fs  %s".formatted(seconds(), progress.render(view, now));
    if (terminal) {
      out.print("\r" + text + " ".repeat(Math.max(0, lineLength - text.length())));
      lineLength = text.length();
    } else {
      out.println(text);
    }
    out.flush();
  }

  private void line(String text) {
    if (terminal && lineLength > 0) {
      out.print("\r" + " ".repeat(lineLength) + "\r");
      lineLength = 0;
    }
    out.println(text);
    out.flush();
  }

  /**
   * Prints what was found in the input of a run that has ended, and its summary.
   *
   * @param allowedShare share of refused events that is no loss
   * @return exit code, which says how much of the input was learned
   */
  synchronized int end(RunOutcome outcome, Path work, double allowedShare) {
    Set<String> models = new TreeSet<>();
    for (ApplicationSettings application : applications) {
      String named = application.publishing().directory();
      models.add(named == null ? work.resolve("models").toString() : named);
    }
    line(
        "%6.1fs  %s"
            .formatted(seconds(), outcome.finished() ? "input learned to its end" : "stopped"));
    if (!emptyInput) {
      for (ApplicationSettings application : applications) {
        for (String finding : RunFindings.atEnd(outcome.view(), application)) {
          out.println(application.name() + ": " + finding);
        }
      }
    }
    for (RunView.Learner learner : outcome.view().learners()) {
      summary(learner);
    }
    int code = judge(outcome, allowedShare);
    out.println("everything is in " + work + "; models are in " + String.join(", ", models));
    if (!LogFile.where().isEmpty()) {
      out.println(LogFile.where());
    }
    out.flush();
    return code;
  }

  /** Says how much of the input was learned, if it was not all of it, and returns the exit code. */
  private int judge(RunOutcome outcome, double allowedShare) {
    if (emptyInput && outcome.finished()) {
      // What the learners noticed is of the input before.
      int code = InputOutcome.NOTHING.exitCode();
      String reason = InputOutcome.NOTHING.reason(Surveyed.NOTHING, allowedShare);
      applications.forEach(
          each -> out.println(each.name() + ": " + reason + "; exit code " + code));
      return code;
    }
    int code =
        InputOutcome.of(findings.outcomes(outcome.view(), outcome.finished(), allowedShare))
            .exitCode();
    for (String loss : findings.losses(outcome.view(), outcome.finished(), allowedShare)) {
      out.println(loss + "; exit code " + code);
    }
    return code;
  }

  private static String part(long events, String what) {
    return events == 0 ? "" : String.format(Locale.ROOT, " + %,d %s", events, what);
  }

  private void summary(RunView.Learner learner) {
    Status status = learner.status();
    Status.Samples s = status.samples();
    out.printf(
        Locale.ROOT,
        "%n%s%n  events    %,d received = %,d trained as new + %,d duplicates + %,d malformed"
            + " + %,d without label%s%s%s%s%n",
        learner.application(),
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
    Status.Stages t = status.stages();
    out.printf(
        Locale.ROOT,
        "  stages    %,d newborn, %,d mature, %,d preserve, %,d discard%n",
        t.newborn(),
        t.mature(),
        t.preserve(),
        t.discard());
    out.printf(
        Locale.ROOT,
        "  updates   %d, model v%d; samples reached a published model in %.2f s on average, 99%%"
            + " in %.2f s%n",
        status.updates(),
        status.modelVersion(),
        status.incorporation().meanSeconds(),
        status.incorporation().p99Seconds());
    Grounds grounds = status.decision().grounds();
    if (grounds.guarantee().certifiedRatio() > 0) {
      out.printf(
          Locale.ROOT,
          "  timing    rule %s; waiting and training cost at most %.3f x the best possible, by the"
              + " costs as estimated%n",
          grounds.rule(),
          grounds.guarantee().certifiedRatio());
    }
    cost(status.processor());
    RowUsage tables = status.tables();
    if (tables != null) {
      long reads = Math.max(1, tables.hits() + tables.buffered() + tables.misses());
      out.printf(
          Locale.ROOT,
          "  tables    %,d rows, %,d hot; of the reads, %.1f %% found theirs hot, %.1f %% read"
              + " ahead or to be written%s%s%n",
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
    network(status.network(), status.history() != null);
    history(status.history());
  }

  /** Tells what the network is worth without the references that are served with it. */
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
        "  network   %sloss %s; it has %.1f %% of the weight, %s the rest%n",
        alone,
        QualityText.number(network.meanLoss()),
        100 * network.weight(),
        withHistory ? "prior and last label" : "the prior of the labels");
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
          "  cost      %s of processor time an update of late; %,d updates took %s, of which %s was"
              + " training%n",
          duration(use.recentUpdateSeconds()),
          use.updates(),
          duration(use.caused().sumSeconds()),
          duration(use.caused().trainingSeconds()));
    }
  }

  private void quality(PrequentialSummary quality) {
    PrequentialSummary.Classification classes = quality.classification();
    PrequentialSummary.Regression targets = quality.regression();
    if (classes != null) {
      out.printf(
          Locale.ROOT,
          "  quality   accuracy %.4f, perplexity %.3f on %,d samples before training;"
              + " no change %.4f, majority %.4f%n",
          classes.accuracy(),
          classes.perplexity(),
          quality.scored(),
          classes.noChangeAccuracy(),
          classes.majorityAccuracy());
    } else if (targets != null) {
      out.printf(
          Locale.ROOT,
          "  quality   mean absolute error %s on %,d samples before training; no change %s%n",
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
