package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.cli.Idla;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No cluster runs in the tests, so the files are read with the classes of those who read them. */
final class KubernetesFilesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path FILES = ROOT.resolve("examples/kubernetes");

  @TempDir Path folder;

  private static List<ObjectNode> documents(Path file) throws IOException {
    return KubernetesDocuments.parse(Files.readString(file));
  }

  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(FILES, "*.yaml")) {
      found.forEach(files::add);
    }
    return files;
  }

  private static ObjectNode job(String file) throws IOException {
    ObjectNode document = documents(FILES.resolve(file)).get(0);
    return (ObjectNode) document.get("spec");
  }

  @Test
  void eachFile_isReadByTheClassesOfItsReaders() throws Exception {
    assertThat(files()).hasSize(5);
    for (Path file : files()) {
      for (ObjectNode document : documents(file)) {
        assertThat(KubernetesDocuments.read(document)).as(file.toString()).isNotNull();
      }
    }
  }

  @Test
  void aWrongKey_isRefusedAtAnyDepth() throws Exception {
    ObjectNode job = documents(FILES.resolve("job-savepoint.yaml")).get(0);
    ((ObjectNode) job.at("/spec/job")).put("upgradeMod", "savepoint");
    assertThatThrownBy(() -> KubernetesDocuments.read(job)).hasMessageContaining("upgradeMod");
    ObjectNode console = documents(FILES.resolve("console.yaml")).get(0);
    ((ObjectNode) console.at("/spec/template/spec/containers/0")).put("imagePolicy", "Always");
    assertThatThrownBy(() -> KubernetesDocuments.read(console)).hasMessageContaining("imagePolicy");
    ObjectNode pod = documents(FILES.resolve("job-savepoint.yaml")).get(0);
    ((ObjectNode) pod.at("/spec/podTemplate/spec")).put("volume", "x");
    assertThatThrownBy(() -> KubernetesDocuments.read(pod)).hasMessageContaining("volume");
  }

  @Test
  void bothJobs_differInUpgradesOnly() throws Exception {
    ObjectNode savepoint = job("job-savepoint.yaml");
    ObjectNode last = job("job-last-state.yaml");
    assertThat(savepoint.at("/job/upgradeMode").asText()).isEqualTo("savepoint");
    assertThat(last.at("/job/upgradeMode").asText()).isEqualTo("last-state");
    assertThat(last.at("/flinkVersion").asText()).isEqualTo("v2_3");
    ObjectNode settings = (ObjectNode) last.get("flinkConfiguration");
    assertThat(settings.remove("high-availability.type").asText()).isEqualTo("kubernetes");
    assertThat(settings.remove("high-availability.storageDir").asText()).startsWith("s3://");
    ((ObjectNode) last.get("job")).put("upgradeMode", "savepoint");
    assertThat(last).isEqualTo(savepoint);
  }

  @Test
  void theJob_isStartedAsItIsBuilt() throws Exception {
    ObjectNode job = job("job-savepoint.yaml");
    assertThat(Class.forName(job.at("/job/entryClass").asText())).isNotNull();
    String jar = job.at("/job/jarURI").asText();
    String dockerfile = Files.readString(FILES.resolve("Dockerfile"));
    assertThat(dockerfile)
        .contains(jar.substring("local://".length()))
        .contains("FROM flink:2.3-java17")
        // The folder has other jars of this beginning, and COPY takes one file to one name.
        .contains("COPY --chown=flink:flink flink-jobs/job-jar/target/idlalayer-job-${VERSION}.jar")
        .contains("ARG VERSION=" + version() + "\n");
    assertThat(Path.of(job.at("/job/args/0").asText()).getParent())
        .hasToString(job.at("/podTemplate/spec/containers/0/volumeMounts/0/mountPath").asText());
  }

  /** Returns the version of the product. */
  private static String version() throws IOException {
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    String after = pom.substring(pom.indexOf("<artifactId>idlalayer</artifactId>"));
    int begin = after.indexOf("<version>") + "<version>".length();
    return after.substring(begin, after.indexOf("</version>"));
  }

  @Test
  void theApplicationFile_isRead() throws Exception {
    JsonNode data = documents(FILES.resolve("application.yaml")).get(0).get("data");
    Path file = folder.resolve("clicks.yaml");
    Files.writeString(file, data.get("clicks.yaml").asText());
    ApplicationSettings settings = ApplicationFileReader.read(file, name -> null);
    assertThat(settings.name()).isEqualTo("clicks");
    assertThat(settings.publishing().directory()).startsWith("s3://");
  }

  @Test
  void theServer_hasOptionsThatExist() throws Exception {
    List<String> words = new ArrayList<>();
    documents(FILES.resolve("predictions.yaml"))
        .get(0)
        .at("/spec/template/spec/containers/0/args")
        .forEach(word -> words.add(word.asText()));
    assertThat(words.remove(0)).isEqualTo("idla");
    assertThat(Idla.commandLine().parseArgs(words.toArray(new String[0])).errors()).isEmpty();
  }
}
