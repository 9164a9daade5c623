package io.idlalayer.middleware.state;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The binary format of one kind of state. Everything is big-endian:
 *
 * <pre>
 *   u8 length of the name, the name in ASCII, u8 version
 *   fields until the end, tags ascending, each:
 *     u8 tag (1 to 255), u8 type, [u32 length in bytes, unless the type has a fixed size], value
 * </pre>
 *
 * <p>A field can be left out, and a reader skips fields that it does not read. So a field can be
 * added without a new version as long as a state without it has a meaning. A new version is needed
 * when old bytes must be read in another way; a tag is never reused for another field.
 *
 * @param name readable name of the state, which also detects mix-ups; 1 to 63 printable ASCII
 *     characters
 * @param version the version that is written, 1 to 255
 * @param oldestReadable the oldest version that is still read, 1 to {@code version}
 */
public record StateFormat(String name, int version, int oldestReadable) {
  private static final int LONGEST_NAME = 63;

  public StateFormat {
    boolean printable = name.chars().allMatch(c -> c >= ' ' && c <= '~');
    if (name.isEmpty() || name.length() > LONGEST_NAME || !printable) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "name '%s' of a state format must have 1 to %d printable ASCII characters",
              name,
              LONGEST_NAME));
    }
    if (oldestReadable < 1 || oldestReadable > version || version > 255) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "state format '%s': need 1 <= oldest %d <= version %d <= 255",
              name,
              oldestReadable,
              version));
    }
  }

  /** Returns a format in its first version. */
  public static StateFormat first(String name) {
    return new StateFormat(name, 1, 1);
  }

  /** Returns a writer for one state, in the current version of this format. */
  public StateWriter writer() {
    return new StateWriter(this);
  }

  /**
   * Returns a reader for the bytes of one state, after checking them.
   *
   * @throws UnreadableStateException if the bytes have another format or an unsupported version, or
   *     are damaged
   */
  public StateReader reader(byte[] state) {
    return new StateReader(this, state);
  }

  /**
   * Returns whether bytes begin like a state of this format, in any version. The rest can be
   * damaged; {@link #reader} checks it.
   */
  public boolean begins(byte[] state) {
    byte[] expected = asciiName();
    return state.length > expected.length
        && state[0] == expected.length
        && Arrays.equals(state, 1, expected.length + 1, expected, 0, expected.length);
  }

  byte[] asciiName() {
    return name.getBytes(StandardCharsets.US_ASCII);
  }

  UnreadableStateException unreadable(String reason) {
    return new UnreadableStateException("cannot read the state '%s': %s".formatted(name, reason));
  }
}
