package io.idlalayer.middleware.models.manifest;

import java.util.regex.Pattern;

/**
 * A version that has a name. The name may be given to another version later.
 *
 * @param version the version that has the name
 * @param digest digest of the version's manifest
 * @param by the person or process that gave the name
 * @param atMillis when the name was given, epoch milliseconds
 */
public record Alias(long version, String digest, String by, long atMillis) {
  /** Most names that an application partition can have. */
  public static final int MOST = 32;

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,31}");

  /**
   * Returns whether a version can have this name. Names that could be mistaken for a number are not
   * allowed.
   */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /**
   * Returns a name unchanged; refuses a text that cannot be a name.
   *
   * @throws IllegalArgumentException if it cannot be a name; the message says what a name is
   */
  public static String checked(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "'%s' is not an alias: letters, digits and dashes, at most 32, the first one a letter"
              .formatted(name));
    }
    return name;
  }
}
