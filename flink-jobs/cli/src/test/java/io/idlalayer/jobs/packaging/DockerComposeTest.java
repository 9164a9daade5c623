package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.idlalayer.jobs.run.TaskProcesses;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No container engine runs in the tests, so the files are checked for what they name. */
final class DockerComposeTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir Path folder;

  private static JsonNode compose() throws Exception {
    return new ObjectMapper(new YAMLFactory())
        .readTree(ROOT.resolve("docker-compose.yml").toFile());
  }

  @Test
  void services_comeFromOneImage() throws Exception {
    JsonNode services = compose().get("services");
    List<String> names = new ArrayList<>();
    services.fieldNames().forEachRemaining(names::add);
    assertThat(names).containsExactlyInAnyOrder("broker", "jobmanager", "taskmanager");
    for (String name : names) {
      JsonNode service = services.get(name);
      assertThat(service.get("image").asText()).isEqualTo("idlalayer:local");
      assertThat(service.get("command").get(0).asText()).isEqualTo(name);
    }
    assertThat(services.get("broker").get("build").asText()).isEqualTo(".");
  }

  @Test
  void services_shareAVolumeThatExists() throws Exception {
    JsonNode compose = compose();
    for (String name : List.of("jobmanager", "taskmanager")) {
      String volume = compose.get("services").get(name).get("volumes").get(0).asText();
      assertThat(volume).startsWith("work:");
    }
    assertThat(compose.get("volumes").has("work")).isTrue();
  }

  @Test
  void services_publishNoPortToTheHost() throws Exception {
    for (JsonNode service : compose().get("services")) {
      assertThat(service.has("ports")).as(service.get("command").toString()).isFalse();
    }
    String entry = Files.readString(ROOT.resolve("dev/docker-entry"));
    assertThat(entry)
        .contains("rest.bind-address: ${IDLA_REST_BIND:-127.0.0.1}")
        .contains("idla.rest.guarded: true")
        .contains("web.access-control-allow-origin: http://127.0.0.1:0")
        .contains("-XX:MaxDirectMemorySize")
        .contains("umask");
  }

  @Test
  void entryPoint_everyClassItStarts_exists() throws Exception {
    String entry = Files.readString(ROOT.resolve("dev/docker-entry"));
    List<String> classes =
        java.util.regex.Pattern.compile("(?:org|io)\\.[a-z.]+\\.[A-Z]\\w+")
            .matcher(entry)
            .results()
            .map(java.util.regex.MatchResult::group)
            .distinct()
            .toList();
    assertThat(classes).hasSizeGreaterThanOrEqualTo(5);
    for (String name : classes) {
      if (name.startsWith("io.idlalayer.console.")) {
        // The artifact of a module that is built after this one.
        Path source = ROOT.resolve("console/src/main/java/" + name.replace('.', '/') + ".java");
        assertThat(source).exists();
      } else {
        assertThat(Class.forName(name, false, getClass().getClassLoader())).isNotNull();
      }
    }
  }

  /** What a role of the entry point would run: its arguments, then Flink's configuration. */
  private String started(String role, Map<String, String> environment) throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path java = bin.resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/bash
        echo "$@"
        while [ $# -gt 0 ]; do
          [ "$1" = --configDir ] && cat "$2/config.yaml"
          shift
        done
        """);
    java.toFile().setExecutable(true);
    ProcessBuilder builder =
        new ProcessBuilder("bash", ROOT.resolve("dev/docker-entry").toString(), role, "/app.yaml");
    builder.environment().putAll(environment);
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    builder.environment().put("IDLA_WORK", folder.resolve("work").toString());
    // For Flink's configuration, which the entry point leaves to the process that it becomes.
    builder.environment().put("TMPDIR", folder.toString());
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Test
  void theFolderOfATaskManager_isNotInTheJobManagersConfiguration() throws Exception {
    String key = "state.backend.rocksdb.localdir: " + folder.resolve("work/state");
    assertThat(started("taskmanager", Map.of())).contains(key);
    assertThat(started("jobmanager", Map.of())).doesNotContain("rocksdb.localdir");
  }

  @Test
  void theJobManager_knowsWhatTaskManagersAreStartedWith() throws Exception {
    Map<String, String> sizes = Map.of("IDLA_TASK_HEAP", "3g", "IDLA_DIRECT", "2g");
    assertThat(started("taskmanager", sizes))
        .contains("-Xmx3g -XX:MaxDirectMemorySize=2g")
        .contains("-Xms3g");
    assertThat(started("jobmanager", sizes))
        .contains(TaskProcesses.HEAP + ": 3g")
        .contains(TaskProcesses.DIRECT + ": 2g");
  }

  @Test
  void image_copiesTheLibFolder() throws Exception {
    assertThat(Files.readString(ROOT.resolve("Dockerfile")))
        .contains("flink-jobs/cli/target/lib")
        .contains("dev/docker-entry");
  }
}
