package io.idlalayer.middleware.sample.file;

import io.idlalayer.middleware.sample.text.Shown;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Opens files that are plain, gzip, or a zip archive of one file, recognized by their first bytes
 * and not by their names. It refuses other archives and formats by name, since their bytes are no
 * events. What is unpacked is never held in memory as a whole.
 */
public final class PackedFile {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int START_BYTES = 262;
  private static final int TAR_AT = 257;
  private static final int SHOWN_ENTRIES = 3;
  private static final int SHOWN_CHARACTERS = 60;

  /** Where the flags of a zip archive's first entry are; bit 0 says that it is encrypted. */
  private static final int ZIP_FLAGS_AT = 6;

  /** Where the way is in which a zip archive's first entry is packed. */
  private static final int ZIP_METHOD_AT = 8;

  /** Length of the record that ends the directory of a zip archive, without its comment. */
  private static final int ZIP_END_BYTES = 22;

  /** Longest end of a zip archive that begins with the mark of its directory's end. */
  private static final int ZIP_TAIL_BYTES = ZIP_END_BYTES + 0xffff;

  private static final byte[] GZIP = {0x1f, (byte) 0x8b};
  private static final List<byte[]> ZIP =
      List.of(
          new byte[] {'P', 'K', 3, 4}, new byte[] {'P', 'K', 5, 6}, new byte[] {'P', 'K', 7, 8});

  /** A kind of file that is not read. */
  private record Foreign(String name, byte[] start) {
    /** Returns whether a text may begin like files of this kind. */
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
   * @throws UnreadableFileException if it is damaged, or of a kind that is not read, with its name
   * @throws IOException if it cannot be read now
   */
  public static InputStream open(Path file) throws IOException {
    return open(file, false);
  }

  /** Opens a file as {@link #open}, which may also be an Avro object container file. */
  public static InputStream openAny(Path file) throws IOException {
    return open(file, true);
  }

  /** Returns whether a file begins as an Avro object container file does. */
  public static boolean isAvro(byte[] start) {
    return startsWith(start, AVRO.start());
  }

