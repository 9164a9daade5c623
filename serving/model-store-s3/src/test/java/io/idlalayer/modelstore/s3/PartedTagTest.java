package io.idlalayer.modelstore.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PartedTagTest {
  /** Expected tag of the parts "a" and "b"; computed with md5sum of their binary digests. */
  @Test
  void of_digestsOfParts_isTheDigestOfThemAndTheirNumber() {
    assertThat(
            PartedTag.of(
                List.of(
                    "\"0cc175b9c0f1b6a831c399e269772661\"", "92EB5FFEE6AE2FEC3AD71C777531578F")))
        .contains("\"96e024ba2074fe77e8e965ba43a704be-2\"");
  }

  @Test
  void of_otherTags_isUnknown() {
    assertThat(PartedTag.of(List.of("\"0cc175b9c0f1b6a831c399e269772661\"", "\"opaque\"")))
        .isEmpty();
    assertThat(PartedTag.of(List.of("\"0cc175b9c0f1b6a831c399e269772661-2\""))).isEmpty();
  }
}
