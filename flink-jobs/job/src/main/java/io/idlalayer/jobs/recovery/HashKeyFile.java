package io.idlalayer.jobs.recovery;

import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file of a work directory with the secret key by which its jobs hash ids. State and models
 * contain hashes that were made with this key, so the file must stay with them.
 */
public final class HashKeyFile {
  /** Name of the file in the work directory. */
  public static final String NAME = "id-key";

  private static final int KEY_BYTES = 16;
  private static final int MOST_BYTES = 64;

  private HashKeyFile() {}

  /**
   * Returns the key of a work directory; creates one if the directory has none.
   *
   * @throws IOException if the file cannot be read or written, or holds no key; the message does
   *     not contain the text of the file
   */
  public static HashKey open(Path workDirectory) throws IOException {
    Path file = workDirectory.resolve(NAME);
    SecretFile.make(file, KEY_BYTES);
    byte[] content;
    try (var in = Files.newInputStream(file)) {
      content = in.readNBytes(MOST_BYTES);
    }
    try {
      return HashKey.parse(new String(content, StandardCharsets.US_ASCII).strip());
    } catch (IllegalArgumentException damaged) {
      throw new IOException(
          "%s does not hold the key of this work directory: %s; restore the file from a backup, because state and models find the rows of ids only with this key"
              .formatted(file, damaged.getMessage()),
          damaged);
    }
  }
}
