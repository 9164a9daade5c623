package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class IdlaTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = Idla.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "run",
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
        "cluster stop"
      })
  void help_everyCommand_explainsItself(String command) {
    String[] arguments = (command + " --help").trim().split(" ", -1);
    assertThat(run(arguments)).isZero();
    assertThat(out.toString()).contains("Usage: idla " + command.strip());
  }

  @Test
  void run_commandWithoutArguments_printsItsHelp() {
    assertThat(run()).isZero();
    assertThat(run("models")).isZero();
    assertThat(run("cluster")).isZero();
    assertThat(out.toString()).contains("Exit codes").contains("evaluate").contains("submit");
  }

  @Test
  void run_badUsage_exitsWith2() throws Exception {
    assertThat(run("fly")).isEqualTo(2);
    assertThat(run("run")).isEqualTo(2);
    assertThat(run("demo", "--seconds", "0")).isEqualTo(2);
    assertThat(run("run", folder.resolve("none.yaml").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("none.yaml: does not exist");
    Path app = folder.resolve("app.yaml");
    Files.writeString(app, "name: x\ninput: {features: [a], label: y, classes: 2}\n");
    assertThat(run("run", app.toString(), "--input", "none.csv")).isEqualTo(2);
    assertThat(err.toString()).contains("none.csv does not exist");
    assertThat(run("run", app.toString(), "--rate", "quickly")).isEqualTo(2);
    assertThat(err.toString()).contains("neither a number nor max");
    assertThat(run("models", "list")).isEqualTo(2);
    assertThat(err.toString()).contains("--work-dir DIR or --models-dir DIR");
    assertThat(run("models", "list", "--work-dir", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("has anything been published?");
    String work = folder.toString();
    assertThat(run("models", "follow", "x", "--work-dir", work, "--models-topic", "t"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--models-topic needs --bootstrap-servers HOST:PORT");
    for (List<String> arguments :
        List.of(
            List.of("models", "follow", "x", "--work-dir", work, "--name", "me"),
            List.of("models", "serve", "--predict", "x", "--work-dir", work, "--name", "me"),
            List.of("models", "subscribers", "x"),
            List.of("models", "subscribers", "x", "--kafka-properties", "none"))) {
      err.getBuffer().setLength(0);
      assertThat(run(arguments.toArray(String[]::new))).isEqualTo(2);
      assertThat(err.toString()).contains("--bootstrap-servers HOST:PORT");
    }
    String kafka = "127.0.0.1:1";
    for (String option :
        List.of("--bootstrap-servers", "--kafka-properties", "--subscribers-topic", "--name")) {
      err.getBuffer().setLength(0);
      assertThat(run("models", "serve", "--work-dir", work, option, "x")).isEqualTo(2);
      assertThat(err.toString()).contains(option).contains("need --predict APPLICATION");
    }
    assertThat(
            run(
                "models",
                "follow",
                "x",
                "--work-dir",
                work,
                "--bootstrap-servers",
                kafka,
                "--name",
                "a b"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--name: 'a b' is no name of a subscriber");
    assertThat(run("models", "follow", "x", "--work-dir", work, "--poll-millis", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--poll-millis must be above 0");
  }

  @Test
  void run_failure_exitsWith1AndAMessage() throws Exception {
    Files.createDirectories(folder.resolve("models"));
    assertThat(run("models", "show", "app", "--work-dir", folder.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("error: app has published no model");
    assertThat(run("cluster", "submit", "--work-dir", folder.toString(), app().toString()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("no cluster was started in");
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
    assertThat(run("run", app().toString(), "--work-dir", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("cannot write to the work directory");
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
    assertThat(run("run", app.toString(), "--input", input.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is [b, y], but input.columns is [a, y]");
  }
}