  private static InputStream open(Path file, boolean avro) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
    try {
      byte[] start = start(in, START_BYTES);
      if (startsWith(start, GZIP)) {
        in = new BufferedInputStream(gzip(file, in), BUFFER_BYTES);
        start = start(in, START_BYTES);
      } else if (zipped(start)) {
        in.close();
        in = new BufferedInputStream(onlyEntry(file), BUFFER_BYTES);
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

  private static InputStream gzip(Path file, InputStream raw) throws IOException {
    try {
      return new Unpacked(file, raw);
    } catch (EOFException cut) {
      throw UnreadableFileException.cutOff(file, "it ends in the header of its gzip data", cut);
    } catch (ZipException damaged) {
      throw UnreadableFileException.damaged(
          file, "it begins like gzip, and the rest of the header is not that of gzip", damaged);
    }
  }

  /**
   * Returns the first bytes of a stream, which stay to be read. A stream that is damaged behind
   * them gives less; the read that meets the damage again reports it.
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
      // It is reported by the read that meets it again.
    }
    in.reset();
    return Arrays.copyOf(start, length);
  }

  private static boolean zipped(byte[] start) {
    return ZIP.stream().anyMatch(each -> startsWith(start, each));
  }

  private static boolean startsWith(byte[] bytes, byte[] start) {
    return bytes.length >= start.length
        && Arrays.equals(bytes, 0, start.length, start, 0, start.length);
  }

  /** Returns whether some bytes have one that no text has. */
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
    boolean twice = startsWith(start, GZIP) || zipped(start);
    if (tar || twice) {
      name = tar ? "a tar archive" : "an archive in an archive";
    }
    if (name != null) {
      throw new UnreadableFileException(
          "%s is %s, which is not read: write its events as lines of text, which may be gzip or a zip archive of one file"
              .formatted(file, name));
    }
  }

  private static InputStream onlyEntry(Path file) throws IOException {
    ZipFile zip;
    try {
      zip = new ZipFile(file.toFile());
    } catch (ZipException damaged) {
      throw refusedZip(file, damaged);
    }
    try {
      List<? extends ZipEntry> entries =
          zip.stream().filter(each -> !each.isDirectory() && !ofSystem(each.getName())).toList();
      if (entries.stream().anyMatch(each -> each.getName().equals("[Content_Types].xml"))) {
        throw new UnreadableFileException(
            file + " is an office document, which is not read: save its table as CSV");
      }
      if (entries.size() != 1) {
        throw new UnreadableFileException(
            String.format(
                Locale.ROOT,
                "%s is a zip archive of %d files%s; one is read: unpack it and name the file",
                file,
                entries.size(),
                shown(entries)));
      }
      return new Entry(file, zip, entries.get(0));
    } catch (IOException refused) {
      zip.close();
      throw refused;
    }
  }

  /**
   * Returns the reason for which a zip archive cannot be opened; the JDK has other words for it.
   */
  private static UnreadableFileException refusedZip(Path file, ZipException cause)
      throws IOException {
    byte[] header = new byte[ZIP_METHOD_AT + 1];
    byte[] tail;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.readFully(header, 0, (int) Math.min(header.length, in.length()));
      tail = new byte[(int) Math.min(ZIP_TAIL_BYTES, in.length())];
      in.seek(in.length() - tail.length);
      in.readFully(tail);
    }
    if (!endsWithDirectory(tail)) {
      return UnreadableFileException.cutOff(
          file,
          "it is a zip archive without the directory at its end; nothing of it is read",
          cause);
    }
    if (startsWith(header, ZIP.get(0)) && (header[ZIP_FLAGS_AT] & 1) != 0) {
      return new UnreadableFileException(
          file + " is an encrypted zip archive, which is not read: unpack it and name the file",
          cause);
    }
    boolean known =
        header[ZIP_METHOD_AT] == ZipEntry.STORED || header[ZIP_METHOD_AT] == ZipEntry.DEFLATED;
    if (startsWith(header, ZIP.get(0)) && !known) {
      return packedOtherwise(file, cause);
    }
    return UnreadableFileException.damaged(
        file, "the directory of its zip archive cannot be read; nothing of it is read", cause);
  }

  private static UnreadableFileException packedOtherwise(Path file, ZipException cause) {
    return new UnreadableFileException(
        file
            + " is a zip archive that is packed in a way that is not read: unpack it and name the"
            + " file",
        cause);
  }

  /** Returns whether the end of an archive has the whole record that ends its directory. */
  private static boolean endsWithDirectory(byte[] tail) {
    int at = tail.length - ZIP_END_BYTES;
    while (at >= 0 && !startsWith(Arrays.copyOfRange(tail, at, at + 4), ZIP.get(1))) {
      at--;
    }
    int comment =
        at < 0 ? 0 : (tail[at + 20] & 0xff) | (tail[at + ZIP_END_BYTES - 1] & 0xff) << Byte.SIZE;
    return at >= 0 && at + ZIP_END_BYTES + comment <= tail.length;
  }

  /** Returns whether an entry is one that file managers add. */
  private static boolean ofSystem(String name) {
    return name.startsWith("__MACOSX/")
        || name.endsWith(".DS_Store")
        || name.endsWith("Thumbs.db")
        || name.endsWith("desktop.ini");
  }

  private static String shown(List<? extends ZipEntry> entries) {
    String names =
        entries.stream()
            .limit(SHOWN_ENTRIES)
            .map(each -> Shown.of(each.getName(), SHOWN_CHARACTERS))
            .collect(Collectors.joining(", "));
    return entries.isEmpty()
        ? ""
        : entries.size() > SHOWN_ENTRIES ? " (" + names + ", ...)" : " (" + names + ")";
  }

  /** The bytes of a gzip file; all of them are given before the damage behind them is reported. */
  private static final class Unpacked extends GZIPInputStream {
    private static final int TRAILER_BYTES = 8;

    private final Path file;
    private final CountingInputStream raw;

    /** Bytes of the file up to the end of the buffer that is unpacked. */
    private long filled;

    private @Nullable UnreadableFileException found;

