package io.idlalayer.middleware.sample.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads the lines of a text file, plain or gzip (recognized by its first bytes), with any line
 * ends. Blank lines are skipped. A line longer than the limit is cut to the limit and one more
 * byte, so that its decoder sees that it is too long.
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

  private LineRecordReader(String source, InputStream in) {
    this.source = source;
    this.in = in;
  }

  /** Opens a plain or gzip file. */
  public static LineRecordReader open(Path file) throws IOException {
    return new LineRecordReader(file.toString(), InputFiles.open(file));
  }

  /**
   * Returns a reader of a stream, which is not unpacked.
   *
   * @param source what it is, for messages
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

  @Override
  public boolean next() throws IOException {
    while (readLine()) {
      lineNumber++;
      if (length > 0 && line[length - 1] == '\r') {
        length--;
      }
      if (!blank()) {
        current = Arrays.copyOf(line, length);
        return true;
      }
    }
    current = NOTHING;
    return false;
  }

  private boolean blank() {
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
      while (end < filled && buffer[end] != '\n') {
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
   * Returns whether the current line ended with a line end; the last one of a file may have none.
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
    try {
      at = 0;
      filled = Math.max(0, in.read(buffer));
      return filled > 0;
    } catch (IOException damaged) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s is damaged after line %d: %s",
              source,
              lineNumber,
              damaged.getMessage()),
          damaged);
    }
  }

  @Override
  public byte[] record() {
    return current;
  }

  /** Returns the current line as text. */
  public String text() {
    return new String(current, StandardCharsets.UTF_8);
  }

  @Override
  public long position() {
    return lineNumber;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
