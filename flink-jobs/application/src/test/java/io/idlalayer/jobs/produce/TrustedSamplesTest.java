package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.records.AvroFiles;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.NetworkChecks;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.middleware.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of samples whose labels are known to be right. */
final class TrustedSamplesTest {
  private static final String APPLICATION =
      """
      name: app
      input: {format: csv, columns: [x, y], features: [x], label: y, classes: 2}
      """;

  @TempDir Path folder;

  private Path application(String gate) throws IOException {
    return Files.writeString(
        folder.resolve("app.yaml"), APPLICATION + "publishing: {gate: {%s}}\n".formatted(gate));
  }

  private List<Sample> read(String... lines) throws Exception {
    Files.write(folder.resolve("right.csv"), List.of(lines));
    return TrustedSamples.read(settings("action: hold, trusted-file: right.csv"));
  }

  private ApplicationSettings settings(String gate) throws Exception {
    return ApplicationFileReader.read(application(gate), name -> null);
  }

  @Test
  void read_fileBesideTheApplicationFile_allSamples() throws Exception {
    List<Sample> samples = read("0.5,1", "-0.25,0");
    assertThat(samples).extracting(Sample::label).containsExactly(1.0, 0.0);
    assertThat(samples.get(1).dense()).containsExactly(-0.25);
  }

  @Test
  void read_noneNamed_none() throws Exception {
    assertThat(TrustedSamples.read(settings("action: hold"))).isEmpty();
  }

  @Test
  void read_whatIsNoSampleWithLabel_isNamedWithItsLine() {
    assertThatThrownBy(() -> read("0.5,1", "zero,1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("right.csv:2: x");
    assertThatThrownBy(() -> read("0.5,1", "0.5,1", "0.5,"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("right.csv:3: the event has no label");
    assertThatThrownBy(() -> read("0.5,7"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("right.csv:1: y");
    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("right.csv has no events to compare models on");
  }

  @Test
  void read_gzipThatIsCutOff_isRefusedWhole() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write("0.5,1\n-0.25,0\n".getBytes(StandardCharsets.UTF_8));
    }
    Files.write(folder.resolve("right.csv"), Arrays.copyOf(bytes.toByteArray(), bytes.size() - 1));
    assertThatThrownBy(() -> TrustedSamples.read(settings("action: hold, trusted-file: right.csv")))
        .hasMessageEndingWith(
            "right.csv is cut off after line 2: its gzip data stop before their end; none of its"
                + " events is used; copy the file again");
  }

  @Test
  void read_tooMany_isRefused() {
    String[] lines = new String[10_001];
    java.util.Arrays.fill(lines, "0.5,1");
    assertThatThrownBy(() -> read(lines))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has more than 10,000 events");
  }

  @Test
  void applications_fileIsMissing_isAProblemOfTheCommand() throws Exception {
    Path file = application("action: hold, trusted-file: none.csv");
    assertThat(Applications.read(List.of(file))).as("what does not run needs no file").hasSize(1);
    assertThatThrownBy(() -> Applications.readToRun(List.of(file), NetworkChecks.NONE))
        .hasMessageContaining("application app: publishing.gate.trusted-file: ")
        .hasMessageContaining("none.csv does not exist");
  }

  @Test
  void read_avroFileOfAnApplicationWithARegistry_isReadByItsOwnSchema() throws Exception {
    Path file = AvroFiles.numbers(folder.resolve("right.avro"), 20);
    List<Sample> samples =
        TrustedSamples.read(
            ApplicationFiles.read(
                folder.resolve("app.yaml"),
                """
                name: app
                input:
                  {topic-pattern: 'app-.*', format: avro, registry: {url: 'http://localhost:1'},
                   features: [inner.a, b], label: label, classes: 2}
                publishing: {gate: {action: hold, trusted-file: %s}}
                """
                    .formatted(file)));
    assertThat(samples).hasSize(20);
  }
}
