package io.idlalayer.middleware.sample.text;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.Temporal;
import org.jspecify.annotations.Nullable;

/** Returns the texts of Java values in the form of a JSON event, without quotation marks. */
public final class ValueText {
  /** Largest scale with which a number is written in digits alone. */
  private static final int PLAIN_SCALE_MAX = 100;

  private ValueText() {}

  /**
   * Returns the text of a number, text, truth value, date or time; null for a value of another
   * class.
   */
  public static @Nullable String of(Object value) {
    if (value instanceof CharSequence
        || value instanceof Long
        || value instanceof Integer
        || value instanceof Boolean
        || value instanceof Temporal
        || value instanceof Character
        || value instanceof Enum<?>
        || value instanceof BigInteger
        || value instanceof Short
        || value instanceof Byte) {
      return value.toString();
    }
    if (value instanceof Double number) {
      return ShortestText.of(number);
    }
    if (value instanceof Float number) {
      return ShortestText.of(number);
    }
    if (value instanceof BigDecimal number) {
      return Math.abs(number.scale()) <= PLAIN_SCALE_MAX
          ? number.toPlainString()
          : number.toString();
    }
    return null;
  }
}
