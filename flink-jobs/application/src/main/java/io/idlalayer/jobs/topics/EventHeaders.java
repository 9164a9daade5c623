package io.idlalayer.jobs.topics;

import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Record headers that the product reads and writes. Reading never fails: a damaged header counts as
 * missing, and a header that is too long is cut.
 */
public final class EventHeaders {
  /**
   * Header with the place from which a producer read the record: {@code file name#record number},
   * and for a text file {@code , line number}.
   */
  public static final String SOURCE = "idla-source";

  /** Header that identifies the input and the record: see {@link #identity}. */
  public static final String INPUT = "idla-input";

  /**
   * Header of a position mark, which is neither an event nor a request. The mark tells every
   * learner of the application how far the mark's partition is read.
   */
  public static final String MARK = "idla-mark";

  /** Header of a request, see {@link ControlRecord}; accepted if the application file allows it. */
  public static final String CONTROL = "idla-control";

  /**
   * Header with the length in bytes of an event of which only the beginning was sent, or is kept.
   */
  public static final String LENGTH = UnpackLimits.LENGTH;

  /** Largest number of characters that are kept of a header's text. */
  public static final int TEXT_MAX = 1_024;

  private static final int IDENTITY_BYTES = 16;
  private static final int NUMBER_BYTES = 20;

  private EventHeaders() {}

  /**
   * The identity of a record in an input.
   *
   * @param input first 8 bytes of the SHA-256 of the input's id
   * @param number 1-based number of the record in its input
   */
  public record Identity(long input, long number) {
    byte[] bytes() {
      return ByteBuffer.allocate(IDENTITY_BYTES).putLong(input).putLong(number).array();
    }
  }

  /** Adds the header with the identity of a record. */
  public static void add(Headers headers, Identity identity) {
    headers.add(INPUT, identity.bytes());
  }

  /** Returns the identity of a record, or null if it has no valid one. */
  public static @Nullable Identity identity(Headers headers) {
    byte[] value = value(headers, INPUT);
    if (value == null || value.length != IDENTITY_BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(value);
    Identity identity = new Identity(in.getLong(), in.getLong());
    return identity.number() > 0 ? identity : null;
  }

  /** Returns the number that stands for the id of an input in {@link Identity}. */
  public static long inputNumber(String inputId) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(inputId.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public static boolean has(Headers headers, String name) {
    return headers.lastHeader(name) != null;
  }

  public static byte @Nullable [] value(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null ? null : header.value();
  }

  /** Returns the text of a header, cut to {@link #TEXT_MAX} characters; "" if there is none. */
  public static String text(Headers headers, String name) {
    byte[] value = value(headers, name);
    return value == null ? "" : text(value);
  }

  /**
   * Returns bytes as text of at most {@link #TEXT_MAX} characters; bytes that are not UTF-8 are
   * replaced.
   */
  public static String text(byte[] value) {
    // No character takes more than four bytes.
    int used = Math.min(value.length, 4 * TEXT_MAX);
    return cut(new String(value, 0, used, StandardCharsets.UTF_8), TEXT_MAX);
  }

  /**
   * Returns the text; if it is longer than {@code most} characters, its beginning with "..." at the
   * end.
   */
  public static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - 3) + "...";
  }

  /** Returns the length that {@link #LENGTH} names, or -1 if it names none. */
  public static long length(Headers headers) {
    byte[] value = value(headers, LENGTH);
    if (value == null || value.length == 0 || value.length > NUMBER_BYTES) {
      return -1;
    }
    try {
      return Math.max(-1, Long.parseLong(new String(value, StandardCharsets.UTF_8)));
    } catch (NumberFormatException notOurs) {
      return -1;
    }
  }
}
