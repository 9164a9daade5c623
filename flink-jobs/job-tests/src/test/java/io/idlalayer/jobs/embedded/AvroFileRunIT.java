package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.records.AvroFiles;
import io.idlalayer.jobs.registry.RegistryStandIn;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that learn from Avro object container files, with a schema file and with a registry. */
final class AvroFileRunIT {
  private static final int ROWS = 300;
  private static final String FILE =
      """
      name: numbers
      input:
        format: avro
        %s
        features: [inner.a, b]
        label: label
        classes: 2
      model: {hidden: [4]}
      update: {rule: count, count: 50}
      """;

  @TempDir Path folder;

  private ApplicationSettings application(String schemas) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), FILE.formatted(schemas));
  }

  private static long stored(RunOutcome outcome) {
    return outcome.view().learners().stream()
        .mapToLong(each -> each.status().samples().stored())
        .sum();
  }

  private static long malformed(RunOutcome outcome) {
    return outcome.view().learners().stream()
        .mapToLong(each -> each.status().samples().malformed())
        .sum();
  }

  @Test
  @Timeout(120)
  void run_fileThatWasCutAndIsWholeNow_learnsEachRecordOnce() throws Exception {
    Path file = AvroFiles.numbers(folder.resolve("numbers.avro"), ROWS);
    byte[] whole = Files.readAllBytes(file);
    ApplicationSettings application = application("schema-file: numbers.avro");
    Path work = folder.resolve("work");
    Files.write(file, Arrays.copyOf(whole, whole.length * 2 / 3));
    assertThatThrownBy(() -> FileRun.whole(application, work, file, new FakeMonitor()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("numbers.avro is cut off after record 100: the block at byte ")
        .hasMessageContaining("the 100 records before are in topic numbers-samples")
        .hasMessageEndingWith(
            "give the whole file under this name, and only the rest of it is sent");
    Files.write(file, whole);

    RunOutcome outcome = FileRun.whole(application, work, file, new FakeMonitor());

    assertThat(stored(outcome)).isEqualTo(ROWS);
    assertThat(malformed(outcome)).isZero();
    Status status = outcome.view().learners().get(0).status();
    assertThat(status.samples().duplicates()).isZero();
    assertThat(status.modelVersion()).isPositive();
  }

  @Test
  @Timeout(120)
  void run_fileWhoseSchemaIsRegistered_sendsItsIdWithEachRecord() throws Exception {
    Path file = AvroFiles.numbers(folder.resolve("numbers.avro"), ROWS);
    try (RegistryStandIn registry = RegistryStandIn.start()) {
      registry.register("numbers-samples-value", 5, AvroFiles.NUMBERS.toString());
      registry.add(5, "AVRO", AvroFiles.NUMBERS.toString());
      ApplicationSettings application =
          application("registry: {url: \"%s\"}".formatted(registry.url()));

      RunOutcome outcome =
          FileRun.whole(application, folder.resolve("work"), file, new FakeMonitor());

      assertThat(stored(outcome)).isEqualTo(ROWS);
      assertThat(malformed(outcome)).isZero();
    }
  }
}
