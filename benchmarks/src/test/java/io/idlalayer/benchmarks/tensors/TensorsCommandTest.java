package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code idla bench tensors} refuses before anything runs. */
class TensorsCommandTest {
  @TempDir Path folder;
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = new CommandLine(new TensorsCommand());
    line.setOut(new PrintWriter(new StringWriter(), true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @Test
  void allMistakes_areSaidAtOnce() {
    int code =
        run(
            "--model=vgg-16",
            "--fast=1.5",
            "--policy=lru,all-fast,fifo",
            "--clock=atomic",
            "--scale=0",
            "--steps=0",
            "--turns=0",
            "--warm-ups=-1",
            "--batch=0",
            "--slow-directory=" + folder.resolve("absent"),
            "--report=" + folder,
            "--record=" + folder.resolve("absent/step.json"));
    assertThat(code).isEqualTo(2);
    assertThat(err.toString())
        .contains("--model: no model is called vgg-16; there are vgg-s, resnet-s, densenet-s")
        .contains("--fast: '1.5'")
        .contains("--policy: no placement policy is called lru; there are all-fast, all-slow")
        .contains("--policy: no placement policy is called fifo")
        .contains("--clock: no clock is called atomic; there are real, inject, virtual")
        .contains("--scale: a scale of 0.0")
        .contains("--steps: 0")
        .contains("--turns: 0")
        .contains("--warm-ups: -1")
        .contains("--batch: 0")
        .contains("--slow-directory: " + folder.resolve("absent"))
        .contains("--report: " + folder)
        .contains("--record: " + folder.resolve("absent/step.json"));
  }

  @Test
  void direct_underAnEmulatingClock_isRefused() {
    assertThat(run("--model=mlp", "--fast=0.5", "--slow-access=direct")).isEqualTo(2);
    assertThat(err.toString()).contains("--slow-access: direct needs --clock real");
    assertThat(run("--model=mlp", "--fast=0.5", "--slow-access=buffered")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--slow-access: a file is accessed mapped or direct, not buffered");
  }

  @Test
  void whatIsMissing_isNamed() {
    assertThat(run("--model=mlp")).isEqualTo(2);
    assertThat(err.toString()).contains("--fast");
  }
}