    Unpacked(Path file, InputStream in) throws IOException {
      this(file, new CountingInputStream(in));
    }

    private Unpacked(Path file, CountingInputStream raw) throws IOException {
      super(raw, BUFFER_BYTES);
      this.file = file;
      this.raw = raw;
    }

    @Override
    protected void fill() throws IOException {
      super.fill();
      filled = raw.count();
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      // Reading behind the damage would say something else of it.
      if (found != null) {
        throw found;
      }
      try {
        int count = super.read(bytes, from, length);
        if (count < 0) {
          checkRest(filled - inf.getRemaining() + TRAILER_BYTES);
        }
        return count;
      } catch (EOFException cut) {
        found = UnreadableFileException.cutOff(file, "its gzip data stop before their end", cut);
        throw found;
      } catch (ZipException damaged) {
        found =
            UnreadableFileException.damaged(
                file,
                inf.finished()
                    ? "the checksum of its gzip data differs, so that any of its content may be wrong"
                    : "its gzip data cannot be unpacked any further",
                damaged);
        throw found;
      }
    }

    /**
     * Refuses what follows the data that was unpacked, unless it is zeros, with which tapes are
     * filled up. GZIPInputStream passes over what is not the whole header of a further part.
     */
    private void checkRest(long from) throws IOException {
      try (InputStream rest = Files.newInputStream(file)) {
        rest.skipNBytes(from);
        byte[] bytes = rest.readNBytes(BUFFER_BYTES);
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
          length--;
        }
        if (length == 0) {
          return;
        }
        found =
            startsWith(bytes, GZIP) || (bytes.length == 1 && bytes[0] == GZIP[0])
                ? UnreadableFileException.cutOff(
                    file, "it ends in the header of a further part of its gzip data", null)
                : UnreadableFileException.damaged(
                    file, "what follows its gzip data is not gzip", null);
      }
      throw found;
    }

    /** Returns 0, because otherwise a buffer would read on, and lose its data when that fails. */
    @Override
    public int available() {
      return 0;
    }
  }

  /** Counts the bytes that are read. */
  private static final class CountingInputStream extends FilterInputStream {
    private long count;

    CountingInputStream(InputStream in) {
      super(in);
    }

    long count() {
      return count;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      count += value < 0 ? 0 : 1;
      return value;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = super.read(bytes, from, length);
      count += Math.max(0, read);
      return read;
    }
  }

  /** The bytes of an entry, whose checksum is compared at their end. */
  private static final class Entry extends FilterInputStream {
    private final Path file;
    private final ZipFile zip;
    private final ZipEntry entry;
    private final CRC32 checksum = new CRC32();

    Entry(Path file, ZipFile zip, ZipEntry entry) throws IOException {
      super(opened(file, zip, entry));
      this.file = file;
      this.zip = zip;
      this.entry = entry;
    }

    private static InputStream opened(Path file, ZipFile zip, ZipEntry entry) throws IOException {
      try {
        InputStream in = zip.getInputStream(entry);
        if (in != null) {
          return in;
        }
      } catch (ZipException foreign) {
        throw packedOtherwise(file, foreign);
      }
      throw new UnreadableFileException(file + " is a zip archive without data");
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count;
      try {
        count = super.read(bytes, from, length);
      } catch (EOFException | ZipException damaged) {
        throw UnreadableFileException.damaged(
            file, name() + " in its zip archive cannot be unpacked any further", damaged);
      }
      if (count > 0) {
        checksum.update(bytes, from, count);
      } else if (count < 0 && entry.getCrc() >= 0 && checksum.getValue() != entry.getCrc()) {
        throw UnreadableFileException.damaged(
            file,
            "the checksum of " + name() + " differs, so that any of its content may be wrong",
            null);
      }
      return count;
    }

    private String name() {
      return Shown.of(entry.getName(), SHOWN_CHARACTERS);
    }

    /** Returns 0, because otherwise a buffer would read on, and lose its data when that fails. */
    @Override
    public int available() {
      return 0;
    }

    @Override
    public boolean markSupported() {
      return false;
    }

    @Override
    public void close() throws IOException {
      super.close();
      zip.close();
    }
  }
}
