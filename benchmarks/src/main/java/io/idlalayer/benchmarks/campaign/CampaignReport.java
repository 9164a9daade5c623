package io.idlalayer.benchmarks.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.benchmarks.campaign.check.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Results of a campaign as JSON and as text tables. */
final class CampaignReport {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CampaignReport() {}

  /** What the campaign was. */
  record Head(String command, String build, String machine, String date, long seed) {}

  static void write(Path folder, Head head, List<RoundResult> results) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("faults.json"),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(head, results)) + "\n");
    Files.writeString(folder.resolve("faults.md"), markdown(head, results));
  }

  private static ObjectNode json(Head head, List<RoundResult> results) {
    ObjectNode root = JSON.createObjectNode();
    root.set("campaign", JSON.valueToTree(head));
    ArrayNode nemeses = root.putArray("nemeses");
    byNemesis(results)
        .forEach(
            (name, rounds) -> {
              ObjectNode node = nemeses.addObject();
              double[] recovery = recovery(rounds);
              node.put("nemesis", name);
              node.put("rounds", rounds.size());
              node.set("faults", JSON.valueToTree(sum(rounds)));
              node.put("faultsObserved", total(sum(rounds)));
              node.put("checks", checks(rounds));
              node.put("violations", violations(rounds));
              node.put("recoveries", recovery.length);
              node.put("recoveryP50Seconds", quantile(recovery, 0.5));
              node.put("recoveryP99Seconds", quantile(recovery, 0.99));
              node.put("recoveryMaxSeconds", quantile(recovery, 1));
              node.put("seconds", rounds.stream().mapToDouble(RoundResult::seconds).sum());
            });
    root.set(
        "violations",
        JSON.valueToTree(results.stream().filter(it -> !it.violations().isEmpty()).toList()));
    return root;
  }

  private static Map<String, List<RoundResult>> byNemesis(List<RoundResult> results) {
    return results.stream()
        .collect(
            Collectors.groupingBy(RoundResult::nemesis, LinkedHashMap::new, Collectors.toList()));
  }

  static Map<String, Integer> sum(List<RoundResult> rounds) {
    Map<String, Integer> faults = new TreeMap<>();
    rounds.forEach(it -> it.faults().forEach((kind, n) -> faults.merge(kind, n, Integer::sum)));
    return faults;
  }

  static int total(Map<String, Integer> faults) {
    return faults.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static int checks(List<RoundResult> rounds) {
    return rounds.stream().flatMap(it -> it.checks().values().stream()).mapToInt(it -> it).sum();
  }

  private static int violations(List<RoundResult> rounds) {
    return rounds.stream().mapToInt(it -> it.violations().size()).sum();
  }

  private static double[] recovery(List<RoundResult> rounds) {
    return rounds.stream()
        .flatMap(it -> it.recoverySeconds().stream())
        .mapToDouble(it -> it)
        .sorted()
        .toArray();
  }

  static double quantile(double[] sorted, double share) {
    return sorted.length == 0
        ? 0
        : sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  }

  private static String markdown(Head head, List<RoundResult> results) {
    StringBuilder text = new StringBuilder();
    text.append("# Fault campaign\n\n");
    text.append(
        "%s; build `%s`; %s; seed %d.\n\n```\n%s\n```\n\n"
            .formatted(head.date(), head.build(), head.machine(), head.seed(), head.command()));
    text.append(
        "| nemesis | rounds | faults observed | checks | violations | recovery p50 s | p99 s | max"
            + " s |\n");
    text.append("|---|---|---|---|---|---|---|---|\n");
    byNemesis(results)
        .forEach(
            (name, rounds) -> {
              double[] recovery = recovery(rounds);
              text.append(
                  String.format(
                      Locale.ROOT,
                      "| %s | %d | %d | %d | %d | %.1f | %.1f | %.1f |\n",
                      name.toLowerCase(Locale.ROOT),
                      rounds.size(),
                      total(sum(rounds)),
                      checks(rounds),
                      violations(rounds),
                      quantile(recovery, 0.5),
                      quantile(recovery, 0.99),
                      quantile(recovery, 1)));
            });
    text.append("\n| fault | times |\n|---|---|\n");
    sum(results).forEach((kind, n) -> text.append("| %s | %d |\n".formatted(kind, n)));
    violated(text, results);
    TreeSet<String> notes = new TreeSet<>();
    results.forEach(it -> notes.addAll(it.notes()));
    if (!notes.isEmpty()) {
      text.append("\nNotes: ").append(String.join("; ", notes)).append(".\n");
    }
    return text.toString();
  }

  private static void violated(StringBuilder text, List<RoundResult> results) {
    text.append("\n| round | seed | invariant | what |\n|---|---|---|---|\n");
    for (RoundResult result : results) {
      for (Violation violation : result.violations()) {
        String what = violation.what().replace("|", "/").replaceAll("\\s+", " ");
        text.append(
            "| %s %d | %d | %s | %s |\n"
                .formatted(
                    result.nemesis().toLowerCase(Locale.ROOT),
                    result.number(),
                    result.seed(),
                    violation.invariant(),
                    what.substring(0, Math.min(300, what.length()))));
      }
    }
  }
}
