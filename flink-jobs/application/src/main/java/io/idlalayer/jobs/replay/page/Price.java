package io.idlalayer.jobs.replay.page;

import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.Locale;

/**
 * The price of an hour of training.
 *
 * @param perHour amount, above 0
 * @param currency currency of the amount, such as {@code EUR}; "" if the user did not name it
 */
public record Price(double perHour, String currency) {
  private static final double SECONDS = 3_600;
  private static final int CURRENCY_CHARACTERS_MAX = 20;

  /**
   * Reads a price: a number and, optionally, a space and a currency.
   *
   * @throws IllegalArgumentException if the text is no price; the message says what is wrong
   */
  public static Price of(String text) {
    String[] parts = text.strip().split("\\s+", 2);
    double perHour = NumberNotation.PLAIN.read(parts[0]);
    String currency = parts.length == 1 ? "" : parts[1];
    if (!(perHour > 0 && perHour < 1e12) || currency.length() > CURRENCY_CHARACTERS_MAX) {
      throw new IllegalArgumentException(
          "'" + text + "' is no number above 0 with a currency behind it, such as '0.40 EUR'");
    }
    return new Price(perHour, currency);
  }

  /**
   * Returns the price of some training time, with two decimals, or with two significant digits if
   * it is small.
   */
  String of(double seconds) {
    double amount = perHour * seconds / SECONDS;
    String number =
        amount >= 0.1 || amount == 0
            ? String.format(Locale.ROOT, "%,.2f", amount)
            : String.format(Locale.ROOT, "%.2g", amount);
    return currency.isEmpty() ? number : number + " " + currency;
  }
}
