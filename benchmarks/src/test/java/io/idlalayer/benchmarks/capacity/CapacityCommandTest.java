package io.idlalayer.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CapacityCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String options) {
    return new CommandLine(new CapacityCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(options.isEmpty() ? new String[0] : options.split(" ", -1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--no-keep-last", "--separate", "--keep-last --batch 256"})
  void run_eachVariant_hasTheOrdersOfThePaper(String options) {
    assertThat(run(options)).isZero();
    assertThat(out.toString())
        .contains("where transfers bound DC (1 % slower than O): in all runs")
        .contains("| gru | MC-DLA(B) |")
        .contains("| 128 | 1280 | 10.24 | 127 | 10.1 | 32 |");
  }

  @Test
  void run_lastInputMoved_isAnotherRun() {
    run("");
    String stays = out.toString();
    out.getBuffer().setLength(0);
    run("--no-keep-last");
    assertThat(out.toString().replaceAll("took .*", ""))
        .isNotEqualTo(stays.replaceAll("took .*", ""));
  }

  @Test
  void run_wrongBatch_isRefused() {
    assertThat(run("--batch 7")).isEqualTo(2);
    assertThat(err.toString()).contains("--batch 7: 8 to 1,048,576");
  }
}
