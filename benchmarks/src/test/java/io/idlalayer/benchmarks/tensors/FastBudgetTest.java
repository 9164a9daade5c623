package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FastBudgetTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1024",
    "1.0, 1024",
    "0.5, 512",
    "0.51, 576",
    "1e-9, 64",
    "2, 64",
    "640, 640",
    "641, 704",
    "3KiB, 3072",
    "2 MiB, 2097152",
    "1GiB, 1073741824"
  })
  void of_peakOf1024Bytes_givesTheBudget(String text, long bytes) {
    assertThat(FastBudget.parse(text).of(1024)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "0.0", "-0.5", "1.01", "NaN", "lots", "", "3MB", "99999999999999GiB"})
  void anythingElse_isRefused(String text) {
    assertThatThrownBy(() -> FastBudget.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("ratio above 0 to 1");
  }
}
