package io.idlalayer.jobs.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.records.AvroFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InitCommandTest {
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();
  private Path events = Path.of("");
  private Path app = Path.of("");

  @BeforeEach
  void events() throws Exception {
    Random random = new Random(1);
    events =
        Files.writeString(
            folder.resolve("events.csv"),
            IntStream.range(0, 300)
                .mapToObj(
                    i -> random.nextGaussian() + "," + random.nextInt(9) + "," + random.nextInt(2))
                .collect(Collectors.joining("\n", "a,b,label\n", "\n")));
    app = folder.resolve("app.yaml");
  }

  @Test
  void init_file_writesAnApplicationFileOnce() throws Exception {
    assertThat(idla.run("init", events, "--output", app)).isZero();
    assertThat(idla.out())
        .contains("The label is 'label', guessed because of its name")
        .contains("written: " + app);
    String written = Files.readString(app);
    assertThat(written).contains("label: label  # guessed, because of its name");
    idla.assertUsage("the file exists; --force overwrites it", "init", events, "--output", app);
    assertThat(idla.run("init", events, "--output", app, "--force --label b")).isZero();
    assertThat(Files.readString(app)).contains("label: b").isNotEqualTo(written);
  }

  @Test
  void init_standardOutput_isAnApplicationFileAlone() throws Exception {
    assertThat(idla.run("init", events)).isZero();
    Files.writeString(app, idla.out());
    assertThat(idla.run("check", app, "--no-training")).isZero();
    assertThat(idla.out()).contains("no problems");
  }

  @Test
  void init_badUsage_isRefusedWithTheReason() {
    idla.assertUsage("name either a FILE of events, or --topic", "init");
    idla.assertUsage("name either a FILE of events, or --topic", "init", events, "--topic t");
    idla.assertUsage("--topic needs --bootstrap-servers", "init --topic t");
    idla.assertUsage("go with --topic only", "init", events, "--bootstrap-servers h:1");
    idla.assertUsage("--rows must be between 20 and 1,000,000", "init", events, "--rows 3");
    idla.assertUsage(
        "--encoding: 'ebcdic' is not an encoding", "init", events, "--encoding ebcdic");
    idla.assertUsage("--force goes with --output only", "init", events, "--force");
    idla.assertUsage(
        "--label 'lable' is none of the fields; did you mean 'label'?",
        "init",
        events,
        "--label lable");
    idla.assertUsage("does not exist", "init", folder.resolve("none.csv"));
    idla.assertUsage("is a folder", "init", folder);
    assertThat(app).doesNotExist();
  }

  @Test
  void check_sample_showsWhatAModelWouldSeeAndEndsAsARunWould() throws Exception {
    assertThat(idla.run("init", events, "--output", app)).isZero();
    assertThat(idla.run("check", app, "--sample", events)).isZero();
    assertThat(idla.out())
        .contains("300 events read: 300 decoded")
        .contains("label 'label', classes:")
        .contains("parameters")
        .contains("selection.max-samples")
        .containsPattern("an update of \\d+ new samples trains for about .* ms");
    Files.writeString(events, Files.readString(events) + "1,2\n");
    assertThat(idla.run("check", app, "--no-training --sample", events)).isEqualTo(3);
    assertThat(idla.out())
        .contains("1 of 301 events will be refused")
        .doesNotContain("an update of");
    Files.writeString(events, "a,b,label\nx\ny\n");
    assertThat(idla.run("check", app, "--no-training --sample", events)).isEqualTo(4);
  }

  @Test
  void check_fileWithProblems_namesAllOfThem() throws Exception {
    Files.writeString(app, "name: a\npartitions: 0\nmodel: {typ: mlp}\n");
    idla.assertUsage("unknown key; did you mean 'type'?", "check", app);
    assertThat(idla.err())
        .contains("partitions: 0 is not between 1 and 128")
        .contains("input: is missing")
        .contains(" problems");
    idla.assertUsage("name an application file", "check");
    idla.assertUsage("--schema takes no file", "check --schema", app);
    idla.assertUsage("--rows must be between 1", "check", app, "--rows 0");
  }

  @Test
  void check_schema_isPrinted() {
    assertThat(idla.printed("check --schema"))
        .startsWith("{")
        .contains("waiting-samples-per-training-second");
  }

  @Test
  void init_avroFile_writesAFileThatReadsItAndSaysWhatItHolds() throws Exception {
    Path records = AvroFiles.numbers(folder.resolve("numbers.avro"), 300);
    assertThat(idla.run("init", records, "--output", app, "--label label")).isZero();
    assertThat(idla.out()).contains("The events are Avro records.");
    assertThat(Files.readString(app)).contains("name: numbers", "format: avro", "inner.a");
    assertThat(idla.run("check", app, "--sample", records, "--no-training")).isZero();
    assertThat(idla.out()).contains("300 events read: 300 decoded, 300 with a label, 0 refused");
    idla.assertUsage("leave out --header and --encoding", "init", records, "--header true");
  }

  @Test
  void check_avroSampleOfARegistry_needsNoRegistry() throws Exception {
    Path records = AvroFiles.numbers(folder.resolve("numbers.avro"), 300);
    Files.writeString(
        app,
        """
        name: numbers
        input:
          format: avro
          registry: {url: "http://127.0.0.1:1", time-limit: 1s}
          features: [inner.a, b]
          label: label
          classes: 2
        """);
    assertThat(idla.run("check", app, "--sample", records, "--no-training")).isZero();
    assertThat(idla.out()).contains("300 events read: 300 decoded");
    Path lines =
        Files.writeString(folder.resolve("in.json"), "{\"inner\":{\"a\":1},\"b\":2,\"label\":0}\n");
    assertThat(idla.run("check", app, "--sample", lines, "--no-training")).isZero();
    assertThat(idla.out()).contains("1 events read: 1 decoded");
    byte[] whole = Files.readAllBytes(records);
    Files.write(records, java.util.Arrays.copyOf(whole, whole.length - 2));
    idla.assertUsage(
        "is cut off after record 200: the block at byte", "check", app, "--sample", records);
  }
}
