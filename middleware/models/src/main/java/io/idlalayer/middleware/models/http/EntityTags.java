package io.idlalayer.middleware.models.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes and compares entity tags. A tag is a SHA-256 in quotes, so answers with equal tags have
 * equal bytes.
 */
final class EntityTags {
  private static final Pattern TAG = Pattern.compile("(?:W/)?(\"[^\"]*\")");

  private EntityTags() {}

  static String of(String sha256) {
    return '"' + sha256 + '"';
  }

  /**
   * Returns whether a client already has the content with a tag: whether its header names the tag.
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
   * Returns whether the server is allowed to send a part of a file: if the client has other parts
   * of this very content, or did not say of which content it has parts.
   *
   * @param header {@code If-Range}, null for none; a date never fits
   */
  static boolean rangeAllowed(@Nullable String header, String tag) {
    return header == null || header.strip().equals(tag);
  }
}
