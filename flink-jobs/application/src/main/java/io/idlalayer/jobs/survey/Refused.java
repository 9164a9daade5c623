package io.idlalayer.jobs.survey;

import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.middleware.sample.text.ShownBytes;

/**
 * An event that could not be decoded.
 *
 * @param reason the reason, which begins with the name of the field in question
 * @param input topic and partition
 * @param offset offset in the partition
 * @param origin the place from which a producer read the event; empty if the producer did not say
 * @param example the beginning of its text, escaped
 */
public record Refused(String reason, String input, long offset, String origin, String example) {
  /** Largest number of bytes of an event in an example. */
  public static final int EXAMPLE_BYTES = 120;

  private static final int REASON_MAX = 240;
  private static final int ORIGIN_MAX = 120;
  private static final int INPUT_MAX = 120;
  private static final int EXAMPLE_MAX = 160;

  /**
   * Describes an event.
   *
   * @param event bytes of the event, or their beginning
   * @param length number of bytes that arrived
   */
  public static Refused of(
      String reason, String input, long offset, String origin, byte[] event, long length) {
    int used = Math.min(event.length, EXAMPLE_BYTES);
    String text = ShownBytes.escaped(event, used, length > used);
    return new Refused(reason, input, offset, origin, length > used ? text + "..." : text);
  }

  public Refused {
    // Any producer can write an origin into a header, and requests have their own headers.
    reason = Texts.cut(Shown.escaped(reason), REASON_MAX);
    input = Texts.cut(input, INPUT_MAX);
    origin = Texts.cut(Shown.escaped(origin), ORIGIN_MAX);
    example = Texts.cut(example, EXAMPLE_MAX);
  }
}
