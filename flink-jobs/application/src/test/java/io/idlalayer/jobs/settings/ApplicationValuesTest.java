package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that several keys of the application file have: ranges, folders, the environment. */
final class ApplicationValuesTest {
  private static final String CSV =
      """
      name: app
      input: {format: csv, columns: [id, at, a, b, site, y], features: [a, b], label: y, classes: 2}
      """;

  @TempDir Path folder;

  private List<String> problems(String text, Map<String, String> environment) throws Exception {
    return ApplicationFiles.problems(folder.resolve("app.yaml"), text, environment);
  }

  @Test
  void ranges_thatNeverEndOrNameNothing_areRefused() throws Exception {
    for (String range : List.of("f1..f99999999999", "f9..f1", "f1..f200000")) {
      assertThat(problems(CSV.replace("[a, b]", "[" + range + "]"), Map.of()))
          .anySatisfy(
              problem -> assertThat(problem).startsWith("input.features: '" + range + "' "));
    }
  }

  @Test
  void directories_areTakenFromTheApplicationFilesFolder() throws Exception {
    ApplicationSettings settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            CSV
                + "publishing: {directory: models/here}\n"
                + "memory: {slow-directory: ../slow, tensors: {fast-bytes: 1MiB, slow-directory:"
                + " /abs}}\n");
    assertThat(settings.publishing().directory())
        .isEqualTo(folder.resolve("models/here").toString());
    assertThat(settings.memory().slowDirectory())
        .isEqualTo(folder.resolveSibling("slow").toString());
    assertThat(settings.memory().tensors().slowDirectory()).isEqualTo("/abs");
  }

  @Test
  void environment_valuesAreInNoMessage() throws Exception {
    String secret = "hunter2 s3://x";
    String file =
        """
        name: "${env:X}"
        partitions: "${env:X}"
        seed: "${env:X}"
        input:
          format: csv
          topic: "${env:X}"
          columns: ["${env:X}", a, b, y]
          features: [a, "x${env:X}"]
          label: "y${env:X}"
          classes: 2
          max-event-bytes: "${env:X}"
        model: {type: dl4j-json, file: "${env:X}"}
        training: {mini-batch: "${env:X}", learning-rate: "${env:X}", updater: "${env:X}"}
        update: {max-batch: "${env:X}", max-wait: "${env:X}"}
        selection: {score: rules, rules-file: "${env:X}.fcl", search: "${env:X}"}
        memory: {slow-directory: "s3:${env:X}", hot-plan: "${env:X}"}
        publishing: {directory: "s3:${env:X}"}
        kafka: {topic-prefix: "${env:X}"}
        """;
    List<String> problems = problems(file, Map.of("X", secret));
    assertThat(String.join("\n", problems))
        .doesNotContain("hunter2")
        .contains("update.max-batch: the value of ${env:X} is not a whole number")
        .contains("publishing.directory: the value of s3:${env:X} is an address")
        .contains("selection.rules-file: cannot be read: there is no such file");
    assertThat(problems).hasSizeGreaterThan(15);
  }
}
