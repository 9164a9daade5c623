package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cli.models.KafkaOptions;
import io.idlalayer.jobs.replay.ArrivalFile;
import io.idlalayer.jobs.replay.ArrivalFormat;
import io.idlalayer.jobs.replay.RecordedRun;
import io.idlalayer.jobs.replay.ReplayReport;
import io.idlalayer.jobs.replay.TopicArrivals;
import io.idlalayer.jobs.replay.page.Price;
import io.idlalayer.jobs.replay.page.Savings;
import io.idlalayer.jobs.replay.page.SavingsPage;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Simulates every update rule on recorded arrivals, in virtual time. */
@Command(
    name = "replay",
    description = {
      "Compares what each update rule would have cost: simulates the rules on recorded"
          + " arrivals, in virtual time, and computes the exact optimum. Nothing is trained.",
      "An update of s samples takes LAMBDA * s + EPSILON seconds. The cost is the sum of"
          + " all waiting times, in sample-seconds, plus WEIGHT times the training seconds.",
      "The decision log of a run ('idla run --decisions FILE') contains its arrivals and"
          + " costs. An additional row then shows what the run really did."
    })
final class ReplayCommand implements Callable<Integer> {
  private static final String BEST = "best";

  /** The longest array that Java has. */
  private static final int MOST_ARRIVALS = Integer.MAX_VALUE - 8;

  @Spec CommandSpec spec;

