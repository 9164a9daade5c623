package io.idlalayer.jobs.lending;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a lender of memory says about itself on a topic, as JSON of {@code formatVersion} 1. Any
 * client with access to the topic can write to it, so records are not trusted: a record that is too
 * long, lacks a field, or has the key of another lender is not an announcement. Unknown fields of a
 * later writer are ignored.
 *
 * @param freeBytes bytes that it does not lend at present, from 0
 * @param periodMillis time until the next announcement at the latest, a second to a minute
 */
record LenderAnnouncement(Lender lender, long freeBytes, long periodMillis) {
  private static final int MOST_BYTES = 2 << 10;
  private static final int FORMAT_VERSION = 1;
  private static final int MOST_DEPTH = 2;
  private static final long SHORTEST_PERIOD_MILLIS = 1_000;
  private static final long LONGEST_PERIOD_MILLIS = 60_000;
  private static final ObjectMapper JSON = StrictJson.mapper(MOST_DEPTH, MOST_BYTES);

  LenderAnnouncement {
    if (freeBytes < 0
        || periodMillis < SHORTEST_PERIOD_MILLIS
        || periodMillis > LONGEST_PERIOD_MILLIS) {
      throw new IllegalArgumentException(
          "%d free bytes and a period of %d ms; at least 0, and 1 s to 1 min, are needed"
              .formatted(freeBytes, periodMillis));
    }
  }

  /**
   * A lender. Its text is the key of its record on the compacted topic: lenders on the loopback
   * addresses of two machines have the same address.
   */
  record Lender(LenderAddress address, LendingProcess process) {
    byte[] key() {
      return toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
      return address + " " + process.machine() + " " + process.name();
    }
  }

  private record Json(
      int formatVersion,
      String host,
      int port,
      String machine,
      String process,
      long freeBytes,
      long periodMillis) {}

  byte[] encode() {
    LenderAddress address = lender.address();
    try {
      return JSON.writeValueAsBytes(
          new Json(
              FORMAT_VERSION,
              address.host(),
              address.port(),
              lender.process().machine(),
              lender.process().name(),
              freeBytes,
              periodMillis));
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
      Lender lender =
          new Lender(
              new LenderAddress(json.host(), json.port()),
              new LendingProcess(json.machine(), json.process()));
      return Arrays.equals(key, lender.key())
          ? Optional.of(new LenderAnnouncement(lender, json.freeBytes(), json.periodMillis()))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException garbage) {
      return Optional.empty();
    }
  }
}
