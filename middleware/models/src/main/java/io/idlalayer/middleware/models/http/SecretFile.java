package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Small files with a secret, such as a token, a password or a key store, that people name on a
 * command line. A stream that the shell has opened, as for {@code <(command)}, is accepted too.
 */
public final class SecretFile {
  /** Most bytes of a password. */
  static final int MOST_BYTES = 4_096;

  private static final Path STANDARD_INPUT = Path.of("/dev/stdin");
  private static final Path OPEN_STREAMS = Path.of("/dev/fd");

  private SecretFile() {}

  /**
   * Opens a file.
   *
   * @throws NoSuchFileException if there is no such file; the message is its path alone
   * @throws IOException if it is a folder, a pipe, a device or a socket, which a program would read
   *     without an end, or if it must not be read; the message names the file and not its content
   */
  public static InputStream open(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a folder: name a file");
    }
    boolean stream = file.equals(STANDARD_INPUT) || file.startsWith(OPEN_STREAMS);
    if (!stream && !Files.isRegularFile(file)) {
      throw new IOException(file + " is a pipe, a device or a socket: name a file");
    }
    try {
      return Files.newInputStream(file);
    } catch (AccessDeniedException denied) {
      throw new IOException(file + " must not be read by this user: see its permissions", denied);
    }
  }

  /**
   * Reads the first line of a file of UTF-8 text, without its end. An empty file has the line "".
   *
   * @throws IOException if the file cannot be opened ({@link #open}), or the line has more than
   *     4,096 bytes
   */
  public static String firstLine(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = open(file)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    }
    String line = new String(bytes, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    if (line.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s holds no password: its first line has more than %d bytes",
              file,
              MOST_BYTES));
    }
    return line;
  }
}
