package io.idlalayer.middleware.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;

/** Manifest and pointer as JSON. Unknown fields of a later writer are passed over. */
final class ManifestCodec {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ManifestCodec() {}

  /** What names the version in service. */
  record Pointer(int formatVersion, long version, String digest) {}

  static byte[] encode(ModelManifest manifest) {
    return bytes(manifest);
  }

  static byte[] encode(Pointer pointer) {
    return bytes(pointer);
  }

  private static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static ModelManifest manifest(byte[] content, Object where) throws CorruptModelException {
    ModelManifest manifest = read(content, ModelManifest.class, where);
    if (manifest.formatVersion() != ModelManifest.FORMAT_VERSION
        || manifest.files() == null
        || manifest.application() == null) {
      throw new CorruptModelException(
          "%s has manifest format %d; this program reads %d"
              .formatted(where, manifest.formatVersion(), ModelManifest.FORMAT_VERSION));
    }
    return manifest;
  }

  static Pointer pointer(byte[] content, Object where) throws CorruptModelException {
    Pointer pointer = read(content, Pointer.class, where);
    if (pointer.formatVersion() != ModelManifest.FORMAT_VERSION || pointer.digest() == null) {
      throw new CorruptModelException(where + " is no pointer this program reads");
    }
    return pointer;
  }

  private static <T> T read(byte[] content, Class<T> type, Object where)
      throws CorruptModelException {
    try {
      T value = JSON.readValue(content, type);
      if (value == null) {
        throw new CorruptModelException(where + " is empty");
      }
      return value;
    } catch (CorruptModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new CorruptModelException(where + " cannot be read: " + broken.getMessage());
    }
  }
}
