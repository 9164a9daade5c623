package io.idlalayer.middleware.sample.file;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Opens files that are plain, gzip, or a zip archive of one file, recognized by their first bytes
 * and not by their names. Other archives and formats are refused with their names, because their
 * bytes are no events. Unpacked content is never in memory as a whole.
 */
public final class PackedFile {
  static final int BUFFER_BYTES = 1 << 16;
  private static final int START_BYTES = 262;
  private static final int TAR_AT = 257;

  /** A kind of file that is not supported. */
  private record Foreign(String name, byte[] start) {
    /** Returns whether a text can begin like files of this kind. */
    boolean isText() {
      return new String(start, StandardCharsets.ISO_8859_1).chars().allMatch(c -> c < 0x7f)
          && !hasControls(start);
    }
  }

  private static final Foreign AVRO = new Foreign("an Avro file", bytes('O', 'b', 'j', 1));

  private static final List<Foreign> FOREIGN =
      List.of(
          new Foreign("an xz archive", bytes(0xfd, '7', 'z', 'X', 'Z', 0)),
          new Foreign("a zstd archive", bytes(0x28, 0xb5, 0x2f, 0xfd)),
          new Foreign("a bzip2 archive", bytes('B', 'Z', 'h')),
          new Foreign("an lz4 archive", bytes(0x04, 0x22, 0x4d, 0x18)),
          new Foreign("a 7z archive", bytes('7', 'z', 0xbc, 0xaf, 0x27, 0x1c)),
          new Foreign("a rar archive", bytes('R', 'a', 'r', '!', 0x1a, 7)),
          new Foreign("a Parquet file", bytes('P', 'A', 'R', '1')),
          AVRO,
          new Foreign("an ORC file", bytes('O', 'R', 'C')),
          new Foreign("an Arrow file", bytes('A', 'R', 'R', 'O', 'W', '1')),
          new Foreign("a SQLite database", bytes('S', 'Q', 'L', 'i', 't', 'e', ' ', 'f', 'o', 'r')),
          new Foreign("an HDF5 file", bytes(0x89, 'H', 'D', 'F')),
          new Foreign("an old Excel workbook", bytes(0xd0, 0xcf, 0x11, 0xe0)),
          new Foreign("a PDF document", bytes('%', 'P', 'D', 'F', '-')));

  private PackedFile() {}

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  /**
   * Opens a file of text or images and returns its unpacked bytes.
   *
   * @return a stream that can be marked
   * @throws UnreadableFileException if the file is damaged, or if it is of a kind that this class
   *     does not read; the message names the kind
   * @throws IOException if the file cannot be read now
   */
  public static InputStream open(Path file) throws IOException {
    return open(file, false);
  }

  /** Opens a file like {@link #open}, but also accepts an Avro object container file. */
  public static InputStream openAny(Path file) throws IOException {
    return open(file, true);
  }

  /** Returns whether a file begins like an Avro object container file. */
  public static boolean isAvro(byte[] start) {
    return startsWith(start, AVRO.start());
  }

  private static InputStream open(Path file, boolean avro) throws IOException {
    SeekableByteChannel channel = Files.newByteChannel(file);
    InputStream in = new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES);
    try {
      byte[] start = start(in, START_BYTES);
      if (GzipData.begins(start)) {
        in = new BufferedInputStream(GzipData.open(file, in, channel), BUFFER_BYTES);
        start = start(in, START_BYTES);
      } else if (ZipArchive.begins(start)) {
        in.close();
        in = new BufferedInputStream(ZipArchive.open(file), BUFFER_BYTES);
        start = start(in, START_BYTES);
      }
      if (!avro || !isAvro(start)) {
        refuse(file, start);
      }
      return in;
    } catch (IOException refused) {
      in.close();
      throw refused;
    }
  }

  /**
   * Returns the first bytes of a stream without consuming them. If the stream is damaged within
   * them, fewer bytes are returned, and a later read reports the damage.
   */
  static byte[] start(InputStream in, int most) throws IOException {
    in.mark(most);
    byte[] start = new byte[most];
    int length = 0;
    try {
      int read = in.read(start);
      while (read > 0 && length < most) {
        length += read;
        read = in.read(start, length, most - length);
      }
    } catch (IOException damaged) {
      // A later read meets the damage again and reports it.
    }
    in.reset();
    return Arrays.copyOf(start, length);
  }

  static boolean startsWith(byte[] bytes, byte[] start) {
    return bytes.length >= start.length
        && Arrays.equals(bytes, 0, start.length, start, 0, start.length);
  }

  /** Returns whether bytes include a control character that no text has. */
  private static boolean hasControls(byte[] bytes) {
    for (byte each : bytes) {
      if (each >= 0 && each < ' ' && each != '\t' && each != '\n' && each != '\r') {
        return true;
      }
    }
    return false;
  }

  private static void refuse(Path file, byte[] start) throws IOException {
    String name = null;
    for (Foreign each : FOREIGN) {
      boolean found = startsWith(start, each.start()) && (!each.isText() || hasControls(start));
      name = found ? each.name() : name;
    }
    boolean tar =
        start.length == START_BYTES
            && new String(start, TAR_AT, 5, StandardCharsets.ISO_8859_1).equals("ustar");
    boolean twice = GzipData.begins(start) || ZipArchive.begins(start);
    if (tar || twice) {
      name = tar ? "a tar archive" : "an archive in an archive";
    }
    if (name != null) {
      throw new UnreadableFileException(
          "%s is %s, which is not read: write its events as lines of text, which may be gzip or a zip archive of one file"
              .formatted(file, name));
    }
  }
}
