package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BudgetRowTest {
  @Test
  void line_ofARow_givesTheRowAgain() {
    BudgetRow row =
        new BudgetRow("resnet-d", "bar", 0.25, "auto", 1.0625, 1.5, "autovm", 2.25, "a, b");
    BudgetRow read = BudgetRow.of(row.line());
    assertThat(read.said()).isEqualTo("a; b");
    assertThat(read).usingRecursiveComparison().ignoringFields("said").isEqualTo(row);
  }

  @Test
  void line_ofAStepThatDoesNotFit_isNotANumber() {
    BudgetRow row =
        new BudgetRow("mlp", "0.05", 0.05, "vdnn-all", Double.NaN, Double.NaN, "", 0, "full");
    assertThat(BudgetRow.of(row.line()).times()).isNaN();
  }

  @Test
  void line_withTooFewFields_isRefused() {
    assertThatThrownBy(() -> BudgetRow.of("mlp,bar,0.2"))
        .hasMessageContaining("3 fields instead of 9");
  }
}
