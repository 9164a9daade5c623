package io.idlalayer.jobs.cli.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The links of each process.
 *
 * @param text the links, as they were given
 * @param count number of links: 1 or an even number
 * @param bytesPerSecond rate of one link in each direction
 */
record PlannedLink(String text, int count, double bytesPerSecond) {
  /** Assumed time until the first byte of a message arrives: a socket in one data center. */
  static final double LATENCY_SECONDS = 20e-6;

  private static final Pattern LINK = Pattern.compile("(?:([0-9]{1,2})x)?(.+)");
  private static final Pattern ETHERNET = Pattern.compile("([0-9]{1,4})GbE");
  private static final double BYTES_PER_GIGABIT = 1e9 / 8;

  /**
   * Reads {@code 10GbE}, {@code 2x25GbE} or {@code 1.25GB/s}.
   *
   * @throws IllegalArgumentException that says what is wrong
   */
  static PlannedLink read(String text) {
    Matcher link = LINK.matcher(text);
    if (!link.matches()) {
      throw new IllegalArgumentException("it is empty; write 10GbE, 2x25GbE or 1.25GB/s");
    }
    int count = link.group(1) == null ? 1 : Integer.parseInt(link.group(1));
    if (count < 1 || (count > 1 && count % 2 != 0)) {
      throw new IllegalArgumentException(
          "'%s' has %d links; 1 or an even number is possible".formatted(text, count));
    }
    Matcher ethernet = ETHERNET.matcher(link.group(2));
    if (ethernet.matches()) {
      double rate = Integer.parseInt(ethernet.group(1)) * BYTES_PER_GIGABIT;
      if (rate == 0) {
        throw new IllegalArgumentException("'%s' must be above 0".formatted(text));
      }
      return new PlannedLink(text, count, rate);
    }
    if (!text.endsWith("/s")) {
      throw new IllegalArgumentException(
          "'%s' is no link; write 10GbE, 2x25GbE or 1.25GB/s".formatted(text));
    }
    return new PlannedLink(text, count, Units.bytesPerSecond(link.group(2)));
  }
}
