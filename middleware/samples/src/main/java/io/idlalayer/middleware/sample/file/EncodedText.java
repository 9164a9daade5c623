package io.idlalayer.middleware.sample.file;

import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds out the encoding of the text of a file, skips its byte order mark, and returns its bytes in
 * the encoding of events: unchanged, or converted from UTF-16 to UTF-8.
 */
public final class EncodedText {
  private static final int START_BYTES = 4096;

  private EncodedText() {}

  /**
   * Returns the bytes of a text in the encoding of events.
   *
   * @param in a stream that can be marked
   * @param source name of the file, for messages
   * @param encoding the encoding in the application file
   * @throws UnreadableFileException if the text has another encoding; the message names the likely
   *     encoding
   */
  public static InputStream of(InputStream in, String source, EventEncoding encoding)
      throws IOException {
    byte[] start = PackedFile.start(in, START_BYTES);
    if (starts(start, 0xFF, 0xFE, 0, 0) || starts(start, 0, 0, 0xFE, 0xFF)) {
      throw new UnreadableFileException(
          source + " is in UTF-32, which is not read: convert it to UTF-8");
    }
    int zeroFirst = zeros(start, 0);
    int zeroSecond = zeros(start, 1);
    // In UTF-16, zero bytes are mainly at even or mainly at odd places.
    if (8 * Math.min(zeroFirst, zeroSecond) > start.length) {
      throw new UnreadableFileException(
          source + " seems to be in UTF-32, which is not read: convert it to UTF-8");
    }
    boolean little = starts(start, 0xFF, 0xFE);
    if (little || starts(start, 0xFE, 0xFF)) {
      in.skipNBytes(2);
      boolean fits =
          encoding.equals(EventEncoding.UTF_8)
              || encoding.ofFiles().equals(StandardCharsets.UTF_16)
              || encoding
                  .ofFiles()
                  .equals(little ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE);
      check(source, little ? "UTF-16LE" : "UTF-16BE", encoding, fits);
      return new Utf16Bytes(in, little);
    }
    if (starts(start, 0xEF, 0xBB, 0xBF)) {
      in.skipNBytes(3);
      check(source, "UTF-8", encoding, encoding.equals(EventEncoding.UTF_8));
      return in;
    }
    boolean seemsWide = 4 * Math.max(zeroFirst, zeroSecond) > start.length;
    if (encoding.utf16()) {
      boolean named = encoding.ofFiles().equals(StandardCharsets.UTF_16);
      return new Utf16Bytes(
          in,
          named ? zeroSecond > zeroFirst : encoding.ofFiles().equals(StandardCharsets.UTF_16LE));
    }
    if (seemsWide) {
      throw new UnreadableFileException(
          "%s seems to be in UTF-16 without a byte order mark, and input.encoding is %s: say %s"
              .formatted(
                  source, encoding.name(), zeroSecond > zeroFirst ? "utf-16le" : "utf-16be"));
    }
    return in;
  }

  private static void check(String source, String found, EventEncoding encoding, boolean agrees)
      throws IOException {
    if (!agrees) {
      throw new UnreadableFileException(
          "%s begins with the byte order mark of %s, but input.encoding is %s"
              .formatted(source, found, encoding.name()));
    }
  }

  private static boolean starts(byte[] bytes, int... start) {
    if (bytes.length < start.length) {
      return false;
    }
    for (int i = 0; i < start.length; i++) {
      if ((bytes[i] & 0xFF) != start[i]) {
        return false;
      }
    }
    return true;
  }

  /** Counts the zero bytes at even (0) or odd (1) places. */
  private static int zeros(byte[] bytes, int from) {
    int zeros = 0;
    for (int i = from; i < bytes.length; i += 2) {
      zeros += bytes[i] == 0 ? 1 : 0;
    }
    return zeros;
  }

  /**
   * Converts UTF-16 to UTF-8. A surrogate without its other half becomes three bytes that are not
   * UTF-8. Half a unit at the end becomes one byte that is not UTF-8. So the decoder refuses an
   * event that contains them.
   */
  private static final class Utf16Bytes extends InputStream {
    private static final int INVALID = 0xFF;

    private final InputStream in;
    private final boolean little;
    private final byte[] out = new byte[4];
    private int at;
    private int length;
    private int held = -1;
    private @Nullable IOException behind;

    Utf16Bytes(InputStream in, boolean little) {
      this.in = in;
      this.little = little;
    }

    @Override
    public int read() throws IOException {
      return at < length || fill() ? out[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int most) throws IOException {
      if (behind != null) {
        throw behind;
      }
      int count = 0;
      try {
        while (count < most && (at < length || fill())) {
          bytes[from + count++] = out[at++];
        }
      } catch (IOException damaged) {
        if (count == 0) {
          throw damaged;
        }
        // The text before the fault is returned first.
        behind = damaged;
        return count;
      }
      return count == 0 && most > 0 ? -1 : count;
    }

    /** Encodes the next character; returns false at the end. */
    private boolean fill() throws IOException {
      at = 0;
      length = 0;
      int unit = unit();
      if (unit < 0) {
        return false;
      }
      if (unit > 0xFFFF) {
        put(INVALID);
        return true;
      }
      if (!Character.isHighSurrogate((char) unit)) {
        encode(unit);
        return true;
      }
      int second = unit();
      if (second >= 0 && second <= 0xFFFF && Character.isLowSurrogate((char) second)) {
        encode(Character.toCodePoint((char) unit, (char) second));
      } else {
        held = second;
        encode(unit);
      }
      return true;
    }

    /** Returns the next unit; -1 at the end, and more than 16 bits if only half of it is there. */
    private int unit() throws IOException {
      if (held >= 0) {
        int unit = held;
        held = -1;
        return unit;
      }
      int first = in.read();
      if (first < 0) {
        return -1;
      }
      int second = in.read();
      if (second < 0) {
        return 0x10000;
      }
      return little ? (second << 8) | first : (first << 8) | second;
    }

    private void encode(int code) {
      if (code < 0x80) {
        put(code);
      } else if (code < 0x800) {
        put(0xC0 | (code >> 6));
        put(0x80 | (code & 0x3F));
      } else if (code < 0x10000) {
        put(0xE0 | (code >> 12));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
      } else {
        put(0xF0 | (code >> 18));
        put(0x80 | ((code >> 12) & 0x3F));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
      }
    }

    private void put(int value) {
      out[length++] = (byte) value;
    }

    @Override
    public int available() throws IOException {
      return length - at + in.available() / 2;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
