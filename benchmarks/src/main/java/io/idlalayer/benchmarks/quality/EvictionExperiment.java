package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Eviction;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares ways to evict samples from a small store. Runs the product's learner with few stored
 * samples, which leave the store by life stage, by age or at random. Appends one line for each run
 * to a file, and skips runs that are already in the file. With {@code --report} it writes the table
 * and runs nothing.
 */
@CommandLine.Command(name = "EvictionExperiment", mixinStandardHelpOptions = true)
public final class EvictionExperiment implements Callable<Integer> {
  private static final String HEADER =
      "stream,flips,duplicates,policy,max_samples,eviction,score,seed,accuracy,updates,trained_rows,stored\n";
  private static final int KEYS = 8;

  /**
   * A contender whose rules give the stage Discard to samples that came once, Mature to samples
   * that came twice, and Preserve to samples that came more often.
   */
  private static final Contender BY_COUNT =
      new Contender(Contender.Policy.FUZZY_COUNT, Contender.Rule.COUNT, 64, 256);

  private static final int BATCH = 64;
  private static final int BUDGET = 256;

  @Option(names = "--data", description = "folder of the data sets")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "names of streams")
  private List<String> streams = List.of("elec", "recurring");

  @Option(names = "--policies", split = ",", description = "what is replayed")
  private List<String> policies = List.of("fuzzy", "uniform");

  @Option(names = "--limits", split = ",", description = "most stored samples")
  private List<Integer> limits = List.of(500, 2_000);

  @Option(names = "--noise", split = ",", description = "shares of flipped labels, one at a time")
  private List<Double> noise = List.of(0.0, 0.2);

  @Option(
      names = "--duplicates",
      split = ",",
      description = "shares of repeated events, one at a time")
  private List<Double> duplicates = List.of(0.0, 0.5);

  @Option(names = "--rows", description = "most rows of a stream")
  private int rows = Integer.MAX_VALUE;

  @Option(names = "--seeds", description = "how many seeds, from 1")
  private int seeds = 5;

  @Option(names = "--out", required = true, description = "CSV file to append to, or to read")
  private Path out = Path.of("");

  @Option(names = "--report", description = "Markdown file to write from the CSV file")
  private Path report = Path.of("");

  EvictionExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new EvictionExperiment(), args);
  }

  /** The ways in which samples leave the store, with the score that determines their stages. */
  private enum Way {
    FITTED(Eviction.STAGES, Score.FITTED),
    RULES(Eviction.STAGES, Score.RULES),
    OLDEST(Eviction.OLDEST, Score.RULES),
    OLDEST_FITTED(Eviction.OLDEST, Score.FITTED),
    RANDOM(Eviction.RANDOM, Score.RULES);

    private final Eviction eviction;
    private final Score score;

    Way(Eviction eviction, Score score) {
      this.eviction = eviction;
      this.score = score;
    }

    static Way of(Eviction eviction, Score score) {
      return Arrays.stream(values())
          .filter(each -> each.eviction == eviction && each.score == score)
          .findFirst()
          .orElseThrow();
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!report.toString().isEmpty()) {
      Files.writeString(report, table(Files.readAllLines(out)));
      return 0;
    }
    Set<String> done = new HashSet<>();
    if (Files.exists(out)) {
      Files.readAllLines(out).forEach(line -> done.add(key(line)));
    } else {
      Files.writeString(out, HEADER);
    }
    for (int seed = 1; seed <= seeds; seed++) {
      for (String name : streams) {
        DriftStream clean = DriftStreams.read(data, name, rows);
        for (Adversary adversary : adversaries()) {
          DriftStream stream = adversary.apply(clean, seed);
          for (String policy : policies) {
            runAll(stream, adversary, Contender.Policy.of(policy), seed, done);
          }
        }
      }
    }
    return 0;
  }

  /** Returns the changes of a stream: none, wrong labels, and repetitions. */
  private List<Adversary> adversaries() {
    List<Adversary> all = new ArrayList<>();
    noise.forEach(flips -> all.add(new Adversary(flips, 0)));
    duplicates.stream().filter(share -> share > 0).forEach(s -> all.add(new Adversary(0, s)));
    return all;
  }

  private void runAll(
      DriftStream stream, Adversary adversary, Contender.Policy policy, int seed, Set<String> done)
      throws IOException, InterruptedException {
    Contender contender =
        new Contender(policy, Contender.Rule.COUNT, BATCH, BUDGET)
            .with(new Contender.Fitting(32, 2, 0.01));
    for (int limit : limits) {
      for (Way way : Way.values()) {
        String key =
            String.format(
                Locale.ROOT,
                "%s,%s,%s,%s,%d,%s,%s,%d",
                stream.name(),
                adversary.flips(),
                adversary.duplicates(),
                policy.key(),
                limit,
                way.eviction,
                way.score,
                seed);
        if (done.add(key)) {
          run(stream, contender, settings(contender.settings(), limit, way), seed, key);
        }
      }
    }
  }

  private static DataSettings settings(DataSettings standard, int limit, Way way) {
    DataSettings.Staging staging =
        way.score == Score.RULES ? BY_COUNT.settings().staging() : standard.staging();
    return new DataSettings(
        staging.with(way.score),
        standard.replay(),
        limit,
        standard.maxBytes(),
        standard.maxUnlabeled(),
        way.eviction);
  }

  private void run(
      DriftStream stream, Contender contender, DataSettings settings, int seed, String key)
      throws IOException, InterruptedException {
    try (QualityRun run = new QualityRun(EngineName.ONEDNN, stream, contender, settings, seed)) {
      RunOutcome outcome = run.run();
      var stages = outcome.stages().get(outcome.stages().size() - 1);
      String line =
          String.format(
              Locale.ROOT,
              "%s,%.6f,%d,%d,%d%n",
              key,
              outcome.quality().trueAccuracy(),
              outcome.costs().updates(),
              outcome.costs().trainedRows(),
              stages.newborn() + stages.mature() + stages.preserve() + stages.discard());
      Files.writeString(out, line, StandardOpenOption.APPEND);
      System.out.print(line);
    }
  }

  private static String key(String line) {
    String[] fields = line.split(",");
    return String.join(",", List.of(fields).subList(0, Math.min(KEYS, fields.length)));
  }

  /**
   * Returns the table with the accuracy of each way, and with the differences between ways, paired
   * by seed.
   */
  private static String table(List<String> lines) {
    Map<String, Map<String, Map<String, Double>>> found = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] f = line.split(",");
      String where =
          String.format(
              Locale.ROOT,
              "| %s | %.0f | %.0f | %s | %s |",
              f[0],
              100 * Double.parseDouble(f[1]),
              100 * Double.parseDouble(f[2]),
              f[3],
              f[4]);
      String how = Way.of(Eviction.valueOf(f[5]), Score.valueOf(f[6])).name();
      found
          .computeIfAbsent(where, each -> new LinkedHashMap<>())
          .computeIfAbsent(how, each -> new TreeMap<>())
          .put(f[7], Double.parseDouble(f[8]));
    }
    StringBuilder text =
        new StringBuilder(
            """
            Accuracy in percent by what leaves a full store, and differences in percentage points (95 %, paired by seed).

            | stream | flipped % | repeated % | policy | samples | stages (fitted) | stages (by count) | oldest | oldest, score fitted | random | stages - oldest (both fitted) | stages - oldest (both by count) | random - oldest | seeds |
            |---|---|---|---|---|---|---|---|---|---|---|---|---|---|
            """);
    found.forEach(
        (where, ways) -> {
          text.append(where);
          for (Way way : Way.values()) {
            text.append(String.format(Locale.ROOT, " %.2f |", 100 * mean(ways, way)));
          }
          text.append(" %s |".formatted(difference(ways, Way.FITTED, Way.OLDEST_FITTED).text()))
              .append(" %s |".formatted(difference(ways, Way.RULES, Way.OLDEST).text()))
              .append(" %s |".formatted(difference(ways, Way.RANDOM, Way.OLDEST).text()));
          text.append(" %d |%n".formatted(ways.getOrDefault(Way.OLDEST.name(), Map.of()).size()));
        });
    return text.toString();
  }

  private static double mean(Map<String, Map<String, Double>> ways, Way way) {
    return ways.getOrDefault(way.name(), Map.of()).values().stream()
        .mapToDouble(Double::doubleValue)
        .average()
        .orElse(Double.NaN);
  }

  private static PairedDifference difference(
      Map<String, Map<String, Double>> ways, Way way, Way than) {
    Map<String, Double> others = ways.getOrDefault(than.name(), Map.of());
    Map<String, Double> own = ways.getOrDefault(way.name(), Map.of());
    return PairedDifference.of(
        own.entrySet().stream()
            .filter(run -> others.containsKey(run.getKey()))
            .mapToDouble(run -> run.getValue() - others.getOrDefault(run.getKey(), Double.NaN))
            .toArray());
  }
}
