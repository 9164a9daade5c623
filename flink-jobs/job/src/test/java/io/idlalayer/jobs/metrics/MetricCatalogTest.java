package io.idlalayer.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation, the dashboard and the alerts name the metrics that exist. */
final class MetricCatalogTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern NAME = Pattern.compile("flink_\\w+");
  private static final Pattern RECORD = Pattern.compile("idlalayer:\\w+");

  private static String row(MetricDefinition<?> metric, String labels) {
    return "| `%s` | %s | %s | %s |"
        .formatted(
            metric.name(), metric.kind().name().toLowerCase(Locale.ROOT), metric.unit(), labels);
  }

  /** Names as Prometheus has them; a histogram has its count under a name of its own. */
  private static Set<String> prometheusNames() {
    Set<String> names = new TreeSet<>();
    for (MetricDefinition<?> each : MetricCatalog.LEARNER) {
      names.add(PrometheusText.LEARNER + each.name());
      if (each.kind() == MetricDefinition.Kind.HISTOGRAM) {
        names.add(PrometheusText.LEARNER + each.name() + "_count");
      }
    }
    MetricCatalog.SUBTASK.forEach(each -> names.add(PrometheusText.SUBTASK + each.name()));
    MetricCatalog.SHARED_CACHE.forEach(each -> names.add(PrometheusText.SUBTASK + each.name()));
    return names;
  }

  private static List<String> namesIn(List<String> expressions) {
    List<String> names = new ArrayList<>();
    for (String expression : expressions) {
      Matcher name = NAME.matcher(expression);
      while (name.find()) {
        names.add(name.group());
      }
    }
    return names;
  }

  @Test
  void documentation_hasARowForEachMetric() throws IOException {
    List<String> expected =
        Stream.concat(
                MetricCatalog.LEARNER.stream().map(it -> row(it, "application, partition")),
                Stream.concat(MetricCatalog.SUBTASK.stream(), MetricCatalog.SHARED_CACHE.stream())
                    .map(it -> row(it, "-")))
            .toList();
    List<String> rows = new ArrayList<>();
    for (String part : List.of("updates", "quality", "data")) {
      String text = Files.readString(ROOT.resolve("docs/metrics-" + part + ".md"));
      text.lines().filter(it -> it.startsWith("| `")).forEach(rows::add);
    }
    assertThat(rows.stream().map(it -> it.replaceFirst("(\\|(?:[^|]*\\|){4}).*", "$1")))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(rows).allMatch(it -> it.split("\\|")[5].strip().length() > 5, "says what it means");
  }

  @Test
  void names_areUniqueAndInCamelCase() {
    List<String> names =
        Stream.of(MetricCatalog.LEARNER, MetricCatalog.SUBTASK, MetricCatalog.SHARED_CACHE)
            .flatMap(List::stream)
            .map(MetricDefinition::name)
            .toList();
    assertThat(names).doesNotHaveDuplicates().allMatch(it -> it.matches("[a-z][A-Za-z0-9]+"));
  }

  @Test
  void names_ofTimesAndBytes_endWithTheUnit() {
    for (MetricDefinition<?> each : MetricCatalog.LEARNER) {
      switch (each.unit()) {
        case "ms" -> assertThat(each.name()).endsWith("Millis");
        case "s" -> assertThat(each.name()).endsWith("Seconds");
        case "bytes" -> assertThat(each.name()).endsWith("Bytes");
        default -> assertThat(each.name()).doesNotEndWith("Millis").doesNotEndWith("Bytes");
      }
    }
  }

  @Test
  void dashboard_namesMetricsThatExist() throws IOException {
    JsonNode board =
        new ObjectMapper()
            .readTree(ROOT.resolve("examples/monitoring/grafana-dashboard.json").toFile());
    List<String> expressions = board.findValuesAsText("expr");
    assertThat(expressions).hasSizeGreaterThan(20);
    assertThat(prometheusNames()).containsAll(namesIn(expressions));
    JsonNode variable = board.get("templating").get("list").get(1).get("query").get("query");
    List<String> names = namesIn(List.of(variable.asText()));
    assertThat(names).hasSize(1);
    assertThat(prometheusNames()).containsAll(names);
    assertThat(board.findValuesAsText("id")).doesNotHaveDuplicates();
  }

  @Test
  void alerts_nameMetricsThatExist() throws IOException {
    JsonNode groups =
        new ObjectMapper(new YAMLFactory())
            .readTree(ROOT.resolve("examples/monitoring/alerts.yaml").toFile())
            .get("groups");
    Set<String> records = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    List<String> alerts = new ArrayList<>();
    for (JsonNode rule : groups.get(0).get("rules")) {
      String expression = rule.get("expr").asText();
      assertThat(prometheusNames()).as(expression).containsAll(namesIn(List.of(expression)));
      if (rule.has("record")) {
        records.add(rule.get("record").asText());
        assertThat(expression).startsWith("max by (job_name, application, partition) (");
        continue;
      }
      String alert = rule.get("alert").asText();
      alerts.add(alert);
      assertThat(expression)
          .as("a restart begins a new series of Flink's, so only records reach over it")
          .doesNotContainPattern("flink_\\w+(\\{[^}]*})?(\\[| offset)");
      RECORD.matcher(expression).results().forEach(found -> used.add(found.group()));
      assertThat(rule.get("for").asText()).as(alert).matches("\\d+[mh]");
      assertThat(rule.get("labels").get("severity").asText()).isIn("warning", "critical");
      assertThat(rule.get("annotations").get("summary").asText()).contains("{{ $labels.");
    }
    assertThat(alerts).hasSize(8).doesNotHaveDuplicates();
    assertThat(used).isEqualTo(records);
  }
}
