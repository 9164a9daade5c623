package io.idlalayer.benchmarks.cache;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The references of a recorded trace, in order.
 *
 * @param keys one for each reference
 * @param distinct how many different ones
 */
public record CacheTrace(long[] keys, int distinct) {
  private static final int GZIP_MAGIC = 0x1F8B;
  private static final int REFERENCES_MAX = 1 << 30;

  static CacheTrace of(long[] keys) {
    return new CacheTrace(keys, (int) Arrays.stream(keys).distinct().count());
  }

  /**
   * Reads a trace, compressed with gzip or not.
   *
   * @throws IOException naming the file and the line that cannot be read
   */
  public static CacheTrace read(Path file, TraceFormat format) throws IOException {
    Growing keys = new Growing();
    try (InputStream in = open(file)) {
      if (format == TraceFormat.CACHE2K) {
        binary(in, keys);
      } else {
        text(file, in, format, keys);
      }
    } catch (EOFException cut) {
      throw new IOException(
          file + " is cut off: it ends within a reference or its gzip data; copy the file again",
          cut);
    } catch (ZipException damaged) {
      throw new IOException(
          file + " is damaged: its gzip data cannot be unpacked; copy the file again", damaged);
    }
    if (keys.size == 0) {
      throw new IOException(file + ": holds no reference");
    }
    return of(Arrays.copyOf(keys.values, keys.size));
  }

  private static InputStream open(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + ": there is no such trace file");
    }
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    raw.mark(2);
    int magic = (raw.read() << 8) | raw.read();
    raw.reset();
    return magic == GZIP_MAGIC ? new BufferedInputStream(new GZIPInputStream(raw), 1 << 16) : raw;
  }

  private static void binary(InputStream in, Growing keys) throws IOException {
    byte[] key = new byte[Integer.BYTES];
    int length = in.readNBytes(key, 0, key.length);
    while (length == key.length) {
      keys.add(ByteBuffer.wrap(key).getInt());
      length = in.readNBytes(key, 0, key.length);
    }
    if (length > 0) {
      throw new EOFException("it ends within a key");
    }
  }

  private static void text(Path file, InputStream in, TraceFormat format, Growing keys)
      throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
    long number = 0;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      number++;
      String text = line.strip();
      boolean marker = format == TraceFormat.LIRS && text.equals("*");
      if (text.isEmpty() || marker) {
        continue;
      }
      try {
        if (format == TraceFormat.ARC) {
          String[] fields = text.split("\\s+");
          long first = Long.parseLong(fields[0]);
          long count = Long.parseLong(fields[1]);
          if (count < 0 || count > REFERENCES_MAX - keys.size) {
            throw new NumberFormatException(fields[1]);
          }
          for (long i = 0; i < count; i++) {
            keys.add(first + i);
          }
        } else {
          keys.add(Long.parseLong(text));
        }
      } catch (NumberFormatException | ArrayIndexOutOfBoundsException wrong) {
        throw new IOException(
            "%s:%d: '%s' is not a reference of format %s"
                .formatted(
                    file, number, text.substring(0, Math.min(40, text.length())), format.key()),
            wrong);
      }
    }
  }

  /** A growing array. */
  private static final class Growing {
    long[] values = new long[1 << 16];
    int size;

    void add(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      values[size++] = value;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CacheTrace o && Arrays.equals(keys, o.keys);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(keys);
  }

  @Override
  public String toString() {
    return "CacheTrace[references=%d, distinct=%d]".formatted(keys.length, distinct);
  }
}
