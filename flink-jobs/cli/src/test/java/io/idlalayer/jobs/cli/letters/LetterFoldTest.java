package io.idlalayer.jobs.cli.letters;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.SampleSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LetterFoldTest {
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(SampleSchema.DenseFeature.of("x")),
          List.of(),
          new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
          null);

  private final LetterFold fold = new LetterFold("clicks", SCHEMA, 2);

  private static DeadLetter letter(String application, long offset, String reason, String event) {
    byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
    return new DeadLetter(
        application, "clicks-samples", 0, offset, reason, "", bytes, bytes.length);
  }

  @Test
  void newest_ofManyLetters_areTheLastByTime() {
    fold.add(letter("clicks", 7, "x: missing", "{}"), 30);
    fold.add(letter("clicks", 5, "x: missing", "{}"), 10);
    fold.add(letter("clicks", 6, "x: '\u0007' is not a number", "a\tb"), 20);
    fold.add(letter("other", 8, "x: missing", "{}"), 40);
    assertThat(fold.count()).isEqualTo(3);
    assertThat(fold.newest())
        .extracting(ShownLetter::line)
        .containsExactly(
            "clicks-samples-0-6\t\tx: '\\u0007' is not a number\ta\\tb",
            "clicks-samples-0-7\t\tx: missing\t{}");
    assertThat(fold.reasons())
        .extracting(Surveyed.RefusedKind::reason, Surveyed.RefusedKind::count)
        .startsWith(org.assertj.core.groups.Tuple.tuple("x: missing", 2L));
  }

  @Test
  void shown_aLongEvent_isCutWithItsLength() {
    byte[] kept = "y".repeat(DeadLetter.EVENT_BYTES_MAX).getBytes(StandardCharsets.UTF_8);
    DeadLetter letter = new DeadLetter("clicks", "t", 1, 2, "too long", "", kept, 2_000_000);
    assertThat(ShownLetter.of(letter).text())
        .isEqualTo("y".repeat(1_000) + "... (2,000,000 bytes)");
  }

  @Test
  void shown_anEventInLatin1_hasItsBytes() {
    byte[] event = "1,caf\u00e9,2".getBytes(StandardCharsets.ISO_8859_1);
    DeadLetter letter = new DeadLetter("clicks", "t", 1, 2, "r", "", event, event.length);
    assertThat(ShownLetter.of(letter).text()).isEqualTo("1,caf\\xE9,2");
    fold.add(letter, 1);
    assertThat(fold.reasons())
        .extracting(Surveyed.RefusedKind::example)
        .containsExactly("1,caf\\xE9,2");
  }
}
