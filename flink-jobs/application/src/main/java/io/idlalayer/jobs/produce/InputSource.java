package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.IdxPairReader;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An input that can be sent to an application. Its name and its content identify the input.
 *
 * @param name name in the records' headers
 * @param content files whose bytes identify the input; empty for a generated input, which is
 *     identified by its name alone
 * @param opener opens the input at its beginning
 */
public record InputSource(String name, List<Path> content, Opener opener) {
  private static final int BUFFER_BYTES = 1 << 16;

  /** Opens an input from its beginning, as a reader of its records. */
  @FunctionalInterface
  public interface Opener {
    RecordReader open() throws IOException;
  }

  public InputSource {
    content = List.copyOf(content);
  }

  /**
   * Returns a file as an input of an application's events.
   *
   * @throws IOException if the file cannot be read, or is a pipe; a pipe is refused because reading
   *     it could wait without end
   */
  public static InputSource file(Path file, ApplicationSettings application) throws IOException {
    Inputs.check(file);
    boolean images = InputFiles.kind(file) == InputFiles.Kind.IDX;
    List<Path> content = images ? List.of(file, IdxPairReader.labelsFor(file)) : List.of(file);
    return new InputSource(
        String.valueOf(file.getFileName()), content, () -> Inputs.open(file, application));
  }

  /** Returns an input that is generated while it is read; each reading gives equal records. */
  public static InputSource generated(String name, Opener opener) {
    return new InputSource(name, List.of(), opener);
  }

  /**
   * The length and the digests of an input's content.
   *
   * @param length number of bytes
   * @param digest SHA-256 of these bytes, in hexadecimal
   * @param beginnings SHA-256 of the first n bytes by n, for each requested n up to {@code length}
   */
  record Print(long length, String digest, SortedMap<Long, String> beginnings) {}

  /**
   * Returns the length and the digests of the content, which is read once, in memory that does not
   * grow with it.
   */
  Print print(SortedSet<Long> lengths) throws IOException {
    MessageDigest digest = sha256();
    SortedMap<Long, String> beginnings = new TreeMap<>();
    SortedSet<Long> open = new TreeSet<>(lengths);
    byte[] buffer = new byte[BUFFER_BYTES];
    long at = 0;
    for (Path file : content) {
      try (InputStream in = Files.newInputStream(file)) {
        while (true) {
          long stop = open.isEmpty() ? Long.MAX_VALUE : open.first();
          if (at == stop) {
            beginnings.put(at, soFar(digest));
            open.remove(at);
            continue;
          }
          int read = in.read(buffer, 0, (int) Math.min(buffer.length, stop - at));
          if (read < 0) {
            break;
          }
          digest.update(buffer, 0, read);
          at += read;
        }
      }
    }
    String whole = soFar(digest);
    if (open.contains(at)) {
      beginnings.put(at, whole);
    }
    return new Print(at, whole, beginnings);
  }

  private static String soFar(MessageDigest digest) {
    try {
      return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
