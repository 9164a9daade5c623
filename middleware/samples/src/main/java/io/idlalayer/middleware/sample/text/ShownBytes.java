package io.idlalayer.middleware.sample.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Formats bytes that are usually UTF-8 for messages: invisible characters are escaped as in {@link
 * Shown#escaped}, and each byte that is not UTF-8 as in {@code \xE9}.
 */
public final class ShownBytes {
  private static final int TEXT_CHARACTERS = 256;

  private ShownBytes() {}

  /**
   * Returns the first bytes as text.
   *
   * @param length number of bytes that are shown
   * @param cut whether more bytes follow; a character that the cut divides is left out then
   */
  public static String escaped(byte[] bytes, int length, boolean cut) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
    CharBuffer out = CharBuffer.allocate(Math.max(length, TEXT_CHARACTERS));
    StringBuilder shown = new StringBuilder(length);
    while (true) {
      CoderResult found = decoder.decode(in, out, !cut);
      shown.append(Shown.escaped(out.flip().toString()));
      out.clear();
      if (!found.isMalformed()) {
        return shown.toString();
      }
      for (int i = 0; i < found.length(); i++) {
        int value = in.get() & 0xFF;
        shown.append("\\x").append(digit(value >> 4)).append(digit(value & 0xF));
      }
      decoder.reset();
    }
  }

  /**
   * Returns whether the bytes are UTF-8.
   *
   * @param cut whether more bytes follow; the last character may be incomplete then
   */
  public static boolean isText(byte[] bytes, boolean cut) {
    CharBuffer out = CharBuffer.allocate(bytes.length);
    return !StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes), out, !cut)
        .isMalformed();
  }

  private static char digit(int value) {
    return Character.toUpperCase(Character.forDigit(value, 16));
  }
}
