package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.sample.text.Shown;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Checks the names of folders that Kafka, Flink and RocksDB must be able to open. Kafka and Flink
 * read a text with certain characters as a list of folders. RocksDB and the file system encode
 * characters outside the basic plane differently.
 */
public final class FolderNames {
  private static final int SHOWN_CHARACTERS = 200;

  /**
   * The character to which Java decodes bytes that are not text in the language settings of the
   * process.
   */
  private static final char REPLACEMENT = '\uFFFD';

  private FolderNames() {}

  /** Returns why a folder of state or of a broker cannot have this path; null if it can. */
  public static @Nullable String problem(Path folder) {
    String text = folder.toString();
    if (text.indexOf(REPLACEMENT) >= 0) {
      return notText(text);
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ',' || c == ':') {
        return "%s has a '%s', which Kafka and Flink take for the end of a folder's name"
            .formatted(Shown.of(text, SHOWN_CHARACTERS), c);
      }
      if (Character.isSurrogate(c) || c < ' ') {
        return "%s has %s, which RocksDB cannot open"
            .formatted(
                Shown.of(text, SHOWN_CHARACTERS),
                c < ' ' ? "a control character" : "a character outside the basic plane of Unicode");
      }
    }
    return null;
  }

  /**
   * Returns the path that a text of the command line names.
   *
   * @throws IllegalArgumentException with the reason if there is none
   */
  public static Path path(String text) {
    if (text.indexOf(REPLACEMENT) >= 0) {
      throw new IllegalArgumentException(notText(text));
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException refused) {
      boolean ascii = text.chars().allMatch(c -> c >= ' ' && c < 0x7f);
      throw new IllegalArgumentException(
          ascii
              ? "%s is not a path: %s".formatted(Shown.of(text), refused.getReason())
              : notText(text),
          refused);
    }
  }

  private static String notText(String text) {
    return "%s has characters that the language settings of this process cannot write: set LC_ALL=C.UTF-8"
        .formatted(Shown.of(text, SHOWN_CHARACTERS));
  }
}
