package io.idlalayer.middleware.sample.text;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class ShortestTextTest {
  @Test
  void of_numbersThatOldJavaWritesLonger_isShort() {
    assertThat(ShortestText.of(2e-3)).isEqualTo("0.002");
    assertThat(ShortestText.of(Double.parseDouble("2e23"))).isEqualTo("2.0E23");
    assertThat(ShortestText.of(1.1e23f)).isEqualTo("1.1E23");
    assertThat(ShortestText.of(2.2250738585072014E-308)).isEqualTo("2.2250738585072014E-308");
    assertThat(ShortestText.of(4.9e-324)).isEqualTo("4.9E-324");
  }

  @Test
  void of_allKinds_isAsJavaWritesThem() {
    assertThat(ShortestText.of(1.0)).isEqualTo("1.0");
    assertThat(ShortestText.of(-0.0)).isEqualTo("-0.0");
    assertThat(ShortestText.of(0.1f)).isEqualTo("0.1");
    assertThat(ShortestText.of(1e7)).isEqualTo("1.0E7");
    assertThat(ShortestText.of(Double.NaN)).isEqualTo("NaN");
    assertThat(ShortestText.of(Float.NEGATIVE_INFINITY)).isEqualTo("-Infinity");
  }

  @Property(tries = 500)
  void of_anyNumber_isReadAsItAndNotLongerThanJavas(@ForAll double number, @ForAll float single) {
    assertThat(Double.parseDouble(ShortestText.of(number))).isEqualTo(number);
    assertThat(ShortestText.of(number)).hasSizeLessThanOrEqualTo(Double.toString(number).length());
    assertThat(Float.parseFloat(ShortestText.of(single))).isEqualTo(single);
    assertThat(ShortestText.of(single)).hasSizeLessThanOrEqualTo(Float.toString(single).length());
  }
}
