package io.idlalayer.jobs.lending;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a lender of memory says about itself on a topic, as JSON of {@code formatVersion} 1. Any
 * client with access to the topic can write to it, so records are not trusted: a record that is too
 * long, lacks a field, or has a key other than its address is not an announcement. Unknown fields
 * of a later writer are ignored.
 *
 * @param process process that lends, see {@link LendingProcess}
 * @param freeBytes bytes that it does not lend at present, from 0
 * @param periodMillis time until the next announcement at the latest, a second to an hour
 */
record LenderAnnouncement(
    LenderAddress address, String process, long freeBytes, long periodMillis) {
  private static final int MOST_BYTES = 2 << 10;
  private static final int FORMAT_VERSION = 1;
  private static final int MOST_DEPTH = 2;
  private static final int LONGEST_NUMBER = 32;
  private static final long SHORTEST_PERIOD_MILLIS = 1_000;
  private static final long LONGEST_PERIOD_MILLIS = 3_600_000;
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MOST_DEPTH)
                          .maxNumberLength(LONGEST_NUMBER)
                          .maxStringLength(MOST_BYTES)
                          .build())
                  .build())
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  LenderAnnouncement {
    if (freeBytes < 0
        || periodMillis < SHORTEST_PERIOD_MILLIS
        || periodMillis > LONGEST_PERIOD_MILLIS) {
      throw new IllegalArgumentException(
          "%d free bytes and a period of %d ms; at least 0, and 1 s to 1 h, are needed"
              .formatted(freeBytes, periodMillis));
    }
  }

  private record Json(
      int formatVersion,
      String host,
      int port,
      String process,
      long freeBytes,
      long periodMillis) {}

  /** Returns the key of the record of a lender on the compacted topic. */
  static byte[] key(LenderAddress address) {
    return address.toString().getBytes(StandardCharsets.UTF_8);
  }

  byte[] encode() {
    try {
      return JSON.writeValueAsBytes(
          new Json(
              FORMAT_VERSION, address.host(), address.port(), process, freeBytes, periodMillis));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Decodes a record; empty if it is not an announcement that this program can read. */
  static Optional<LenderAnnouncement> decode(byte @Nullable [] key, byte @Nullable [] value) {
    if (value == null || value.length > MOST_BYTES) {
      return Optional.empty();
    }
    try {
      Json json = JSON.readValue(value, Json.class);
      if (json == null || json.formatVersion() != FORMAT_VERSION) {
        return Optional.empty();
      }
      LenderAddress address = new LenderAddress(json.host(), json.port());
      return Arrays.equals(key, key(address))
          ? Optional.of(
              new LenderAnnouncement(
                  address, json.process(), json.freeBytes(), json.periodMillis()))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException garbage) {
      return Optional.empty();
    }
  }
}
