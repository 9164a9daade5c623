package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads manifests of versions, and compares each with the digest in the pointer, pin, alias or
 * version that names it. May be shared between threads.
 */
final class VersionManifests {
  private final ModelSource source;

  /** The version that was published or read last: equal bytes need not be decoded again. */
  private volatile @Nullable ModelCheckpoint last;

  VersionManifests(ModelSource source) {
    this.source = source;
  }

  /**
   * Reads the manifest of a version.
   *
   * @param digest expected SHA-256; null if it is not known. Bytes of this SHA-256 from an earlier
   *     read may be returned; the caller compares the digest
   * @throws CorruptModelException if the manifest is missing, damaged or of another version
   */
  ModelCheckpoint read(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    String location = source.address(of, version);
    String file = location + "/" + ModelSource.MANIFEST;
    byte[] content = bytes(of, version, digest);
    String found = Digests.sha256(content);
    ModelCheckpoint known = last;
    if (known != null && known.digest().equals(found) && known.location().equals(location)) {
      return known;
    }
    ModelManifest manifest = ManifestCodec.manifest(content, file);
    if (manifest.version() != version || !isOf(manifest, of)) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s is the manifest of %s/%d version %d",
              file,
              manifest.application(),
              manifest.partition(),
              manifest.version()));
    }
    ModelCheckpoint read = new ModelCheckpoint(location, manifest, found);
    last = read;
    return read;
  }

  /** Remembers a version that was published just now, whose manifest need not be decoded. */
  void remember(ModelCheckpoint published) {
    last = published;
  }

  private static boolean isOf(ModelManifest manifest, ApplicationPartition of) {
    return manifest.application().equals(of.application())
        && manifest.partition() == of.partition();
  }

  /**
   * Returns the bytes of a manifest that was read before.
   *
   * @throws CorruptModelException if the manifest is missing, or has changed since
   */
  byte[] bytes(ModelCheckpoint checkpoint) throws IOException {
    byte[] content =
        bytes(checkpoint.applicationPartition(), checkpoint.version(), checkpoint.digest());
    if (!Digests.sha256(content).equals(checkpoint.digest())) {
      throw new CorruptModelException(
          "%s has changed: it does not have the SHA-256 that it had before"
              .formatted(checkpoint.file(ModelSource.MANIFEST)));
    }
    return content;
  }

  private byte[] bytes(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    try {
      return source.manifest(of, version, digest);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "version %d is not there: no %s/%s",
              version,
              source.address(of, version),
              ModelSource.MANIFEST));
    }
  }

  /**
   * Returns the version that a pointer names.
   *
   * @param where the pointer is, for messages
   * @throws CorruptModelException if it is missing, damaged or has another digest
   */
  ModelCheckpoint pointed(ApplicationPartition of, Pointer pointer, Object where)
      throws IOException {
    ModelCheckpoint pointed = read(of, pointer.version(), pointer.digest());
    if (!pointed.digest().equals(pointer.digest())) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s names digest %s of version %d, whose manifest has %s",
              where,
              pointer.digest(),
              pointer.version(),
              pointed.digest()));
    }
    return pointed;
  }

  /**
   * Returns the version that a pin names.
   *
   * @throws CorruptModelException if it is missing, damaged or has another digest
   */
  ModelCheckpoint pinned(ApplicationPartition of, Pin pin) throws IOException {
    ModelCheckpoint pinned = read(of, pin.version(), pin.digest());
    if (!pinned.digest().equals(pin.digest())) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "version %d is pinned with the digest %s, and has the digest %s; pin it again, or unpin"
                  + " it",
              pin.version(),
              pin.digest(),
              pinned.digest()));
    }
    return pinned;
  }

  /**
   * Returns the version that an alias names.
   *
   * @throws CorruptModelException if it is missing, damaged or has another digest
   */
  ModelCheckpoint aliased(ApplicationPartition of, String name, Alias alias) throws IOException {
    ModelCheckpoint named = read(of, alias.version(), alias.digest());
    if (!named.digest().equals(alias.digest())) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "alias '%s' names version %d with the digest %s, and that version has the digest %s;"
                  + " give the alias again",
              name,
              alias.version(),
              alias.digest(),
              named.digest()));
    }
    return named;
  }

  /**
   * Returns the parent of a version: the one from which its model was trained.
   *
   * @throws CorruptModelException if it is missing, damaged or has another digest
   */
  ModelCheckpoint parent(ApplicationPartition of, long version, String digest) throws IOException {
    ModelCheckpoint parent = read(of, version, digest);
    if (!parent.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected"
              .formatted(parent.location(), parent.digest(), digest));
    }
    return parent;
  }
}
