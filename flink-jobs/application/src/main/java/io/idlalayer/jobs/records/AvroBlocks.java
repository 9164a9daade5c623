package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header and then block by block of an Avro object container file. Lengths in the file
 * are only accepted up to a limit. Confined to one thread.
 *
 * @see <a href="https://avro.apache.org/docs/1.12.0/specification/#object-container-files">the
 *     format</a>
 */
final class AvroBlocks implements Closeable {
  /**
   * Largest number of bytes of a block, packed and unpacked. Writers usually make blocks of about
   * 64 KiB.
   */
  static final int BLOCK_BYTES_MAX = 64 << 20;

  /**
   * Largest number of records of a block. A block that is compressed well can contain as many
   * records as it has bytes.
   */
  static final int BLOCK_RECORDS_MAX = 4 << 20;

  private static final int HEADER_BYTES_MAX = 8 << 20;
  private static final int MAGIC_BYTES = 4;
  private static final int SYNC_BYTES = 16;
  private static final int VARINT_BYTES_MAX = 10;
  private static final int VARINT_BITS = 7;
  private static final int VARINT_MASK = 0x7f;

  private final Path file;
  private final InputStream in;
  private final String schema;
  private final AvroCodec codec;
  private final byte[] sync;
  private long at;
  private long blockAt;
  private int count;
  private byte[] records = {};

  /**
   * @throws UnreadableFileException if the file is cut off or damaged within its header, no Avro
   *     file, or compressed in a way that is not supported
   * @throws IOException if the file cannot be read now
   */
  AvroBlocks(Path file) throws IOException {
    this.file = file;
    in = PackedFile.openAny(file);
    boolean usable = false;
    try {
      Map<String, byte[]> header = header();
      sync = bytes(SYNC_BYTES);
      byte[] text = header.get("avro.schema");
      if (text == null) {
        throw damaged("its header has no schema", null);
      }
      schema = new String(text, StandardCharsets.UTF_8);
      byte[] packing = header.get("avro.codec");
      String name =
          packing == null ? AvroCodec.NULL.codec() : new String(packing, StandardCharsets.UTF_8);
      AvroCodec known = AvroCodec.of(name);
      if (known == null) {
        throw new UnreadableFileException(
            "%s cannot be read: %s; write it with one of these"
                .formatted(file, AvroCodec.refusal(name)));
      }
      codec = known;
      usable = true;
    } catch (EOFException cut) {
      throw UnreadableFileException.cutOff(file, "it ends within its header, at byte " + at, cut);
    } finally {
      if (!usable) {
        in.close();
      }
    }
  }

  private Map<String, byte[]> header() throws IOException {
    if (!PackedFile.isAvro(bytes(MAGIC_BYTES))) {
      throw new UnreadableFileException(file + " is not an Avro file");
    }
    Map<String, byte[]> entries = new HashMap<>();
    for (long block = number(); block != 0; block = number()) {
      if (block < 0) {
        long unused = number();
        block = -block;
      }
      for (long i = 0; i < block; i++) {
        String key = new String(bytes(headerLength()), StandardCharsets.UTF_8);
        entries.put(key, bytes(headerLength()));
      }
    }
    return entries;
  }

