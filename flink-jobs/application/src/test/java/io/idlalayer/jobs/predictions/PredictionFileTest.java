package io.idlalayer.jobs.predictions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PredictionFileTest {
  private static final SampleSchema.Label CLASSES =
      new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes, \"sure\""));
  private static final SampleSchema.Label TARGET =
      new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of());

  @TempDir Path folder;

  private static PredictedEvent event(long offset, double label, String id) {
    return new PredictedEvent(
        1, offset, id, label, 0.5, 7, 1, new double[] {0.25f, 0.75f}, 0.2876821f, "");
  }

  private static PredictedEvent without(long offset, String reason) {
    return new PredictedEvent(
        0, offset, "", 0, 1, 0, Double.NaN, new double[0], Double.NaN, reason);
  }

  private static void write(Path file, SampleSchema.Label label, PredictedEvent... events)
      throws IOException {
    try (PredictionFile log = new PredictionFile(file, label)) {
      log.open(null);
      for (PredictedEvent each : events) {
        log.add(each);
      }
    }
  }

  @Test
  void add_classes_areRowsOfCsv() throws Exception {
    Path file = folder.resolve("p.csv");
    write(file, CLASSES, event(3, 1, "a,b"), without(4, "no model yet"));
    assertThat(Files.readString(file))
        .isEqualTo(
            """
            partition,offset,id,label,weight,update,predicted,probability,p:no,"p:yes, ""sure""\",loss,reason
            1,3,"a,b","yes, ""sure""\",0.5,7,"yes, ""sure""\",0.75,0.25,0.75,0.2876821,
            0,4,,no,1,,,,,,,no model yet
            """);
  }

  @Test
  void add_classes_areLinesOfJson() throws Exception {
    Path file = folder.resolve("p.JSONL");
    write(file, CLASSES, event(3, 0, "a"), without(4, "no model yet"));
    assertThat(Files.readString(file))
        .isEqualTo(
            """
            {"partition":1,"offset":3,"id":"a","label":"no","weight":0.5,"update":7,"predicted":"yes, \\"sure\\"","probability":0.25,"probabilities":{"no":0.25,"yes, \\"sure\\"":0.75},"loss":0.2876821}
            {"partition":0,"offset":4,"label":"no","weight":1.0,"reason":"no model yet"}
            """);
  }

  @Test
  void add_targets_areNumbersInFull() throws Exception {
    Path file = folder.resolve("p.csv");
    write(file, TARGET, new PredictedEvent(0, 0, "", 0.1, 1, 2, 1e-9, new double[0], 0.01f, ""));
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "partition,offset,id,label,weight,update,predicted,loss,reason",
            "0,0,,0.1,1,2,1.0E-9,0.01,");
  }

  @Test
  void open_afterASave_keepsTheRowsUntilThen() throws Exception {
    Path file = folder.resolve("p.csv");
    byte[] saved;
    try (PredictionFile log = new PredictionFile(file, TARGET)) {
      log.open(null);
      for (int i = 0; i < 5_000; i++) {
        log.add(event(i, 2, ""));
      }
      saved = log.save();
      assertThat(Files.readAllLines(file)).hasSize(5_001);
      for (int i = 0; i < 5_000; i++) {
        log.add(event(i, 3, ""));
      }
    }
    assertThat(Files.readAllLines(file)).hasSize(10_001);
    try (PredictionFile log = new PredictionFile(file, TARGET)) {
      log.open(saved);
      log.add(event(9, 4, ""));
      log.flush();
      assertThat(Files.readAllLines(file)).hasSize(5_002).last().asString().startsWith("1,9,,4,");
    }
    try (PredictionFile other = new PredictionFile(file, CLASSES)) {
      assertThatThrownBy(() -> other.open(saved)).hasMessageContaining("does not begin with");
    }
  }

  @Test
  void open_fullDisk_saysWhichFileAndWhatToDo() throws Exception {
    try (PredictionFile log = new PredictionFile(Path.of("/dev/full"), TARGET)) {
      assertThatThrownBy(() -> log.open(null))
          .hasMessage(
              "/dev/full cannot be used: no space is left on its device;"
                  + " make room there, then run the same command again");
    }
    Path file = Files.createFile(folder.resolve("file"));
    try (PredictionFile log = new PredictionFile(file.resolve("p.csv"), TARGET)) {
      assertThatThrownBy(() -> log.open(null)).hasMessageContaining(file.toString());
    }
  }

  @Test
  void claim_fileOfSomebodyElse_isRefusedAndKept() throws Exception {
    Path file = folder.resolve("p.csv");
    Files.writeString(file, "mine");
    List<ApplicationSettings> one = List.of(application(1));
    Path work = Files.createDirectory(folder.resolve("work"));
    assertThatThrownBy(() -> PredictionFiles.claim(file, one, work, false))
        .hasMessageContaining("p.csv exists");
    assertThat(Files.readString(file)).isEqualTo("mine");
    Files.delete(file);
    PredictionFiles.claim(file, one, work, false);
    Files.writeString(file, "rows of this run");
    PredictionFiles.claim(file, one, work, false);
    assertThatThrownBy(() -> PredictionFiles.claim(file, one, work, true))
        .hasMessageContaining("remove it, or name another file");
    Path other = Files.createDirectory(folder.resolve("other"));
    assertThatThrownBy(() -> PredictionFiles.claim(file, one, other, false))
        .hasMessageContaining("p.csv exists");
  }

  /** Another file has had the rows since, so this one would begin anew and lose what it has. */
  @Test
  void claim_fileOfAnEarlierRunThanTheLast_isRefusedAndKept() throws Exception {
    Path first = folder.resolve("first.csv");
    Path second = folder.resolve("second.csv");
    List<ApplicationSettings> one = List.of(application(1));
    Path work = Files.createDirectory(folder.resolve("work"));
    PredictionFiles.claim(first, one, work, false);
    Files.writeString(first, "rows of the first run");
    PredictionFiles.claim(second, one, work, false);
    Files.writeString(second, "rows of the second run");
    assertThatThrownBy(() -> PredictionFiles.claim(first, one, work, false))
        .hasMessageContaining("first.csv exists");
    PredictionFiles.claim(second, one, work, false);
    Files.delete(first);
    PredictionFiles.claim(first, one, work, false);
  }

  @Test
  void of_severalLearners_isAFileForEach() throws Exception {
    List<ApplicationSettings> two = List.of(application(2));
    assertThat(PredictionFiles.of(folder.resolve("p.v1.csv"), new LearnerKey("app", 1), two))
        .isEqualTo(folder.resolve("p.v1-app-1.csv"));
    Path work = Files.createDirectory(folder.resolve("work"));
    Files.writeString(folder.resolve("p-app-1.csv"), "mine");
    assertThatThrownBy(() -> PredictionFiles.claim(folder.resolve("p.csv"), two, work, false))
        .hasMessageContaining("p-app-1.csv exists");
  }

  private ApplicationSettings application(int partitions) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: %d
        input: {format: csv, columns: [a, y], features: [a], label: y, task: regression}
        """
            .formatted(partitions));
    return ApplicationFileReader.read(file, name -> null);
  }
}
