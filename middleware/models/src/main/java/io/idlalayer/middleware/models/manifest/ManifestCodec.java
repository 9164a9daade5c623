package io.idlalayer.middleware.models.manifest;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes manifests, pointers, holders and aliases as JSON. Unknown fields, which a
 * later version of the product might write, are ignored.
 */
public final class ManifestCodec {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ManifestCodec() {}

  /**
   * The pointer, which names the version in service.
   *
   * @param version the version in service; 0 before the first version
   * @param digest digest of that version's manifest; "" before the first version
   */
  public record Pointer(int formatVersion, long version, String digest) {
    public static final Pointer NOTHING = new Pointer(ModelManifest.FORMAT_VERSION, 0, "");

    public static Pointer to(ModelCheckpoint checkpoint) {
      return new Pointer(
          ModelManifest.FORMAT_VERSION, checkpoint.manifest().version(), checkpoint.digest());
    }
  }

  /**
   * The process that may publish the models of an application partition.
   *
   * @param token distinguishes holders with equal epochs; such holders exist if the folder was
   *     emptied
   * @param highestVersion highest known version when the process became the holder
   */
  public record Holder(
      int formatVersion,
      long epoch,
      String token,
      String run,
      String place,
      long claimedAtMillis,
      long highestVersion) {}

  public static byte[] encode(ModelManifest manifest) {
    return bytes(manifest);
  }

  public static byte[] encode(Pointer pointer) {
    return bytes(pointer);
  }

  public static byte[] encode(Holder holder) {
    return bytes(holder);
  }

  /**
   * Holder and pointer in one JSON object. {@link #holder} and {@link #pointer} each read their own
   * part of the object.
   */
  private record HeldPointer(
      int formatVersion,
      long version,
      String digest,
      long epoch,
      String token,
      String run,
      String place,
      long claimedAtMillis,
      long highestVersion) {}

  public static byte[] encode(Holder holder, Pointer pointer) {
    return bytes(
        new HeldPointer(
            ModelManifest.FORMAT_VERSION,
            pointer.version(),
            pointer.digest(),
            holder.epoch(),
            holder.token(),
            holder.run(),
            holder.place(),
            holder.claimedAtMillis(),
            holder.highestVersion()));
  }

  public static byte[] encode(Pin pin) {
    return bytes(pin);
  }

  /** The aliases of an application partition, as the JSON object that holds them. */
  private record Aliases(int formatVersion, TreeMap<String, Alias> aliases) {}

  public static byte[] encode(SortedMap<String, Alias> aliases) {
    return bytes(new Aliases(ModelManifest.FORMAT_VERSION, new TreeMap<>(aliases)));
  }

  private static byte[] bytes(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public static ModelManifest manifest(byte[] content, Object where) throws CorruptModelException {
    ModelManifest manifest = read(content, ModelManifest.class, where);
    if (manifest.formatVersion() != ModelManifest.FORMAT_VERSION) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s has manifest format %d; this program reads %d",
              where,
              manifest.formatVersion(),
              ModelManifest.FORMAT_VERSION));
    }
    Set<String> names = new HashSet<>();
    if (manifest.application() == null
        || manifest.parentDigest() == null
        || incomplete(manifest.inputOffsets())
        || incomplete(manifest.counts())
        || incomplete(manifest.metrics())
        || incomplete(manifest.attributes())
        || manifest.files() == null
        || !manifest.files().stream().allMatch(file -> isFile(file) && names.add(file.name()))) {
      throw new CorruptModelException(where + " is not a complete manifest");
    }
    return manifest;
  }

  private static boolean incomplete(@Nullable Map<String, ?> map) {
    return map == null || map.values().stream().anyMatch(Objects::isNull);
  }

  private static boolean isFile(ModelManifest.@Nullable ModelFile file) {
    return file != null
        && file.name() != null
        && StoreLayout.isName(file.name())
        && !file.name().equals(StoreLayout.MANIFEST)
        && file.bytes() >= 0
        && file.sha256() != null;
  }

  public static Pointer pointer(byte[] content, Object where) throws CorruptModelException {
    Pointer pointer = read(content, Pointer.class, where);
    if (pointer.formatVersion() != ModelManifest.FORMAT_VERSION
        || pointer.digest() == null
        || pointer.version() < 0
        || (pointer.version() == 0) != pointer.digest().isEmpty()) {
      throw new CorruptModelException(where + " is not a pointer this program reads");
    }
    return pointer;
  }

  public static Holder holder(byte[] content, Object where) throws CorruptModelException {
    Holder holder = read(content, Holder.class, where);
    if (holder.formatVersion() != ModelManifest.FORMAT_VERSION
        || holder.token() == null
        || holder.run() == null
        || holder.place() == null) {
      throw new CorruptModelException(where + " is not a publisher this program reads");
    }
    return holder;
  }

  public static Pin pin(byte[] content, Object where) throws CorruptModelException {
    Pin pin = read(content, Pin.class, where);
    if (pin.formatVersion() != ModelManifest.FORMAT_VERSION
        || pin.version() < 1
        || pin.until() < 0
        || pin.digest() == null
        || pin.reason() == null
        || pin.by() == null) {
      throw new CorruptModelException(where + " is not a pin that this program reads");
    }
    return pin;
  }

  public static SortedMap<String, Alias> aliases(byte[] content, Object where)
      throws CorruptModelException {
    Aliases read;
    try {
      read = read(content, Aliases.class, where);
    } catch (CorruptModelException broken) {
      throw new CorruptModelException(
          broken.getMessage() + "; delete the file and give the aliases again");
    }
    if (read.formatVersion() != ModelManifest.FORMAT_VERSION
        || read.aliases() == null
        || read.aliases().size() > Alias.MOST
        || !read.aliases().entrySet().stream()
            .allMatch(each -> Alias.isName(each.getKey()) && isAlias(each.getValue()))) {
      throw new CorruptModelException(
          where
              + " has no aliases that this program reads; delete the file and give them"
              + " again");
    }
    return read.aliases();
  }

  private static boolean isAlias(@Nullable Alias alias) {
    return alias != null && alias.version() > 0 && alias.digest() != null && alias.by() != null;
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
    } catch (JsonProcessingException broken) {
      JsonLocation at = broken.getLocation();
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s cannot be read: it is not what is expected at line %d, column %d",
              where,
              at == null ? 1 : at.getLineNr(),
              at == null ? 1 : at.getColumnNr()));
    } catch (IOException broken) {
      throw new CorruptModelException(where + " cannot be read: " + broken.getMessage());
    }
  }
}
