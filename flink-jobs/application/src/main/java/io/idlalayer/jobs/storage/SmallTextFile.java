package io.idlalayer.jobs.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Text files that people write, such as rules. They are read as a whole, so their size is limited.
 */
public final class SmallTextFile {
  /** Largest size in bytes. */
  public static final int MOST_BYTES = 1 << 20;

  private SmallTextFile() {}

  /**
   * Reads a file of UTF-8 text. If a network file system does not answer, the call can block for
   * any time.
   *
   * @throws IOException if the file is missing, no regular file (a read from a pipe would wait for
   *     its writer), larger than {@link #MOST_BYTES}, or not UTF-8
   */
  public static String read(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is not a regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    }
    if (bytes.length > MOST_BYTES) {
      throw new IOException(
          String.format(Locale.ROOT, "%s has more than %,d bytes", file, MOST_BYTES));
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException notText) {
      throw new IOException(file + " is not UTF-8 text", notText);
    }
  }
}
