package io.idlalayer.middleware.models.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Entity tags: SHA-256 in quotes, so two answers with one tag have the same bytes. */
final class EntityTags {
  private static final Pattern TAG = Pattern.compile("(?:W/)?(\"[^\"]*\")");

  private EntityTags() {}

  static String of(String sha256) {
    return '"' + sha256 + '"';
  }

  /**
   * Returns whether a client that has these tags needs nothing.
   *
   * @param header {@code If-None-Match}, null for none
   */
  static boolean matchesAny(@Nullable String header, String tag) {
    if (header == null) {
      return false;
    }
    if (header.strip().equals("*")) {
      return true;
    }
    for (Matcher each = TAG.matcher(header); each.find(); ) {
      if (tag.equals(each.group(1))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a range may be sent: if the client has the same bytes, or did not ask.
   *
   * @param header {@code If-Range}, null for none; a date never fits
   */
  static boolean rangeAllowed(@Nullable String header, String tag) {
    return header == null || header.strip().equals(tag);
  }
}
