package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IdlaTest {
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "run",
        "init",
        "check",
        "plan",
        "demo",
        "produce",
        "train",
        "replay",
        "models",
        "models list",
        "models show",
        "models pull",
        "models follow",
        "models evaluate",
        "models predict",
        "cluster",
        "cluster start",
        "cluster submit",
        "cluster status",
        "cluster stop",
        "memory-node",
        "shared-cache"
      })
  void help_everyCommand_explainsItself(String command) {
    assertThat(idla.run((command + " --help").trim())).isZero();
    assertThat(idla.out()).contains("Usage: idla " + command.strip());
  }

  @Test
  void run_commandWithoutArguments_printsItsHelp() {
    assertThat(idla.printed()).contains("Exit codes");
    assertThat(idla.printed("models")).contains("evaluate");
    assertThat(idla.printed("cluster")).contains("submit");
  }

  @Test
  void run_badUsage_exitsWith2() throws Exception {
    assertThat(idla.run("fly")).isEqualTo(2);
    assertThat(idla.run("run")).isEqualTo(2);
    assertThat(idla.run("demo --seconds 0")).isEqualTo(2);
    idla.assertUsage("none.yaml: does not exist", "run", folder.resolve("none.yaml"));
    Path app = app();
    idla.assertUsage("none.csv does not exist", "run", app, "--input none.csv");
    idla.assertUsage("neither a number nor max", "run", app, "--rate quickly");
    idla.assertUsage("--work-dir DIR or --models-dir DIR", "models list");
    idla.assertUsage("has anything been published?", "models list --work-dir", folder);
    String work = folder.toString();
    idla.assertUsage(
        "--models-topic needs --bootstrap-servers HOST:PORT",
        "models follow x --work-dir",
        work,
        "--models-topic t");
    for (String command :
        List.of(
            "models follow x --name me --work-dir " + work,
            "models serve --predict x --name me --work-dir " + work,
            "models subscribers x",
            "models subscribers x --kafka-properties none")) {
      idla.assertUsage("--bootstrap-servers HOST:PORT", command);
    }
    String kafka = "127.0.0.1:1";
    for (String option :
        List.of("--bootstrap-servers", "--kafka-properties", "--subscribers-topic", "--name")) {
      idla.assertUsage("need --predict APPLICATION", "models serve --work-dir", work, option, "x");
      assertThat(idla.err()).contains(option);
    }
    idla.assertUsage(
        "--name: 'a b' is not a name of a subscriber",
        "models follow x --work-dir",
        work,
        "--bootstrap-servers",
        kafka,
        "--name",
        List.of("a b"));
    idla.assertUsage(
        "--poll-millis must be above 0", "models follow x --work-dir", work, "--poll-millis 0");
  }

  @Test
  void run_numbersOutOfRange_areBadUsage() throws Exception {
    Path input = Files.writeString(folder.resolve("in.jsonl"), "{\"a\": 1, \"y\": 0}\n");
    for (String limit : List.of("0", "-1")) {
      String produce = "--bootstrap-servers none:1 --limit " + limit + " --input";
      idla.assertUsage("--limit must be at least 1", "produce", app(), produce, input);
    }
    idla.assertUsage(
        "--limit goes with --input",
        "produce",
        app(),
        "--bootstrap-servers none:1 --limit 5 --labels",
        input);
    for (String timeout : List.of("0", "-1", "86401")) {
      idla.assertUsage(
          "--timeout must be between 1 and 86400",
          "samples explain",
          app(),
          "x --bootstrap-servers none:1 --timeout",
          timeout);
    }
  }

  @Test
  void run_failure_exitsWith1AndAMessage() throws Exception {
    Files.createDirectories(folder.resolve("models"));
    assertThat(idla.run("models show app --work-dir", folder)).isEqualTo(1);
    assertThat(idla.err()).contains("error: app has published no model");
    assertThat(idla.run("cluster submit --work-dir", folder, app())).isEqualTo(1);
    assertThat(idla.err()).contains("no cluster was started in");
  }

  private Path app() throws Exception {
    Path app = folder.resolve("app.yaml");
    Files.writeString(app, "name: x\ninput: {features: [a], label: y, classes: 2}\n");
    return app;
  }

  @Test
  void run_unwritableWorkDirectory_isReportedBeforeAnythingStarts() throws Exception {
    Path file = folder.resolve("file");
    Files.writeString(file, "no folder");
    assertThat(idla.run("run", app(), "--work-dir", file)).isEqualTo(1);
    assertThat(idla.err()).contains("cannot write to the work directory");
  }

  @Test
  void run_headerOfOtherColumns_isReported() throws Exception {
    Path app = folder.resolve("csv.yaml");
    Files.writeString(
        app,
        "name: x\ninput: {format: csv, header: true, columns: [a, y], features: [a], label: y,"
            + " classes: 2}\n");
    Path input = folder.resolve("in.csv");
    Files.writeString(input, "b,y\n1,0\n");
    idla.assertUsage(
        "differs from input.columns: column 1: found 'b', expected 'a'",
        "run",
        app,
        "--input",
        input);
  }

  @Test
  void run_gzipThatIsCutOffInItsHeader_endsWith2AndNothingIsSent() throws Exception {
    Path app = folder.resolve("csv.yaml");
    Files.writeString(
        app,
        "name: x\ninput: {format: csv, header: true, columns: [a, y], features: [a], label: y,"
            + " classes: 2}\n");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write("a,y\n1,0\n".getBytes(StandardCharsets.UTF_8));
    }
    Path input = Files.write(folder.resolve("in.csv.gz"), Arrays.copyOf(bytes.toByteArray(), 12));
    String message =
        "in.csv.gz is cut off before the end of its first line: its gzip data stop before their"
            + " end; nothing of it was sent; copy the file again";
    idla.assertUsage(message, "run", app, "--input", input);
    idla.assertUsage(message, "produce", app, "--bootstrap-servers none:1 --input", input);
  }

  @Test
  void run_patternOfTopics_needsABrokerAndNoInput() throws Exception {
    Path app = folder.resolve("pattern.yaml");
    Files.writeString(
        app, "name: x\ninput: {topic-pattern: 'x-.*', features: [a], label: y, classes: 2}\n");
    Path input = Files.writeString(folder.resolve("in.jsonl"), "{\"a\": 1, \"y\": 0}\n");
    idla.assertUsage(
        "x has input.topic-pattern, and an embedded broker has no topics that could match: name"
            + " Kafka by --bootstrap-servers",
        "run",
        app);
    idla.assertUsage(
        "--topic: events of x are not read from topic other, but from topics that match x-.*",
        "produce",
        app,
        "--bootstrap-servers none:1 --topic other --input",
        input);
    idla.assertUsage(
        "--topic: topic x-models is the topic of models of x",
        "produce",
        app,
        "--bootstrap-servers none:1 --topic x-models --input",
        input);
  }

  @Test
  void input_ofAnApplicationWithSeveralTopics_needsOne() throws Exception {
    Path app = folder.resolve("two.yaml");
    Files.writeString(
        app, "name: x\ninput: {topics: [eu, us], features: [a], label: y, classes: 2}\n");
    Path input = Files.writeString(folder.resolve("in.jsonl"), "{\"a\": 1, \"y\": 0}\n");
    idla.assertUsage(
        "--input works with one topic only, and x reads eu, us: send the file with 'idla produce"
            + " --topic'",
        "run",
        app,
        "--input",
        input);
    String broker = "--bootstrap-servers none:1 --input";
    idla.assertUsage(
        "x reads several topics: name one of eu, us with --topic", "produce", app, broker, input);
    idla.assertUsage(
        "--topic: events of x are not read from topic asia, but from eu, us",
        "produce",
        app,
        "--topic asia",
        broker,
        input);
    idla.assertUsage(
        "--topic goes with --input",
        "produce",
        app,
        "--topic eu --bootstrap-servers none:1 --labels",
        input);
  }
}
