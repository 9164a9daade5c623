package io.idlalayer.middleware.models.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The part of a file that a request asks for, by RFC 9110, section 14: one range of bytes. Several
 * ranges, other units and invalid ranges mean the whole file.
 *
 * @param part null for the whole file
 * @param satisfiable false if the file has no byte of the range
 */
record RequestedRange(@Nullable ContentRange part, boolean satisfiable) {
  static final RequestedRange WHOLE = new RequestedRange(null, true);
  private static final RequestedRange NOTHING = new RequestedRange(null, false);

  private static final Pattern HEADER =
      Pattern.compile("bytes\\s*=\\s*(\\d*)\\s*-\\s*(\\d*)", Pattern.CASE_INSENSITIVE);

  /** Largest number of digits in a range; a longer number lies beyond the end of every file. */
  private static final int MOST_DIGITS = 18;

  /**
   * @param header null for none
   * @param total bytes of the file, 0 or more
   */
  static RequestedRange of(@Nullable String header, long total) {
    Matcher found = HEADER.matcher(header == null ? "" : header.strip());
    if (!found.matches() || (found.group(1).isEmpty() && found.group(2).isEmpty())) {
      return WHOLE;
    }
    boolean suffix = found.group(1).isEmpty();
    long number = number(found.group(suffix ? 2 : 1));
    if (suffix) {
      return part(Math.max(0, total - number), total - 1, total);
    }
    long last = found.group(2).isEmpty() ? Long.MAX_VALUE : number(found.group(2));
    return last < number ? WHOLE : part(number, Math.min(last, total - 1), total);
  }

  private static RequestedRange part(long first, long last, long total) {
    return first <= last ? new RequestedRange(new ContentRange(first, last, total), true) : NOTHING;
  }

  private static long number(String digits) {
    String significant = digits.replaceFirst("^0+(?=.)", "");
    return significant.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(significant);
  }
}
