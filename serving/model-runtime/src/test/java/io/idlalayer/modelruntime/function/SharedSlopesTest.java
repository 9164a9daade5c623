package io.idlalayer.modelruntime.function;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SharedSlopesTest {
  private static int[] of(int... numbers) {
    return numbers;
  }

  @Test
  void count_rows_isOneForEachNumber() {
    assertThat(SharedSlopes.count(of(4), of(), of(4))).isEqualTo(4);
  }

  @Test
  void count_pixelsShared_isOneForEachChannel() {
    assertThat(SharedSlopes.count(of(4, 3, 5), of(2, 3), of(4, 3, 5))).isEqualTo(4);
    assertThat(SharedSlopes.count(of(4, 1, 1), of(3, 2), of(4, 3, 5))).isEqualTo(4);
    assertThat(SharedSlopes.count(of(4, 1, 1), of(2), of(4, 3, 1))).isEqualTo(4);
  }

  @Test
  void count_allShared_isOne() {
    assertThat(SharedSlopes.count(of(1), of(1), of(7))).isEqualTo(1);
    assertThat(SharedSlopes.count(of(4, 3, 5), of(1, 2, 3), of(4, 3, 5))).isEqualTo(1);
  }

  @Test
  void count_severalSlopesForAChannel_isUnknown() {
    assertThat(SharedSlopes.count(of(2, 3, 5), of(), of(2, 3, 5))).isZero();
    assertThat(SharedSlopes.count(of(1, 3, 5), of(1), of(4, 3, 5))).isZero();
    assertThat(SharedSlopes.count(of(4, 1, 5), of(2), of(4, 3, 5))).isZero();
    assertThat(SharedSlopes.count(of(4, 3, 1), of(3), of(4, 3, 5))).isZero();
  }

  @Test
  void count_otherInputs_isUnknown() {
    assertThat(SharedSlopes.count(of(5), of(), of(4))).isZero();
    assertThat(SharedSlopes.count(of(1), of(), of(4))).isZero();
    assertThat(SharedSlopes.count(of(4), of(), of(4, 1, 1))).isZero();
    assertThat(SharedSlopes.count(of(4), of(2), of(4))).isZero();
    assertThat(SharedSlopes.count(of(4), of(0), of(4))).isZero();
  }
}
