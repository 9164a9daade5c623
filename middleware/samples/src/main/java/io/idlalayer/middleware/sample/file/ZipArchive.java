package io.idlalayer.middleware.sample.file;

import static io.idlalayer.middleware.sample.file.PackedFile.startsWith;

import io.idlalayer.middleware.sample.text.Shown;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** A zip archive of one file. Files that file managers add are ignored. */
final class ZipArchive {
  private static final int SHOWN_ENTRIES = 3;
  private static final int SHOWN_CHARACTERS = 60;

  /**
   * Offset of the flags of a zip archive's first entry; bit 0 means that the entry is encrypted.
   */
  private static final int ZIP_FLAGS_AT = 6;

  /** Offset of the compression method of a zip archive's first entry. */
  private static final int ZIP_METHOD_AT = 8;

  /** Length of the record that ends the directory of a zip archive, without its comment. */
  private static final int ZIP_END_BYTES = 22;

  /** Largest number of bytes from the mark of the directory's end to the end of a zip archive. */
  private static final int ZIP_TAIL_BYTES = ZIP_END_BYTES + 0xffff;

  private static final List<byte[]> STARTS =
      List.of(
          new byte[] {'P', 'K', 3, 4}, new byte[] {'P', 'K', 5, 6}, new byte[] {'P', 'K', 7, 8});

  private ZipArchive() {}

  /** Returns whether a file begins like a zip archive. */
  static boolean begins(byte[] start) {
    return STARTS.stream().anyMatch(each -> startsWith(start, each));
  }

  /**
   * Returns the unpacked bytes of the only file in an archive.
   *
   * @throws UnreadableFileException if the archive has no file or several, or if the file cannot be
   *     unpacked
   */
  static InputStream open(Path file) throws IOException {
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

  /** Returns the reason why a zip archive cannot be opened, in place of the JDK's message. */
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
    if (startsWith(header, STARTS.get(0)) && (header[ZIP_FLAGS_AT] & 1) != 0) {
      return new UnreadableFileException(
          file + " is an encrypted zip archive, which is not read: unpack it and name the file",
          cause);
    }
    boolean known =
        header[ZIP_METHOD_AT] == ZipEntry.STORED || header[ZIP_METHOD_AT] == ZipEntry.DEFLATED;
    if (startsWith(header, STARTS.get(0)) && !known) {
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
    while (at >= 0 && !startsWith(Arrays.copyOfRange(tail, at, at + 4), STARTS.get(1))) {
      at--;
    }
    int comment =
        at < 0 ? 0 : (tail[at + 20] & 0xff) | (tail[at + ZIP_END_BYTES - 1] & 0xff) << Byte.SIZE;
    return at >= 0 && at + ZIP_END_BYTES + comment <= tail.length;
  }

  /** Returns whether an entry was added by a file manager. */
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

  /** The bytes of an entry. At their end, the checksum is compared. */
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
