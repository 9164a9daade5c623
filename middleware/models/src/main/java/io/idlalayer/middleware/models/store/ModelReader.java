package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads published models from any source and verifies them: compares lengths and SHA-256 before it
 * returns anything. It verifies embedding rows only while the caller reads them. Holds no state of
 * its own and may be shared between threads.
 */
public sealed class ModelReader permits ModelStore {
  /** Number of reads of a small file that changes while the version that it names is read. */
  private static final int LOOKS = 10;

  private final ModelSource source;
  private final VersionManifests manifests;
  private final VersionFiles files;

  /**
   * @param source the models; the reader does not close it
   */
  public ModelReader(ModelSource source) {
    this.source = source;
    manifests = new VersionManifests(source);
    files = new VersionFiles(source, HeapShare.ofThisProcess());
  }

  VersionManifests manifests() {
    return manifests;
  }

  VersionFiles files() {
    return files;
  }

  /** Returns the place of the models: a folder or URL, for messages. */
  public String address() {
    return source.address();
  }

  /**
   * Returns the version that the pointer names; its manifest was compared with the digest in the
   * pointer. Empty if nothing was published yet. If a publisher has published newer versions and
   * deletes this version during the call, returns the newest version.
   *
   * @throws CorruptModelException if pointer or manifest are damaged, missing or do not agree. A
   *     publisher rebuilds a damaged pointer when it starts, and replaces it with each publication
   */
  public Optional<ModelCheckpoint> current(String application, int partition) throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    return resolved(() -> source.pointer(of), seen -> pointed(of, seen));
  }

  /** Reads a small file that names versions: the pointer, the pin or the aliases. */
  @FunctionalInterface
  private interface Look {
    Optional<StoredPointer> found() throws IOException;
  }

  /** Reads the version that a small file names. */
  @FunctionalInterface
  private interface Resolution<T> {
    T of(Optional<StoredPointer> seen) throws IOException;
  }

  /**
   * Reads a small file and then the version that it names. If the version cannot be read, and the
   * file names another version by then, reads the other version: a version can be deleted as soon
   * as no file names it.
   */
  private static <T> T resolved(Look look, Resolution<T> resolution) throws IOException {
    Optional<StoredPointer> seen = look.found();
    for (int i = 1; ; i++) {
      try {
        return resolution.of(seen);
      } catch (CorruptModelException damaged) {
        Optional<StoredPointer> again = look.found();
        if (i == LOOKS || same(seen, again)) {
          throw damaged;
        }
        seen = again;
      }
    }
  }

  private static boolean same(Optional<StoredPointer> one, Optional<StoredPointer> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() && other.isEmpty();
    }
    return one.get().address().equals(other.get().address())
        && Arrays.equals(one.get().content(), other.get().content());
  }

  private Optional<ModelCheckpoint> pointed(ApplicationPartition of, Optional<StoredPointer> seen)
      throws IOException {
    if (seen.isEmpty()) {
      if (!source.versions(of).isEmpty()) {
        throw new CorruptModelException(
            ("%s has versions, but no pointer to one of them: %s of its publisher is missing; it is"
                    + " rebuilt when the application is started again")
                .formatted(source.address(of), ModelSource.POINTER));
      }
      return Optional.empty();
    }
    StoredPointer found = seen.get();
    Pointer pointer = ManifestCodec.pointer(found.content(), found.address());
    return pointer.version() == 0
        ? Optional.empty()
        : Optional.of(manifests.pointed(of, pointer, found.address()));
  }

  /**
   * The version that should be served, and the pin that names it, if a pin does.
   *
   * @param pin the pin that names the version; null if the pointer names it
   */
  public record Serving(ModelCheckpoint checkpoint, @Nullable Pin pin) {}

  /**
   * Returns the version that should be served: the pinned one, if there is a pin that holds,
   * otherwise the {@linkplain #current current} one. Empty if nothing was published yet. If the
   * current version is damaged, a pinned version is still returned.
   *
   * @throws CorruptModelException if the pin or its version is damaged or missing; also where
   *     {@link #current} throws it, unless a pin is known to hold
   */
  public Optional<Serving> serving(String application, int partition) throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    Optional<ModelCheckpoint> current;
    try {
      current = current(application, partition);
    } catch (CorruptModelException damaged) {
      return Optional.of(inPlaceOf(of, damaged));
    }
    if (current.isEmpty()) {
      return Optional.empty();
    }
    Optional<Pin> pin = pin(application, partition);
    if (pin.isEmpty() || !pin.get().holds(current.get().manifest().version())) {
      return Optional.of(new Serving(current.get(), null));
    }
    Pin holds = pin.get();
    return Optional.of(new Serving(manifests.pinned(of, holds), holds));
  }

  /**
   * Returns the pinned version in place of a damaged current one.
   *
   * @throws CorruptModelException the given exception, unless a pin is known to hold
   */
  private Serving inPlaceOf(ApplicationPartition of, CorruptModelException damaged)
      throws IOException {
    Optional<Pin> pin = pin(of.application(), of.partition());
    if (pin.isEmpty()) {
      throw damaged;
    }
    Pin holds = pin.get();
    if (holds.until() > 0) {
      Optional<StoredPointer> pointer = source.pointer(of);
      if (pointer.isEmpty() || !holds.holds(version(pointer.get(), damaged))) {
        throw damaged;
      }
    }
    return new Serving(manifests.pinned(of, holds), holds);
  }

  /**
   * Returns the version that a pointer names; throws the given exception if the pointer cannot be
   * read.
   */
  private static long version(StoredPointer pointer, CorruptModelException damaged)
      throws CorruptModelException {
    try {
      return ManifestCodec.pointer(pointer.content(), pointer.address()).version();
    } catch (CorruptModelException unreadable) {
      damaged.addSuppressed(unreadable);
      throw damaged;
    }
  }

  /**
   * Returns the pin of an application partition, whether it holds or not; empty if there is none.
   *
   * @throws CorruptModelException if it is damaged
   */
  public Optional<Pin> pin(String application, int partition) throws IOException {
    try {
      Optional<StoredPointer> found = source.pin(new ApplicationPartition(application, partition));
      return found.isEmpty()
          ? Optional.empty()
          : Optional.of(ManifestCodec.pin(found.get().content(), found.get().address()));
    } catch (CorruptModelException damaged) {
      throw new CorruptModelException(
          damaged.getMessage() + "; pin a version again, or unpin (`idla models unpin`)");
    }
  }

  /**
   * Returns the aliases of an application partition: versions by name.
   *
   * @throws CorruptModelException if the file of the aliases is damaged
   */
  public SortedMap<String, Alias> aliases(String application, int partition) throws IOException {
    return aliases(source.aliases(new ApplicationPartition(application, partition)));
  }

  private static SortedMap<String, Alias> aliases(Optional<StoredPointer> found)
      throws CorruptModelException {
    return found.isEmpty()
        ? new TreeMap<>()
        : ManifestCodec.aliases(found.get().content(), found.get().address());
  }

  /**
   * Returns the version that has an alias, the current version or another; its manifest was
   * compared with the digest in the alias. If another version gets the alias during the call and
   * the first version is deleted, returns the other version.
   *
   * @throws UnknownAliasException if no version has the name
   * @throws CorruptModelException if the file of the aliases, or the version, is damaged or missing
   */
  public ModelCheckpoint aliased(String application, int partition, String name)
      throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    return resolved(() -> source.aliases(of), seen -> aliased(of, name, aliases(seen)));
  }

  private ModelCheckpoint aliased(
      ApplicationPartition of, String name, SortedMap<String, Alias> aliases) throws IOException {
    Alias alias = aliases.get(name);
    if (alias == null) {
      throw new UnknownAliasException(of, name, aliases.keySet());
    }
    return manifests.aliased(of, name, alias);
  }

  /**
   * Reads the manifest of a version and returns the version.
   *
   * @throws CorruptModelException if it is missing or damaged
   */
  public ModelCheckpoint read(String application, int partition, long version) throws IOException {
    return manifests.read(new ApplicationPartition(application, partition), version, null);
  }

  /**
   * Returns the manifest of a version, byte for byte as it was published.
   *
   * @return JSON in UTF-8
   * @throws CorruptModelException if the manifest has changed since the version was read
   */
  public byte[] manifest(ModelCheckpoint checkpoint) throws IOException {
    return manifests.bytes(checkpoint);
  }

  /**
   * Reads and verifies every file of a version except {@link ModelManifest#ROWS_FILE}. For that
   * file this method compares only the length, since the file can be larger than memory; {@link
   * #open} verifies it while it is read. All lengths are compared before the first byte is read.
   *
   * @return contents by name
   * @throws CorruptModelException naming the first file that is missing, has the wrong length or
   *     content, or is not in the manifest; also if the files together are more than {@link
   *     HeapShare#filesBytes}
   * @throws IOException also if a file has 2 GiB or more
   */
  public SortedMap<String, byte[]> load(ModelCheckpoint checkpoint) throws IOException {
    return files.load(checkpoint);
  }

  /**
   * Returns the versions whose embedding rows together make up the rows of a version: first its
   * last ancestor with all rows, or itself, then each version with changes, up to the version
   * itself. Verifies manifests and the lengths of the files with rows; {@link #open} verifies the
   * contents of these files.
   *
   * @return oldest first; empty if the version has no rows
   * @throws CorruptModelException naming the first version that is missing, is damaged or is not
   *     the parent of the next one
   */
  public List<ModelCheckpoint> chain(ModelCheckpoint checkpoint) throws IOException {
    if (!checkpoint.manifest().hasRows()) {
      return List.of();
    }
    ArrayDeque<ModelCheckpoint> chain = new ArrayDeque<>();
    ModelCheckpoint link = checkpoint;
    try {
      while (true) {
        files.checkRowsLength(link);
        chain.addFirst(link);
        String kind = String.valueOf(link.manifest().attributes().get(ModelManifest.ROWS));
        if (kind.equals(ModelManifest.FULL_ROWS)) {
          return List.copyOf(chain);
        }
        if (!kind.equals(ModelManifest.ROW_CHANGES)) {
          throw new CorruptModelException(
              "%s has rows of the unknown kind '%s'".formatted(link.location(), kind));
        }
        link = changedBy(link);
      }
    } catch (CorruptModelException broken) {
      if (chain.isEmpty()) {
        throw broken;
      }
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "version %d needs the rows of versions before it, but %s",
              checkpoint.manifest().version(),
              broken.getMessage()));
    }
  }

  /**
   * Returns the parent of a version: the one from which it was trained. It is empty for a first
   * model. The files of the version itself can be damaged.
   *
   * @throws CorruptModelException if the parent is missing, because it was deleted as an old
   *     version, or if its manifest is damaged
   */
  public Optional<ModelCheckpoint> trainedFrom(ModelCheckpoint checkpoint) throws IOException {
    ModelManifest manifest = checkpoint.manifest();
    if (manifest.parentVersion() < 1 || manifest.parentVersion() >= manifest.version()) {
      return Optional.empty();
    }
    return Optional.of(
        manifests.parent(
            checkpoint.applicationPartition(), manifest.parentVersion(), manifest.parentDigest()));
  }

  /** Returns the version whose embedding rows a version changes. */
  private ModelCheckpoint changedBy(ModelCheckpoint link) throws IOException {
    ModelManifest child = link.manifest();
    if (child.parentVersion() < 1 || child.parentVersion() >= child.version()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "version %d cannot change the rows of version %d",
              child.version(),
              child.parentVersion()));
    }
    return parent(link.applicationPartition(), child.parentVersion(), child.parentDigest());
  }

  /**
   * Returns the parent of a version that holds changes of the parent's embedding rows.
   *
   * @throws CorruptModelException if it is missing, has another digest, or has no rows
   */
  ModelCheckpoint parent(ApplicationPartition of, long version, String digest) throws IOException {
    ModelCheckpoint parent = manifests.parent(of, version, digest);
    if (!parent.manifest().hasRows()) {
      throw new CorruptModelException(parent.location() + " has no rows");
    }
    return parent;
  }

  /**
   * Opens the file of embedding rows of a version. The stream verifies the file at its end: the
   * read that reaches the end fails if length or SHA-256 differ from the manifest.
   *
   * @throws CorruptModelException if the file is missing; reading throws it too
   */
  public InputStream open(ModelCheckpoint checkpoint) throws IOException {
    return files.openRows(checkpoint);
  }

  /**
   * Verifies a version completely: its files, and the embedding rows of the versions that it needs.
   *
   * @throws CorruptModelException naming the first file that is damaged
   */
  public void verify(ModelCheckpoint checkpoint) throws IOException {
    files.verify(checkpoint);
    for (ModelCheckpoint link : chain(checkpoint)) {
      files.verifyRows(link);
    }
  }

  /**
   * Encodes a manifest as a publisher stores it beside the files of a version.
   *
   * @return JSON in UTF-8
   */
  public static byte[] encoded(ModelManifest manifest) {
    return ManifestCodec.encode(manifest);
  }

  /**
   * Decodes a manifest.
   *
   * @param where its file or URL, for the message
   * @throws CorruptModelException if the bytes are not a complete manifest
   */
  public static ModelManifest decoded(byte[] manifest, Object where) throws CorruptModelException {
    return ManifestCodec.manifest(manifest, where);
  }

  /** Returns the versions with a readable manifest, ascending. */
  public List<ModelCheckpoint> list(String application, int partition) throws IOException {
    List<ModelCheckpoint> found = new ArrayList<>();
    for (long version : source.versions(new ApplicationPartition(application, partition))) {
      readable(application, partition, version).ifPresent(found::add);
    }
    return found;
  }

  private Optional<ModelCheckpoint> readable(String application, int partition, long version)
      throws IOException {
    try {
      return Optional.of(read(application, partition, version));
    } catch (CorruptModelException damaged) {
      // problems() reports it; this lists versions that can be used.
      return Optional.empty();
    }
  }

  /** How thoroughly {@link #problems} looks for damage. */
  public enum Scrutiny {
    /**
     * Compares pointer, manifests, parents, and names and lengths of files, but no contents of
     * model files.
     */
    LENGTHS,
    /** Reads and compares the contents of all files, too. */
    CONTENTS
  }

  /**
   * Returns a sentence for each damaged object, with the contents of all files checked; empty if
   * nothing is damaged.
   */
  public List<String> problems(String application, int partition) throws IOException {
    return problems(application, partition, Scrutiny.CONTENTS);
  }

  /**
   * Returns a sentence for each problem that {@link #damage} finds; empty if nothing is damaged.
   */
  public List<String> problems(String application, int partition, Scrutiny scrutiny)
      throws IOException {
    Damage damage = damage(application, partition, scrutiny);
    List<String> problems = new ArrayList<>(damage.versions().values());
    problems.addAll(damage.others());
    return problems;
  }

  /**
   * The damage found in an application partition, as sentences.
   *
   * @param versions damage of versions, by number
   * @param others damage of pointer, pin and aliases, unless {@code versions} contains it
   */
  public record Damage(SortedMap<Long, String> versions, List<String> others) {}

  /**
   * Looks for damaged versions, pointer, pin and aliases of an application partition. A version
   * that a publisher deletes during the look does not count as damaged.
   */
  public Damage damage(String application, int partition, Scrutiny scrutiny) throws IOException {
    return new DamageSearch(
            this, source, new ApplicationPartition(application, partition), scrutiny)
        .search();
  }

  /** Returns the applications with published versions, and the partitions of each. */
  public SortedMap<String, List<Integer>> applications() throws IOException {
    return source.applications();
  }
}
