package io.idlalayer.jobs.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decision events as JSON. Unknown fields of a later writer are passed over. */
public final class DecisionEventCodec {
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private DecisionEventCodec() {}

  public static byte[] encode(DecisionEvent event) {
    try {
      return JSON.writeValueAsBytes(event);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The event, or empty if the bytes are none that this program reads. */
  public static Optional<DecisionEvent> decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return Optional.empty();
    }
    try {
      DecisionEvent event = JSON.readValue(bytes, DecisionEvent.class);
      boolean known = event.formatVersion() == DecisionEvent.FORMAT_VERSION;
      return known ? Optional.of(event) : Optional.empty();
    } catch (IOException garbage) {
      return Optional.empty();
    }
  }
}
