package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Helm renders the chart, and the result is compared with the plain files. */
@EnabledOnOs(OS.LINUX)
final class HelmChartTest {
  private static final Path FILES =
      Path.of("../../examples/kubernetes").toAbsolutePath().normalize();
  private static final long LIMIT_SECONDS = 60;

  @TempDir Path folder;

  /** What Helm printed, and its exit code. */
  private record Rendered(int exitCode, String text) {}

  private Rendered render(String values) throws Exception {
    Path file = Files.writeString(folder.resolve("values.yaml"), values);
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                HelmRendering.class.getName(),
                FILES.resolve("chart").toString(),
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("Helm ends").isTrue();
    return new Rendered(process.exitValue(), Files.readString(output));
  }

  /** The documents by kind and name. */
  private Map<String, ObjectNode> documents(String values) throws Exception {
    Rendered rendered = render(values);
    assertThat(rendered.exitCode()).as(rendered.text()).isZero();
    Map<String, ObjectNode> documents = new TreeMap<>();
    for (ObjectNode each : KubernetesDocuments.parse(rendered.text())) {
      assertThat(KubernetesDocuments.read(each)).isNotNull();
      documents.put(each.get("kind").asText() + " " + each.at("/metadata/name").asText(), each);
    }
    return documents;
  }

  private static Map<String, ObjectNode> plain(String... files) throws IOException {
    Map<String, ObjectNode> documents = new TreeMap<>();
    for (String file : files) {
      for (ObjectNode each : KubernetesDocuments.parse(Files.readString(FILES.resolve(file)))) {
        documents.put(each.get("kind").asText() + " " + each.at("/metadata/name").asText(), each);
      }
    }
    return documents;
  }

  /** Plain files have no annotation that changes with the application file. */
  private static List<String> removeAnnotations(Map<String, ObjectNode> documents) {
    List<String> digests = new ArrayList<>();
    for (ObjectNode each : documents.values()) {
      for (String metadata : List.of("/spec/template/metadata", "/spec/podTemplate/metadata")) {
        if (each.at(metadata) instanceof ObjectNode of && of.has("annotations")) {
          digests.add(of.remove("annotations").get("idlalayer.io/application").asText());
        }
      }
      if (each.at("/spec/podTemplate") instanceof ObjectNode pod
          && pod.path("metadata").isEmpty()) {
        pod.remove("metadata");
      }
    }
    return digests;
  }

  @Test
  void theChart_withoutValues_makesThePlainFiles() throws Exception {
    Map<String, ObjectNode> documents = documents("{}");
    List<String> digests = removeAnnotations(documents);
    assertThat(digests).hasSize(2).doesNotContain("");
    assertThat(documents)
        .isEqualTo(
            plain("application.yaml", "job-savepoint.yaml", "console.yaml", "predictions.yaml"));
  }

  @Test
  void theChart_withLastState_makesThatJobAlone() throws Exception {
    Map<String, ObjectNode> documents =
        documents(
            "{job: {upgradeMode: last-state}, console: {enabled: false}, predictions: {enabled: false}}");
    removeAnnotations(documents);
    assertThat(documents).isEqualTo(plain("application.yaml", "job-last-state.yaml"));
  }

  @Test
  void anotherApplication_namesEverything() throws Exception {
    String application =
        "name: prices\ninput: {features: [a], label: b}\npublishing: {directory: \"s3://m/p\"}\n";
    String values =
        "application: |\n  %s\nobjectStore: {endpoint: \"\"}\njob: {flinkConfiguration: {taskmanager.memory.managed.size: 1g}}\n"
            .formatted(application.strip().replace("\n", "\n  "));
    Map<String, ObjectNode> documents = documents(values);
    assertThat(documents.toString()).doesNotContain("clicks").doesNotContain("minio");
    assertThat(documents)
        .containsOnlyKeys(
            "ConfigMap prices",
            "ConfigMap prices-object-store",
            "Deployment prices-console",
            "Deployment prices-predictions",
            "FlinkDeployment prices",
            "Service prices-console",
            "Service prices-predictions");
    JsonNode job = documents.get("FlinkDeployment prices").get("spec");
    assertThat(job.at("/flinkConfiguration/taskmanager.memory.managed.size").asText())
        .isEqualTo("1g");
    assertThat(documents.get("ConfigMap prices").at("/data/prices.yaml").asText().strip())
        .isEqualTo(application.strip());
    List<String> before = removeAnnotations(documents);
    assertThat(removeAnnotations(documents(values + "console: {enabled: false}\n")))
        .containsExactly(before.get(0));
    assertThat(removeAnnotations(documents(values.replace("[a]", "[a, c]"))))
        .doesNotContainAnyElementsOf(before);
  }

  private void assertRefused(String values, String reason) throws Exception {
    Rendered rendered = render(values);
    assertThat(rendered.exitCode()).as(rendered.text()).isNotZero();
    assertThat(rendered.text()).contains(reason);
  }

  @Test
  void wrongValues_areRefusedInWords() throws Exception {
    assertRefused("application: \"name: [\"", "application is no YAML");
    assertRefused("application: \"input: {}\"", "the file needs a name");
    assertRefused(
        "application: \"name: My_Clicks\"", "name \"My_Clicks\" cannot be a name in Kubernetes");
    assertRefused("application: \"name: clicks\"", "the file needs publishing.directory");
    assertRefused(
        "application: \"{name: clicks, publishing: {directory: /srv/models}}\"",
        "name an object store, s3://BUCKET/PREFIX");
    assertRefused("job: {upgradeMode: stateless}", "savepoint, or last-state");
  }
}
