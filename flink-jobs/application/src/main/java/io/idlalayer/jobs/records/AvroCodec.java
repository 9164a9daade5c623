package io.idlalayer.jobs.records;

import com.github.luben.zstd.ZstdInputStream;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/** The compression of the blocks of an Avro object container file. */
enum AvroCodec {
  NULL,
  DEFLATE,
  SNAPPY,
  ZSTANDARD;

  private static final int SHOWN_CHARACTERS = 60;

  /** Returns the codec with a given name in the header of a file; null if it is not supported. */
  static @Nullable AvroCodec of(String name) {
    return Arrays.stream(values()).filter(it -> it.codec().equals(name)).findAny().orElse(null);
  }

  /** Returns the name of this codec in the header of a file. */
  String codec() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Unpacks a block.
   *
   * @param most largest number of bytes to unpack
   * @throws TooLongException if the unpacked block has more bytes
   * @throws IOException if the block is damaged
   */
  byte[] unpacked(byte[] block, int most) throws IOException {
    return switch (this) {
      case NULL -> block;
      case DEFLATE -> inflated(block, most);
      case SNAPPY -> snappy(block, most);
      case ZSTANDARD -> {
        try (InputStream in = new ZstdInputStream(new ByteArrayInputStream(block))) {
          yield bounded(in, most);
        }
      }
    };
  }

  private static byte[] inflated(byte[] block, int most) throws IOException {
    Inflater inflater = new Inflater(true);
    try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(block), inflater)) {
      return bounded(in, most);
    } finally {
      inflater.end();
    }
  }

  private static byte[] snappy(byte[] block, int most) throws IOException {
    int packed = block.length - Integer.BYTES;
    if (packed < 1) {
      throw new IOException("it is too short for a checksum");
    }
    long length = Integer.toUnsignedLong(Snappy.uncompressedLength(block, 0, packed));
    if (length > most) {
      throw new TooLongException();
    }
    byte[] unpacked = new byte[(int) length];
    // The library would write beyond the end of an array of the wrong length.
    if (!Snappy.isValidCompressedBuffer(block, 0, packed)) {
      throw new IOException("it is not in snappy's format");
    }
    int written = Snappy.uncompress(block, 0, packed, unpacked, 0);
    CRC32 checksum = new CRC32();
    checksum.update(unpacked, 0, written);
    if ((int) checksum.getValue() != ByteBuffer.wrap(block).getInt(packed)) {
      throw new IOException("its checksum differs");
    }
    return unpacked;
  }

  private static byte[] bounded(InputStream in, int most) throws IOException {
    byte[] unpacked = in.readNBytes(most + 1);
    if (unpacked.length > most) {
      throw new TooLongException();
    }
    return unpacked;
  }

  /** Returns the reason for refusing a codec, with the names of all supported codecs. */
  static String refusal(String name) {
    return "its codec is %s; null, deflate, snappy and zstandard are read"
        .formatted(Shown.of(name, SHOWN_CHARACTERS));
  }

  /** Thrown if an unpacked block has more bytes than allowed. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;
  }
}