  private int headerLength() throws IOException {
    long length = number();
    if (length < 0 || length > HEADER_BYTES_MAX - at) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "its header names a length of %,d bytes at byte %,d; a header has at most %,d",
              length,
              at,
              HEADER_BYTES_MAX),
          null);
    }
    return (int) length;
  }

  /** Returns the schema of the records, as its writer has put it into the header. */
  String schema() {
    return schema;
  }

  /**
   * Advances to the next block that has records.
   *
   * @return false at the end of the file
   * @throws UnreadableFileException if the file is cut off or damaged; the message has the offset
   *     at which the block begins
   */
  boolean next() throws IOException {
    do {
      blockAt = at;
      int first = read();
      if (first < 0) {
        return false;
      }
      try {
        block(first);
      } catch (EOFException cut) {
        throw UnreadableFileException.cutOff(file, place() + " is not whole", cut);
      }
    } while (count == 0);
    return true;
  }

  private void block(int first) throws IOException {
    long number = number(first);
    long length = number();
    if (length < 0 || length > BLOCK_BYTES_MAX || number < 0) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "%s names %,d records in %,d bytes; a block has at most %,d bytes",
              place(),
              number,
              length,
              BLOCK_BYTES_MAX),
          null);
    }
    byte[] packed = bytes((int) length);
    if (!Arrays.equals(bytes(SYNC_BYTES), sync)) {
      throw damaged(place() + " does not end with the mark of this file", null);
    }
    try {
      records = codec.unpacked(packed, BLOCK_BYTES_MAX);
    } catch (AvroCodec.TooLongException tooLong) {
      throw new UnreadableFileException(
          String.format(
              Locale.ROOT,
              "%s cannot be read: %s unpacks to more than %,d bytes; write it with smaller blocks",
              file,
              place(),
              BLOCK_BYTES_MAX));
    } catch (IOException broken) {
      throw damaged(
          "%s cannot be unpacked (%s): %s".formatted(place(), codec.codec(), broken.getMessage()),
          broken);
    }
    check(number);
    count = (int) number;
  }

  /** Refuses a number of records that is impossible for the unpacked bytes of the block. */
  private void check(long number) throws UnreadableFileException {
    if (number == 0 && records.length > 0) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "%s says that it has 0 records, but has %,d bytes when unpacked",
              place(),
              records.length),
          null);
    }
    if (number > 0 && records.length == 0) {
      throw new UnreadableFileException(
          String.format(
              Locale.ROOT,
              "%s cannot be read: %s says that it has %,d records, but has 0 bytes when unpacked; records without bytes are not read",
              file,
              place(),
              number));
    }
    if (number > records.length) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "%s says that it has %,d records, but has only %,d bytes when unpacked",
              place(),
              number,
              records.length),
          null);
    }
    if (number > BLOCK_RECORDS_MAX) {
      throw new UnreadableFileException(
          String.format(
              Locale.ROOT,
              "%s cannot be read: %s has %,d records, and at most %,d are read; write it with smaller blocks",
              file,
              place(),
              number,
              BLOCK_RECORDS_MAX));
    }
  }

  /** Returns the place of the current block, in words. */
  String place() {
    return String.format(Locale.ROOT, "the block at byte %,d", blockAt);
  }

  /**
   * Returns the number of records in the current block, which is at most the number of its bytes.
   */
  int count() {
    return count;
  }

  /** Returns the unpacked bytes of the current block: records without a gap. */
  byte[] records() {
    return records;
  }

  /** Returns the exception for a file whose content has changed. */
  UnreadableFileException damaged(String reason, @Nullable Throwable cause) {
    return UnreadableFileException.damaged(file, reason, cause);
  }

  private int read() throws IOException {
    int next = in.read();
    at += next < 0 ? 0 : 1;
    return next;
  }

  private byte[] bytes(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    at += bytes.length;
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  private long number() throws IOException {
    int first = read();
    if (first < 0) {
      throw new EOFException();
    }
    return number(first);
  }

  /** Reads a number in zigzag form whose first byte was read already. */
  private long number(int first) throws IOException {
    long bits = first & VARINT_MASK;
    int next = first;
    for (int i = 1; next > VARINT_MASK; i++) {
      next = read();
      if (next < 0) {
        throw new EOFException();
      }
      if (i == VARINT_BYTES_MAX) {
        throw damaged(String.format(Locale.ROOT, "there is no number at byte %,d", at), null);
      }
      bits |= (long) (next & VARINT_MASK) << (VARINT_BITS * i);
    }
    return (bits >>> 1) ^ -(bits & 1);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
