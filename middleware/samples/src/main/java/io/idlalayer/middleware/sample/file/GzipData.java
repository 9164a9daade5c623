package io.idlalayer.middleware.sample.file;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The unpacked bytes of a gzip file. If the file is damaged, all bytes before the damage are
 * returned before the damage is reported.
 */
final class GzipData extends GZIPInputStream {
  private static final byte[] START = {0x1f, (byte) 0x8b};
  private static final int TRAILER_BYTES = 8;

  private final Path file;
  private final CountingInputStream raw;
  private final SeekableByteChannel channel;

  /** Number of bytes of the file up to the end of the buffer that is being unpacked. */
  private long filled;

  private @Nullable UnreadableFileException found;
  private boolean restChecked;

  private GzipData(Path file, CountingInputStream raw, SeekableByteChannel channel)
      throws IOException {
    super(raw, PackedFile.BUFFER_BYTES);
    this.file = file;
    this.raw = raw;
    this.channel = channel;
  }

  @Override
  protected void fill() throws IOException {
    super.fill();
    filled = raw.count();
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    // A read after the damage would report another error.
    if (found != null) {
      throw found;
    }
    try {
      int count = super.read(bytes, from, length);
      if (count < 0 && !restChecked) {
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
   * Refuses bytes after the unpacked data, unless they are zeros, with which tapes are padded.
   * GZIPInputStream ignores bytes that are not a complete header of a further part.
   */
  private void checkRest(long from) throws IOException {
    channel.position(from);
    InputStream rest = Channels.newInputStream(channel);
    byte[] bytes = rest.readNBytes(PackedFile.BUFFER_BYTES);
    while (bytes.length > 0 && isZeros(bytes)) {
      bytes = rest.readNBytes(PackedFile.BUFFER_BYTES);
    }
    restChecked = true;
    if (bytes.length == 0) {
      return;
    }
    found =
        begins(bytes) || (bytes.length == 1 && bytes[0] == START[0])
            ? UnreadableFileException.cutOff(
                file, "it ends in the header of a further part of its gzip data", null)
            : UnreadableFileException.damaged(
                file, "the bytes after its gzip data are not gzip", null);
    throw found;
  }

  private static boolean isZeros(byte[] bytes) {
    for (byte each : bytes) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns 0, because otherwise a buffer would continue to read, and would lose its data if this
   * read fails.
   */
  @Override
  public int available() {
    return 0;
  }

  /** Returns whether a file begins like a gzip file. */
  static boolean begins(byte[] start) {
    return PackedFile.startsWith(start, START);
  }

  /**
   * Returns the unpacked bytes of a gzip file.
   *
   * @param raw the bytes of the file
   * @param channel the open file from which they come; it is needed because the path can belong to
   *     another file by the time that the end is reached
   * @throws UnreadableFileException if the header of the file is damaged or cut off
   */
  static InputStream open(Path file, InputStream raw, SeekableByteChannel channel)
      throws IOException {
    try {
      return new GzipData(file, new CountingInputStream(raw), channel);
    } catch (EOFException cut) {
      throw UnreadableFileException.cutOff(file, "it ends in the header of its gzip data", cut);
    } catch (ZipException damaged) {
      throw UnreadableFileException.damaged(
          file, "it begins like gzip, and the rest of the header is not that of gzip", damaged);
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
}
