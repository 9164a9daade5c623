package io.idlalayer.middleware.sample.path;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldPathTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "user.geo.country | [Name[name=user], Name[name=geo], Name[name=country]]",
        "items[0].price | [Name[name=items], Position[index=0], Name[name=price]]",
        "grid[12][3] | [Name[name=grid], Position[index=12], Position[index=3]]",
        "tags[\"a.b\"] | [Name[name=tags], Name[name=a.b]]",
        "tags[\"a\\\"]\\\\b\"].c | [Name[name=tags], Name[name=a\"]\\b], Name[name=c]]",
        "[\"a.b\"] | [Name[name=a.b]]",
        "[\"\"].a | [Name[name=], Name[name=a]]",
        "No. of rooms | [Name[name=No], Name[name= of rooms]]",
      })
  void of_aPath_hasItsSteps(String name, String steps) {
    FieldPath path = FieldPath.of(name);

    assertThat(path).isNotNull();
    assertThat(path.steps()).hasToString(steps);
    assertThat(path).hasToString(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "a.",
        ".a",
        "a..b",
        "a[",
        "a[]",
        "a[x]",
        "a[-1]",
        "a[+1]",
        "a[1",
        "a[1]b",
        "a[1234567890]",
        "a[\"b\"",
        "a[\"b]",
        "a[\"b\\",
        "[0]",
        "[0].a",
        "a]",
        "a.b\"c",
        "a.[0]",
        "a[\u0661]"
      })
  void of_anotherText_isNoPath(String name) {
    assertThat(FieldPath.of(name)).isNull();
  }

  @Test
  void of_tooManySteps_isNoPath() {
    assertThat(FieldPath.of("a" + ".b".repeat(FieldPath.STEPS_MAX - 1))).isNotNull();
    assertThat(FieldPath.of("a" + ".b".repeat(FieldPath.STEPS_MAX))).isNull();
  }
}
