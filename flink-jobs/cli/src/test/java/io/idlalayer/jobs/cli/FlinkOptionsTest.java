package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class FlinkOptionsTest {
  private static FlinkOptions parsed(String... arguments) {
    RunCommand run = new RunCommand();
    new CommandLine(run).parseArgs(arguments);
    return run.flink;
  }

  @Test
  void settings_areReadAsFlinkReadsThem() {
    assertThat(parsed("app.yaml", "-Da.b=http://host:1/?x=y", "-D", "c.d=e").settings)
        .containsEntry("a.b", "http://host:1/?x=y")
        .containsEntry("c.d", "e")
        .hasSize(2);
    assertThat(parsed("app.yaml").settings).isEmpty();
  }

  @Test
  void settings_withoutAValue_areRefused() {
    assertThatThrownBy(() -> parsed("app.yaml", "-Dmetrics.reporters"))
        .isInstanceOf(CommandLine.ParameterException.class)
        .hasMessageContaining("KEY=VALUE");
  }
}