  @Option(
      names = "--arrivals",
      paramLabel = "FILE",
      description = "File with the arrivals, plain or gzip.")
  @Nullable Path file;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description =
          "Topic whose records are the arrivals, by their time stamps; with --bootstrap-servers.")
  @Nullable String topic;

  @Mixin KafkaOptions kafka;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "seconds | second-counts | timestamp-csv | timestamp-count-csv | access-log |"
              + " decision-log (default: recognised).")
  @Nullable String format;

  @Option(
      names = "--application",
      paramLabel = "NAME[/PARTITION]",
      description = "Which application, if a decision log contains several.")
  @Nullable String application;

  @Option(
      names = "--skip-updates",
      paramLabel = "N",
      description =
          "Leave out the first N updates of a decision log, during which the JVM warms up.")
  int skipped;

  @Option(
      names = "--lambda",
      paramLabel = "SECONDS",
      description = "Training time per sample (default: 0, or that of the log).")
  @Nullable Double lambda;

  @Option(
      names = "--epsilon",
      paramLabel = "SECONDS",
      description = "Fixed time of a training (required unless the log contains it).")
  @Nullable Double epsilon;

  @Option(
      names = "--weight",
      paramLabel = "W",
      description =
          "How many sample-seconds of waiting one second of training is worth (default: 10,"
              + " or that of the log).")
  @Nullable Double weight;

  @Option(
      names = "--machine",
      paramLabel = "one|many",
      defaultValue = "one",
      description =
          "one: a training waits for the previous one; many: trainings may overlap (default:"
              + " ${DEFAULT-VALUE}).")
  Machine machine;

  @Option(
      names = "--rules",
      paramLabel = "all|RULE,...",
      defaultValue = "all",
      description = "Rules to run (default: ${DEFAULT-VALUE}).")
  String rules;

  @Option(
      names = "--period",
      paramLabel = "best|SECONDS",
      defaultValue = BEST,
      description =
          "Period of 'periodic'; best is the cheapest in hindsight (default: ${DEFAULT-VALUE}).")
  String period;

  @Option(
      names = "--count",
      paramLabel = "best|N",
      defaultValue = BEST,
      description =
          "Samples per update of 'count'; best is the cheapest in hindsight (default:"
              + " ${DEFAULT-VALUE}).")
  String count;

  @Option(names = "--report", paramLabel = "FILE.json", description = "Where to write the result.")
  @Nullable Path report;

  @Option(
      names = "--page",
      paramLabel = "FILE.html",
      description =
          "Where to write a page that says what fixed intervals and training without a pause would"
              + " have cost beside the rule 'adaptive', and how long samples would have waited.")
  @Nullable Path page;

  @Option(
      names = "--price",
      paramLabel = "'AMOUNT CURRENCY'",
      description = "Price of an hour of training on the page, such as '0.40 EUR'.")
  @Nullable String price;

  /** Arrivals, and their source. */
  private record Input(String source, ArrivalTrace trace, @Nullable RecordedRun recorded) {}

  @Override
  public Integer call() throws IOException {
    List<RuleName> chosen = rules();
    double givenPeriod = parameter("--period", period);
    double givenCount = parameter("--count", count);
    Price perHour = price();
    PrintWriter out = spec.commandLine().getOut();
    Input input = input(out);
    RecordedRun recorded = input.recorded();
    ScheduleCosts costs = costs(recorded);
    ArrivalTrace trace = input.trace();
    if (trace.arrivals() == 0) {
      throw new UsageException(input.source() + " holds no arrival");
    }
    if (trace.arrivals() > MOST_ARRIVALS) {
      throw new UsageException(
          "%s holds %,d arrivals, and at most %,d are replayed"
              .formatted(input.source(), trace.arrivals(), MOST_ARRIVALS));
    }
    introduce(out, trace, costs);
    ReplayLab lab = new ReplayLab(trace, costs, machine);
    List<ReplayReport.Row> rows = new ArrayList<>();
    for (RuleName rule : chosen) {
      rows.add(
          ReplayReport.Row.of(
              lab, rule, rule == RuleName.COUNT ? givenCount : givenPeriod, costs.weight()));
    }
    List<RuleOutcome> virtual = rows.stream().map(ReplayReport.Row::outcome).toList();
    if (recorded != null) {
      rows.add(new ReplayReport.Row(recorded.outcome(costs.weight()), "as it happened"));
    }
    ReplayReport result =
        new ReplayReport(
            machine, costs, trace.arrivals(), trace.spanSeconds(), lab, lab.optimum(virtual), rows);
    result.print(out);
    if (recorded != null && !Double.isNaN(recorded.medianPredictionError())) {
      out.printf(
          Locale.ROOT,
          "predicted against measured training time, median error after the tenth update: %.1f"
              + " %%%n",
          100 * recorded.medianPredictionError());
    }
    if (report != null) {
      RunReport.write(result.json(), report);
      out.println("report: " + report);
    }
    if (page != null) {
      SavingsPage.write(Savings.of(trace, costs, machine), shown(input), perHour, page);
      out.println("page: " + page);
    }
    out.flush();
    return Terminal.OK;
  }

  private String shown(Input input) {
    return topic == null && file != null
        ? String.valueOf(file.getFileName())
        : input.source().substring("--".length());
  }

  private @Nullable Price price() {
    if (price == null) {
      return null;
    }
    if (page == null) {
      throw new UsageException("--price is for the page: say where to write it with --page");
    }
    try {
      return Price.of(price);
    } catch (IllegalArgumentException wrong) {
      throw new UsageException("--price: " + wrong.getMessage());
    }
  }

  private Input input(PrintWriter out) throws IOException {
    if ((file == null) == (topic == null)) {
      throw new UsageException("give either --arrivals FILE or --topic TOPIC");
    }
    return topic == null ? fromFile(Objects.requireNonNull(file), out) : fromTopic(topic, out);
  }

  private Input fromTopic(String name, PrintWriter out) throws IOException {
    Map<String, Object> client = kafka.clientProperties();
    if (client == null) {
      throw new UsageException("--topic needs --bootstrap-servers HOST:PORT");
    }
    if (format != null || application != null || skipped != 0) {
      throw new UsageException(
          "--format, --application and --skip-updates work with --arrivals only");
    }
    needsEpsilon();
    TopicArrivals.Loaded loaded = TopicArrivals.read(client, name);
    out.printf(
        Locale.ROOT,
        "topic %s: %,d events%s%n",
        name,
        loaded.trace().arrivals(),
        loaded.untimed() == 0
            ? ""
            : String.format(Locale.ROOT, ", %,d without a time stamp left out", loaded.untimed()));
    return new Input("--topic " + name, loaded.trace(), null);
  }

  private Input fromFile(Path from, PrintWriter out) throws IOException {
    if (kafka.given()) {
      throw new UsageException("--bootstrap-servers and --kafka-properties work with --topic only");
    }
    // A pipe would lose the bytes that are read to recognise the format.
    if (!Files.isRegularFile(from) || !Files.isReadable(from)) {
      throw new UsageException(
          "--arrivals "
              + from
              + ": this is not a file that can be read; folders and pipes are not read");
    }
    ArrivalFormat how = ArrivalFile.format(from, format());
    if (how == ArrivalFormat.DECISION_LOG) {
      RecordedRun recorded = recorded(from);
      return new Input("--arrivals " + from, recorded.trace(), recorded);
    }
    needsEpsilon();
    return new Input("--arrivals " + from, load(from, how, out), null);
  }

  private void needsEpsilon() {
    if (epsilon == null) {
      throw new UsageException(
          "--epsilon is missing: give the fixed part of the duration of an update, in seconds");
    }
  }

  private RecordedRun recorded(Path from) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    RecordedRun whole = RecordedRun.read(from, application, note -> err.println("note: " + note));
    err.flush();
    if (skipped < 0 || skipped >= whole.updates()) {
      throw new UsageException(
          "--skip-updates %d: the log has only %d updates".formatted(skipped, whole.updates()));
    }
    return whole.without(skipped);
  }

  private List<RuleName> rules() {
    if (rules.equals("all")) {
      return List.of(RuleName.values());
    }
    List<RuleName> chosen = new ArrayList<>();
    for (String name : rules.split(",", -1)) {
      chosen.add(
          Stream.of(RuleName.values())
              .filter(rule -> rule.key().equals(name.strip()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new UsageException(
                          "--rules: there is no rule '%s', only %s"
                              .formatted(
                                  name,
                                  Stream.of(RuleName.values())
                                      .map(RuleName::key)
                                      .collect(Collectors.joining(", "))))));
    }
    return chosen;
  }

  /**
   * Parses the parameter of a rule: a number above 0, or NaN for {@code best}, the parameter that
   * turns out best in hindsight.
   */
  private static double parameter(String option, String text) {
    if (text.equals(BEST)) {
      return Double.NaN;
    }
    double value = NumberNotation.PLAIN.read(text);
    if (Double.isNaN(value)) {
      throw new UsageException(option + ": '" + text + "' is neither 'best' nor a number");
    }
    if (value > 0 && value < 1e9) {
      return value;
    }
    throw new UsageException(option + ": " + text + " must be above 0 and below 1e9");
  }

  private @Nullable ArrivalFormat format() {
    String name = format;
    if (name == null) {
      return null;
    }
    return Stream.of(ArrivalFormat.values())
        .filter(each -> each.key().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--format: there is no format '%s', only %s"
                        .formatted(
                            name,
                            Stream.of(ArrivalFormat.values())
                                .map(ArrivalFormat::key)
                                .collect(Collectors.joining(", ")))));
  }

  private ScheduleCosts costs(@Nullable RecordedRun recorded) {
    ScheduleCosts known = recorded == null ? null : recorded.costs();
    if (known == null) {
      needsEpsilon();
    }
    double fixed = epsilon != null ? epsilon : known == null ? 0 : known.fixedSeconds();
    double each = lambda != null ? lambda : known == null ? 0 : known.secondsPerSample();
    double w = weight != null ? weight : known == null ? 10 : known.weight();
    if (!(fixed >= 0 && fixed < 1e9 && each >= 0 && each < 1e9 && w > 0 && w < 1e12)) {
      throw new UsageException(
          "--lambda %s and --epsilon %s must not be negative, --weight %s must be above 0"
              .formatted(each, fixed, w));
    }
    return new ScheduleCosts(each, fixed, w);
  }

  private ArrivalTrace load(Path from, ArrivalFormat how, PrintWriter out) throws IOException {
    ArrivalFile.Loaded loaded = ArrivalFile.read(from, how);
    out.printf(
        Locale.ROOT,
        "%s: %,d lines, format %s%s%s%n",
        from.getFileName(),
        loaded.lines(),
        how.key(),
        format == null ? " (recognised)" : "",
        loaded.outOfOrder() == 0
            ? ""
            : String.format(Locale.ROOT, ", %,d out of order and sorted", loaded.outOfOrder()));
    return loaded.trace();
  }

  private void introduce(PrintWriter out, ArrivalTrace trace, ScheduleCosts costs) {
    out.printf(
        Locale.ROOT,
        "%,d arrivals over %,.1f s; an update of s samples takes %.4g * s + %.4g s; weight %.4g;"
            + " machine: %s%n%n",
        trace.arrivals(),
        trace.spanSeconds(),
        costs.secondsPerSample(),
        costs.fixedSeconds(),
        costs.weight(),
        machine.name().toLowerCase(Locale.ROOT));
    out.flush();
  }
}
