package io.idlalayer.middleware.sample.text;

import com.fasterxml.jackson.core.io.NumberOutput;

/**
 * The shortest decimal texts of binary numbers: with the smallest number of digits that distinguish
 * a number from its neighbours. Ids and categories are hashed by their texts, which must not depend
 * on the version of Java: in versions up to 18, {@link Double#toString} writes more digits than
 * needed for some numbers.
 */
public final class ShortestText {
  private ShortestText() {}

  /**
   * Returns the text of a number; {@code NaN} and infinities have the texts that Java gives them.
   */
  public static String of(double number) {
    return NumberOutput.toString(number, true);
  }

  /**
   * Returns the text of a number; {@code NaN} and infinities have the texts that Java gives them.
   */
  public static String of(float number) {
    return NumberOutput.toString(number, true);
  }
}
