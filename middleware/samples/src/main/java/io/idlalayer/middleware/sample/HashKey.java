package io.idlalayer.middleware.sample;

import java.io.Serializable;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The secret key of the hashes of ids. Without the key it is impossible to choose an id that gets
 * the row of another id. The key is part of a model's specification, because serving needs it.
 *
 * @param low first half
 * @param high second half
 */
public record HashKey(long low, long high) implements Serializable {
  /** No secret key: everyone can compute the hashes, such as the keys in binary events. */
  public static final HashKey NONE = new HashKey(0, 0);

  private static final Pattern TEXT = Pattern.compile("[0-9a-f]{32}");
  private static final int RADIX = 16;

  /**
   * Returns the key that a text of 32 hexadecimal digits stands for.
   *
   * @throws IllegalArgumentException if the text is no such key
   */
  public static HashKey parse(String text) {
    if (!TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException("a key has 32 hexadecimal digits");
    }
    return new HashKey(
        Long.parseUnsignedLong(text.substring(0, RADIX), RADIX),
        Long.parseUnsignedLong(text.substring(RADIX), RADIX));
  }

  /** Returns the key as 32 hexadecimal digits. */
  public String text() {
    return String.format(Locale.ROOT, "%016x%016x", low, high);
  }

  /** Returns whether this is a secret key and not {@link #NONE}. */
  public boolean secret() {
    return !equals(NONE);
  }

  /** Returns a text without the key, which can be logged. */
  @Override
  public String toString() {
    return secret() ? "HashKey[secret]" : "HashKey[none]";
  }
}
