package io.idlalayer.middleware.models.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes heartbeats as JSON, {@code formatVersion} 1. Any client with access may have
 * written to the topic, so records are not trusted: a record that is too long, lacks a field, or
 * has a value that a {@link Heartbeat} cannot have is not a heartbeat. Unknown fields of a later
 * writer are ignored.
 */
final class HeartbeatCodec {
  /** Largest number of bytes of a heartbeat; a longer record is not decoded. */
  public static final int MOST_BYTES = 8 << 10;

  private static final int FORMAT_VERSION = 1;
  private static final int MOST_DEPTH = 8;
  private static final ObjectMapper JSON = StrictJson.mapper(MOST_DEPTH, MOST_BYTES);

  private HeartbeatCodec() {}

  private record Wire(
      int formatVersion,
      String application,
      int partition,
      SubscriberIdentity subscriber,
      String alias,
      Heartbeat.Service service,
      Heartbeat.Refusals refusals,
      Heartbeat.Leases leases,
      Heartbeat.Beat beat) {}

  public static byte[] encode(Heartbeat heartbeat) {
    try {
      return JSON.writeValueAsBytes(
          new Wire(
              FORMAT_VERSION,
              heartbeat.application(),
              heartbeat.partition(),
              heartbeat.subscriber(),
              heartbeat.alias(),
              heartbeat.service(),
              heartbeat.refusals(),
              heartbeat.leases(),
              heartbeat.beat()));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Decodes a heartbeat; empty if the bytes are not a heartbeat that this program can read. */
  public static Optional<Heartbeat> decode(byte @Nullable [] bytes) {
    if (bytes == null || bytes.length > MOST_BYTES) {
      return Optional.empty();
    }
    try {
      Wire wire = JSON.readValue(bytes, Wire.class);
      if (wire == null || wire.formatVersion() != FORMAT_VERSION) {
        return Optional.empty();
      }
      return Optional.of(
          new Heartbeat(
              wire.application(),
              wire.partition(),
              wire.subscriber(),
              wire.alias(),
              wire.service(),
              wire.refusals(),
              wire.leases(),
              wire.beat()));
    } catch (IOException | IllegalArgumentException garbage) {
      return Optional.empty();
    }
  }
}
