package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The source from which published models are read as named objects: a folder, an object store or a
 * server. It transports bytes and does not check them: {@code ModelReader} verifies what it reads
 * from every source. Sources may be used by several threads.
 *
 * <p>A missing object causes a {@link java.nio.file.NoSuchFileException}; every other {@link
 * IOException} means that the object cannot be read. Messages name the folder or address.
 */
public interface ModelSource {
  /** Name of the object with a version's manifest. */
  String MANIFEST = StoreLayout.MANIFEST;

  /** Name of the object with the pointer to the version in service. */
  String POINTER = StoreLayout.POINTER;

  /** Name of the object with the pin. */
  String PIN = StoreLayout.PIN;

  /** Name of the object with the aliases. */
  String ALIASES = StoreLayout.ALIASES;

  /** Largest number of bytes of a manifest, pointer or list; a larger object is damaged. */
  long LARGEST_TEXT_BYTES = StoreLayout.LARGEST_TEXT_BYTES;

  /** Returns the name of a version's folder, for example {@code v0000000007}. */
  static String versionName(long version) {
    return StoreLayout.version(version);
  }

  /**
   * Returns whether a version can have a file of this name: a name that could lead out of its
   * folder is not allowed.
   */
  static boolean isFileName(String name) {
    return StoreLayout.isName(name);
  }

  /** Returns the folder or URL that contains all models, for messages. */
  String address();

  /** Returns the folder or URL of an application partition, for messages. */
  default String address(ApplicationPartition of) {
    return address() + "/" + of;
  }

  /** Returns the folder or URL of a version, for messages. */
  default String address(ApplicationPartition of, long version) {
    return address(of) + "/" + versionName(version);
  }

  /** Returns the applications with published versions, and the partitions of each, ascending. */
  SortedMap<String, List<Integer>> applications() throws IOException;

  /**
   * Returns the stored versions of an application partition, ascending; an empty list if nothing
   * was published.
   */
  List<Long> versions(ApplicationPartition of) throws IOException;

  /**
   * Returns the present pointer of the publisher with the highest epoch; empty if there is none.
   *
   * @throws CorruptModelException if the file is too large for a pointer
   */
  Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException;

  /**
   * The bytes of a pointer, a pin or aliases, as they were read and not yet checked.
   *
   * @param address its file or URL, for messages
   */
  record StoredPointer(String address, byte[] content) {}

  /**
   * Returns the present pin of an application partition; empty if there is none.
   *
   * @throws CorruptModelException if the file is too large for a pin
   */
  Optional<StoredPointer> pin(ApplicationPartition of) throws IOException;

  /**
   * Returns the present aliases of an application partition; empty if there are none.
   *
   * @throws CorruptModelException if the file is too large for a file of aliases
   */
  Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException;

  /**
   * Returns the bytes of a version's manifest.
   *
   * @param digest SHA-256 that the manifest is expected to have, null if it is not known. If the
   *     source still has bytes with this SHA-256 from an earlier read, it may return them
   * @throws java.nio.file.NoSuchFileException if there is no such version, or no manifest
   * @throws CorruptModelException if the file is too large for a manifest
   */
  byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException;

  /**
   * Returns the length in bytes of each file in the folder of a version, by name; empty if there is
   * no such folder.
   */
  SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException;

  /**
   * Opens a file of a version for reading.
   *
   * @param file the file, as the manifest of the version names it. If the source still has bytes of
   *     this length and digest from an earlier read, it may return them
   * @param from the first byte to be read, from 0
   * @throws java.nio.file.NoSuchFileException if the file does not exist. Reading the stream throws
   *     it too if the version was deleted meanwhile and the file cannot be read to its end
   */
  InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException;

  /**
   * Opens a file of which only a part is wanted: like {@link #open}, but a source that keeps copies
   * of the files that it reads makes no copy of this one.
   *
   * @param from the first byte to be read, from 0
   */
  default InputStream openPart(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    return open(of, version, file, from);
  }
}
