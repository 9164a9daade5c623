package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class LossOptionsTest {
  private static double share(String... arguments) {
    LossOptions options = new LossOptions();
    new CommandLine(
            CommandLine.Model.CommandSpec.create()
                .addMixin("losses", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
        .parseArgs(arguments);
    return options.allowedShare;
  }

  @Test
  void share_percentOrFraction_isRead() {
    assertThat(share()).isZero();
    assertThat(share("--allow-malformed", "1%")).isEqualTo(0.01);
    assertThat(share("--allow-malformed", "0.5 %")).isEqualTo(0.005);
    assertThat(share("--allow-malformed=.02")).isEqualTo(0.02);
    assertThat(share("--allow-malformed=100%")).isEqualTo(1);
    assertThat(share("--allow-malformed=1")).isEqualTo(1);
    assertThat(share("--allow-malformed=0")).isZero();
  }

  @Test
  void share_anythingElse_isRefused() {
    for (String text : new String[] {"2", "101%", "-1%", "1e-3", "NaN", "", "%", "1%%", "x"}) {
      assertThatThrownBy(() -> share("--allow-malformed=" + text))
          .as(text)
          .isInstanceOf(CommandLine.ParameterException.class)
          .hasMessageContaining("is not a share: 0 to 1, or 0% to 100%, such as 1% or 0.01");
    }
  }
}
