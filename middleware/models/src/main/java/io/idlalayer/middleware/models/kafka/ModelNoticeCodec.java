package io.idlalayer.middleware.models.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes notices of new versions as JSON, {@code formatVersion} 1. Unknown fields,
 * which a later version of the product might write, are ignored.
 */
public final class ModelNoticeCodec {
  private static final int FORMAT_VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  private ModelNoticeCodec() {}

  private record Wire(
      int formatVersion,
      @Nullable String application,
      int partition,
      long version,
      @Nullable String digest,
      long publishedAtMillis) {}

  public static byte[] encode(ModelNotice notice) {
    try {
      return JSON.writeValueAsBytes(
          new Wire(
              FORMAT_VERSION,
              notice.application(),
              notice.partition(),
              notice.version(),
              notice.digest(),
              notice.publishedAtMillis()));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Decodes a notice; empty if the bytes are not a notice that this program can read. */
  public static Optional<ModelNotice> decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return Optional.empty();
    }
    try {
      Wire wire = JSON.readValue(bytes, Wire.class);
      if (wire == null
          || wire.formatVersion() != FORMAT_VERSION
          || wire.application() == null
          || wire.digest() == null) {
        return Optional.empty();
      }
      return Optional.of(
          new ModelNotice(
              wire.application(),
              wire.partition(),
              wire.version(),
              wire.digest(),
              wire.publishedAtMillis()));
    } catch (IOException garbage) {
      return Optional.empty();
    }
  }
}
