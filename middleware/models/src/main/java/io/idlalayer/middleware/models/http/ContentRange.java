package io.idlalayer.middleware.models.http;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The range of a file's bytes that an answer contains.
 *
 * @param first from 0
 * @param last inclusive, at least {@code first}
 * @param total bytes of the whole file, above {@code last}
 */
record ContentRange(long first, long last, long total) {
  private static final Pattern HEADER =
      Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

  ContentRange {
    if (first < 0 || last < first || total <= last) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "bytes %d to %d are not a range of %d bytes", first, last, total));
    }
  }

  /** Parses the value of a header {@code Content-Range}; empty if it is invalid. */
  static Optional<ContentRange> parse(String header) {
    Matcher found = HEADER.matcher(header.strip());
    if (!found.matches()) {
      return Optional.empty();
    }
    long first = Long.parseLong(found.group(1));
    long last = Long.parseLong(found.group(2));
    long total = Long.parseLong(found.group(3));
    return first <= last && last < total
        ? Optional.of(new ContentRange(first, last, total))
        : Optional.empty();
  }

  /** Returns the value of the header {@code Content-Range}. */
  String header() {
    return String.format(Locale.ROOT, "bytes %d-%d/%d", first, last, total);
  }

  long bytes() {
    return last - first + 1;
  }
}
