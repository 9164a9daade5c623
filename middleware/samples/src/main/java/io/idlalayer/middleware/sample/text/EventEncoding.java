package io.idlalayer.middleware.sample.text;

import io.idlalayer.middleware.sample.MalformedSampleException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;
import java.util.Locale;

/**
 * The encoding of events and input files. Bytes that are invalid in the encoding are refused and
 * never replaced, because otherwise different texts would become equal.
 *
 * <p>Files in UTF-16 are sent as UTF-8, because a single event from such a file has no byte order
 * mark.
 */
public final class EventEncoding {
  /** UTF-8, the encoding of events whose application file names no other encoding. */
  public static final EventEncoding UTF_8 = new EventEncoding("utf-8", StandardCharsets.UTF_8);

  private static final char REPLACEMENT = '\uFFFD';
  private static final char MARK = '\uFEFF';

  /** Characters that delimit, quote and end rows, and the characters of JSON's words. */
  private static final String ASCII = ascii();

  private final String name;
  private final Charset file;

  private EventEncoding(String name, Charset file) {
    this.name = name;
    this.file = file;
  }

  private static String ascii() {
    StringBuilder all = new StringBuilder("\t\n\r");
    for (char c = ' '; c < 0x7f; c++) {
      all.append(c);
    }
    return all.toString();
  }

  /**
   * Returns an encoding by its name.
   *
   * @throws IllegalArgumentException if the encoding is unknown, or if ASCII characters have other
   *     bytes in it
   */
  public static EventEncoding of(String name) {
    Charset charset;
    try {
      charset = Charset.forName(name);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
      throw new IllegalArgumentException(
          "is not an encoding that is known here, such as utf-8, iso-8859-1, windows-1252 or utf-16",
          unknown);
    }
    if (charset.equals(StandardCharsets.UTF_8)) {
      return UTF_8;
    }
    if (!utf16(charset) && !asciiCompatible(charset)) {
      throw new IllegalArgumentException(
          "writes ASCII in other bytes: convert the events to utf-8 first");
    }
    return new EventEncoding(charset.name().toLowerCase(Locale.ROOT), charset);
  }

  private static boolean utf16(Charset charset) {
    return List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)
        .contains(charset);
  }

  private static boolean asciiCompatible(Charset charset) {
    return charset.canEncode()
        && new String(ASCII.getBytes(StandardCharsets.US_ASCII), charset).equals(ASCII)
        && new String(ASCII.getBytes(charset), StandardCharsets.US_ASCII).equals(ASCII);
  }

  /** Returns the name of this encoding in lower case. */
  public String name() {
    return name;
  }

  /** Returns whether files, unless a byte order mark says otherwise, are in UTF-16. */
  public boolean utf16() {
    return utf16(file);
  }

  /** Returns the character set of files without a byte order mark. */
  public Charset ofFiles() {
    return file;
  }

  /**
   * Returns the character set of events: the character set of files, or UTF-8 instead of UTF-16.
   */
  public Charset ofEvents() {
    return utf16() ? StandardCharsets.UTF_8 : file;
  }

  /**
   * Returns the text of an event, without a byte order mark.
   *
   * @throws MalformedSampleException if a byte is invalid in this encoding; the message names the
   *     first such byte
   */
  public String text(byte[] event) throws MalformedSampleException {
    Charset charset = ofEvents();
    String text = new String(event, charset);
    if (text.indexOf(REPLACEMENT) >= 0) {
      check(event, charset);
    }
    return !text.isEmpty() && text.charAt(0) == MARK ? text.substring(1) : text;
  }

  /**
   * Checks that a text has no surrogate without its other half. A single surrogate has no bytes in
   * UTF-8, and all of them would become the same question mark.
   *
   * @throws MalformedSampleException if the text has such a surrogate
   */
  public static void checkCharacters(String field, String text) throws MalformedSampleException {
    int at = 0;
    while (at < text.length()) {
      int units = Character.charCount(text.codePointAt(at));
      if (units == 1 && Character.isSurrogate(text.charAt(at))) {
        throw new MalformedSampleException(
            field,
            Shown.of(text.substring(at, at + 1))
                + " is half of a character (a surrogate without its other half)");
      }
      at += units;
    }
  }

  private static void check(byte[] event, Charset charset) throws MalformedSampleException {
    CharsetDecoder decoder =
        charset
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(event);
    CharBuffer out =
        CharBuffer.allocate((int) (event.length * (double) decoder.maxCharsPerByte()) + 1);
    CoderResult result = decoder.decode(in, out, true);
    if (result.isError()) {
      throw new MalformedSampleException(
          "byte " + in.position(),
          "0x%02x is not %s; input.encoding names the encoding of the events"
              .formatted(event[in.position()] & 0xFF, charset.name()));
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
