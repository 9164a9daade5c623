package io.idlalayer.jobs.cli.letters;

import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.middleware.sample.text.ShownBytes;
import java.util.Locale;

/**
 * A dead letter as it is printed: shortened and without invisible characters.
 *
 * @param position topic, partition and offset of the event
 * @param origin the place from which a producer read it, "" if it did not say
 * @param text the event, or its beginning with the number of its bytes
 */
record ShownLetter(String position, String origin, String reason, String text) {
  private static final int BYTES_MAX = 1_000;

  static ShownLetter of(DeadLetter letter) {
    int shown = Math.min(letter.event().length, BYTES_MAX);
    String text = ShownBytes.escaped(letter.event(), shown, letter.length() > shown);
    return new ShownLetter(
        position(letter),
        Shown.escaped(letter.origin()),
        Shown.escaped(letter.reason()),
        letter.length() > shown
            ? String.format(Locale.ROOT, "%s... (%,d bytes)", text, letter.length())
            : text);
  }

  private static String position(DeadLetter letter) {
    return letter.topic().isEmpty()
        ? "unknown"
        : String.format(
            Locale.ROOT,
            "%s-%d-%d",
            Shown.escaped(letter.topic()),
            letter.partition(),
            letter.offset());
  }

  /** Returns the letter as one line, with tabs between its parts. */
  String line() {
    return String.join("\t", position, origin, reason, text);
  }
}
