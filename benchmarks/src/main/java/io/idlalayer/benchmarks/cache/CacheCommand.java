package io.idlalayer.benchmarks.cache;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Replays a trace through cache policies. */
@Command(
    name = "cache",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Replays a recorded trace through every eviction policy, Caffeine and Belady's optimum, and"
          + " prints hit ratios and nanoseconds per access (median of the repeats, on this machine,"
          + " the policies' own work without payloads)."
    })
public final class CacheCommand implements Callable<Integer> {
  private static final String CAFFEINE = "caffeine";
  private static final String BELADY = "belady";
  private static final int ENTRIES_MAX = 500_000_000;

  @Spec CommandSpec spec;

  @Option(
      names = "--trace",
      required = true,
      paramLabel = "FILE",
      description = "Trace, .gz or not.")
  Path trace;

  @Option(
      names = "--format",
      paramLabel = "keys|lirs|arc|cache2k",
      description =
          "keys: one decimal key per line; lirs: the same with * lines; arc:"
              + " first block and count per line; cache2k: binary 32-bit keys.")
  TraceFormat format = TraceFormat.KEYS;

  @Option(
      names = "--capacity",
      required = true,
      split = ",",
      paramLabel = "N|P%",
      description = "Entries, or percent of the distinct keys; several with commas.")
  List<String> capacities;

  @Option(
      names = "--policies",
      split = ",",
      paramLabel = "all|NAME,...",
      description = "lru, paper, srrip, hand, w-tiny-lfu, adaptive, caffeine, belady.")
  List<String> policies = List.of("all");

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Runs of which the median time is taken.")
  int repeats = 3;

  @Option(names = "--report", paramLabel = "FILE.json", description = "Writes the numbers as JSON.")
  @Nullable Path report;

  @Override
  public Integer call() throws IOException {
    List<String> chosen = chosen();
    if (repeats < 1) {
      throw bad("--repeats: at least 1");
    }
    CacheTrace loaded = CacheTrace.read(trace, format);
    List<Map<String, Object>> results = new ArrayList<>();
    for (String capacity : capacities) {
      results.add(replay(loaded, entries(capacity, loaded.distinct()), chosen));
    }
    if (report != null) {
      Object content = results.size() == 1 ? results.get(0) : results;
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(report.toFile(), content);
    }
    return 0;
  }

  private List<String> chosen() {
    List<String> known =
        Stream.concat(
                Arrays.stream(PolicyName.values()).map(PolicyName::key),
                Stream.of(CAFFEINE, BELADY))
            .toList();
    if (policies.equals(List.of("all"))) {
      return known;
    }
    for (String policy : policies) {
      if (!known.contains(policy)) {
        throw bad("--policies: '%s' is none of %s".formatted(policy, String.join(", ", known)));
      }
    }
    return policies;
  }

  private CommandLine.ParameterException bad(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }

  private int entries(String capacity, int distinct) {
    try {
      double value =
          capacity.endsWith("%")
              ? Double.parseDouble(capacity.substring(0, capacity.length() - 1)) / 100 * distinct
              : Integer.parseInt(capacity);
      if (value >= 1 && value <= ENTRIES_MAX) {
        return (int) value;
      }
    } catch (NumberFormatException wrong) {
      // Said below.
    }
    throw bad(
        "--capacity: '%s' is neither a number of entries nor a percentage that makes one or more"
            .formatted(capacity));
  }

  private Map<String, Object> replay(CacheTrace loaded, int capacity, List<String> chosen) {
    var out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s: %,d references, %,d keys, capacity %,d%n%-12s %10s %12s %14s%n",
        trace.getFileName(),
        loaded.keys().length,
        loaded.distinct(),
        capacity,
        "policy",
        "hit ratio",
        "ns/access",
        "bytes/entry");
    List<Map<String, Object>> rows = new ArrayList<>();
    for (String policy : chosen) {
      CacheReplay.Outcome outcome = run(policy, loaded, capacity);
      out.printf(
          Locale.ROOT,
          "%-12s %10.4f %12s %14s%n",
          outcome.policy(),
          outcome.hitRatio(),
          shown(outcome.nanosPerAccess()),
          shown(outcome.bytesPerEntry()));
      out.flush();
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("policy", outcome.policy());
      row.put("hitRatio", outcome.hitRatio());
      row.put("nanosPerAccess", known(outcome.nanosPerAccess()));
      row.put("bytesPerEntry", known(outcome.bytesPerEntry()));
      rows.add(row);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("trace", trace.getFileName().toString());
    result.put("references", loaded.keys().length);
    result.put("keys", loaded.distinct());
    result.put("capacity", capacity);
    result.put("policies", rows);
    return result;
  }

  private CacheReplay.Outcome run(String policy, CacheTrace loaded, int capacity) {
    return switch (policy) {
      case CAFFEINE -> CacheReplay.caffeine(loaded, capacity, repeats);
      case BELADY -> CacheReplay.belady(loaded, capacity);
      default ->
          CacheReplay.own(
              Arrays.stream(PolicyName.values())
                  .filter(name -> name.key().equals(policy))
                  .findFirst()
                  .orElseThrow(),
              loaded,
              capacity,
              repeats);
    };
  }

  private static String shown(double value) {
    return value < 0 ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }

  private static @Nullable Double known(double value) {
    return value < 0 ? null : value;
  }
}
