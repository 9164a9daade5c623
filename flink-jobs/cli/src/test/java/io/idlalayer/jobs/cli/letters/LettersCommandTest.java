package io.idlalayer.jobs.cli.letters;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LettersCommandTest {
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  private Path app(String name) throws Exception {
    return Files.writeString(
        folder.resolve("app.yaml"),
        "name: " + name + "\ninput: {features: [a], label: y, classes: 2}\n");
  }

  private Path log(String topic) throws Exception {
    Path work = folder.resolve("work");
    Files.createDirectories(work.resolve("kafka").resolve(topic + "-0"));
    return work;
  }

  @Test
  void letters_ofATopicWithAPoint_areNotThoseOfATopicThatLooksAlike() throws Exception {
    Path app = app("eu.clicks");
    Path work = log("eu-clicks-dead-letters");
    assertThat(idla.run("letters", app, "--work-dir", work)).isEqualTo(1);
    assertThat(idla.err()).contains("has no topic eu.clicks-dead-letters");
    log("eu.clicks-dead-letters");
    assertThat(idla.printed("letters", app, "--work-dir", work))
        .contains("eu.clicks has no dead letters");
  }
}
