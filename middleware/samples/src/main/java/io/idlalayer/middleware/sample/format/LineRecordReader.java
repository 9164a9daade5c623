package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.file.EncodedText;
import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a text file, which can be compressed ({@link PackedFile}), in the encoding of
 * events ({@link EncodedText}). Lines end with LF or CRLF; if the beginning of the file has
 * neither, lines end with CR. Blank lines are skipped. A line longer than the limit is cut to the
 * limit and one more byte, so that the decoder recognises that it is too long.
 */
public final class LineRecordReader implements RecordReader {
  /** Length in bytes of the longest line that is not cut. */
  public static final int LINE_BYTES_MAX = 16 << 20;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final byte[] NOTHING = {};

  /** Name of the file or stream, for error messages. */
  private final String source;

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int at;
  private int filled;
  private byte[] line = new byte[256];
  private int length;
  private long lineNumber;
  private byte[] current = NOTHING;
  private boolean ended;
  private byte lineEnd = '\n';
  private @Nullable IOException behind;

  private LineRecordReader(String source, InputStream in) {
    this.source = source;
    this.in = in;
  }

  /** Opens a file of text in UTF-8. */
  public static LineRecordReader open(Path file) throws IOException {
    return open(file, EventEncoding.UTF_8);
  }

  /**
   * Opens a file of text.
   *
   * @throws IOException if the file cannot be read, or is not text in this encoding
   */
  public static LineRecordReader open(Path file, EventEncoding encoding) throws IOException {
    InputStream unpacked = PackedFile.open(file);
    try {
      LineRecordReader reader =
          new LineRecordReader(
              file.toString(), EncodedText.of(unpacked, file.toString(), encoding));
      reader.findLineEnd();
      return reader;
    } catch (IOException refused) {
      unpacked.close();
      throw refused;
    }
  }

  /**
   * Returns a reader of a stream, which is neither unpacked nor converted; its lines end with LF or
   * CRLF.
   *
   * @param source name of the stream, for messages
   */
  public static LineRecordReader of(InputStream in, String source) {
    return new LineRecordReader(source, in);
  }

  /**
   * Returns whether {@link #next} can return without waiting for more bytes, because a line that is
   * not blank is in the buffer.
   */
  public boolean buffered() {
    boolean blank = true;
    for (int i = at; i < filled; i++) {
      if (buffer[i] == '\n' && !blank) {
        return true;
      }
      blank = buffer[i] == '\n' || (blank && isSpace(buffer[i]));
    }
    return false;
  }

  private static boolean isSpace(byte each) {
    return each == ' ' || each == '\t' || each == '\r';
  }

  /** Reads the beginning of the text to find out whether its lines end with CR alone. */
  private void findLineEnd() {
    try {
      while (filled < buffer.length) {
        int more = in.read(buffer, filled, buffer.length - filled);
        if (more <= 0) {
          break;
        }
        filled += more;
      }
    } catch (IOException damaged) {
      // The lines before the damage are returned first, and then the damage is reported.
      behind = damaged;
    }
    boolean feeds = false;
    boolean returns = false;
    for (int i = 0; i < filled; i++) {
      feeds |= buffer[i] == '\n';
      // The byte after the last byte of a full buffer is not known yet.
      returns |= buffer[i] == '\r' && i + 1 < buffer.length;
    }
    lineEnd = (byte) (returns && !feeds ? '\r' : '\n');
  }

  @Override
  public boolean next() throws IOException {
    while (nextLine()) {
      if (!blank(current, current.length)) {
        return true;
      }
    }
    return false;
  }

  /** Advances to the next line, which can be blank; returns false at the end of the text. */
  boolean nextLine() throws IOException {
    if (!readLine()) {
      current = NOTHING;
      return false;
    }
    lineNumber++;
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    current = Arrays.copyOf(line, length);
    return true;
  }

  /** Returns whether a line has nothing but spaces and tabs. */
  static boolean blank(byte[] line, int length) {
    for (int i = 0; i < length; i++) {
      if (line[i] != ' ' && line[i] != '\t') {
        return false;
      }
    }
    return true;
  }

  private boolean readLine() throws IOException {
    length = 0;
    ended = false;
    boolean any = false;
    while (true) {
      if (at == filled && !fill()) {
        return any;
      }
      any = true;
      int end = at;
      while (end < filled && buffer[end] != lineEnd) {
        end++;
      }
      append(end - at);
      boolean complete = end < filled;
      at = complete ? end + 1 : end;
      if (complete) {
        ended = true;
        return true;
      }
    }
  }

  /**
   * Returns whether the current line ended with a line end; the last line of a file can be without
   * one.
   */
  public boolean ended() {
    return ended;
  }

  private void append(int bytes) {
    int copied = Math.min(bytes, LINE_BYTES_MAX + 1 - length);
    if (copied <= 0) {
      return;
    }
    if (length + copied > line.length) {
      line = Arrays.copyOf(line, Math.max(length + copied, line.length * 2));
    }
    System.arraycopy(buffer, at, line, length, copied);
    length += copied;
  }

  private boolean fill() throws IOException {
    at = 0;
    filled = 0;
    try {
      if (behind != null) {
        throw behind;
      }
      filled = Math.max(0, in.read(buffer));
      return filled > 0;
    } catch (UnreadableFileException damaged) {
      throw damaged.after("line", lineNumber);
    } catch (IOException failed) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s cannot be read after line %d: %s",
              source,
              lineNumber,
              failed.getMessage()),
          failed);
    }
  }

  @Override
  public byte[] record() {
    return current;
  }

  @Override
  public long position() {
    return lineNumber;
  }

  @Override
  public String place() {
    return "line " + position();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
