package io.idlalayer.benchmarks.campaign.input;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Writes time stamps in forms that the page on formats names. */
final class TimeTexts {
  private static final List<String> PATTERNS =
      List.of(
          "yyyy-MM-dd'T'HH:mm:ss.S'Z'",
          "yyyy-MM-dd HH:mm:ss",
          "yyyy-MM-dd'T'HH:mmxx",
          "yyyy-MM-dd",
          "yyyyMMdd'T'HHmmss'Z'",
          "yyyy/MM/dd HH:mm",
          "dd.MM.yyyy HH:mm",
          "EEE, dd MMM yyyy HH:mm:ss xx",
          "dd/MMM/yyyy:HH:mm:ss xx");

  /** Number of forms: those of the patterns, epoch seconds and epoch milliseconds. */
  static final int FORMS = PATTERNS.size() + 2;

  private TimeTexts() {}

  static String text(int form, SplittableRandom random) {
    long seconds = 1_700_000_000L + random.nextInt(90_000_000);
    if (form == PATTERNS.size()) {
      return Long.toString(seconds);
    }
    if (form > PATTERNS.size()) {
      return Long.toString(seconds * 1_000);
    }
    // The xx of a pattern writes +0000 for UTC.
    OffsetDateTime time = Instant.ofEpochSecond(seconds).atOffset(ZoneOffset.UTC);
    return DateTimeFormatter.ofPattern(PATTERNS.get(form), Locale.ROOT).format(time);
  }
}
