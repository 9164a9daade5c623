package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.store.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.store.ModelManifest.ModelFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Published model versions in a folder:
 *
 * <pre>
 * ROOT/APPLICATION/PARTITION/v0000000007/                      the model's files, manifest.json
 * ROOT/APPLICATION/PARTITION/publisher-0000000003/holder.json  who may publish
 * ROOT/APPLICATION/PARTITION/publisher-0000000003/current.json the pointer
 * </pre>
 *
 * <p>A version is written under another name, synced and renamed; then the pointer is replaced
 * atomically. So a reader sees the old or the new version, whole, at any moment and after any
 * crash.
 *
 * <p>One {@link ModelPublisher} for each application partition writes, any number of readers in any
 * process read. The pointer belongs to the publisher: readers go by the one of the highest epoch,
 * so whatever an older publisher still does to its own cannot be seen. Instances hold no state and
 * may be shared between threads.
 */
public final class ModelStore {
  private static final int LOOKS = 10;

  private final Path root;
  private final InstantSource clock;
  private final PublisherIdentity identity;
  private final FileOperations files;

  /** A store for reading, or for publishing in the name of this process. */
  public ModelStore(Path root, InstantSource clock) {
    this(root, clock, PublisherIdentity.ofThisProcess());
  }

  /**
   * @param identity in whose name {@link #claim} takes publishers' places
   */
  public ModelStore(Path root, InstantSource clock, PublisherIdentity identity) {
    this(root, clock, identity, FileOperations.system());
  }

  ModelStore(Path root, InstantSource clock, PublisherIdentity identity, FileOperations files) {
    this.root = root;
    this.clock = clock;
    this.identity = identity;
    this.files = files;
  }

  public Path root() {
    return root;
  }

  /**
   * Becomes the one publisher of an application partition; the one before is fenced from now on. A
   * pointer that is damaged, missing or names a damaged version is rebuilt from the newest version
   * that is whole; an intact one stays as it is.
   *
   * @throws IOException if the medium fails; the publisher before stays the one, or is fenced too
   */
  public ModelPublisher claim(String application, int partition) throws IOException {
    ModelPublisher publisher =
        new ModelPublisher(this, application, partition, identity, clock, files);
    publisher.claim();
    return publisher;
  }

  /**
   * The version the pointer names, with its manifest checked against the pointer's digest; empty if
   * nothing was published yet. If the version was deleted while it was looked up, because newer
   * ones were published, the newer one is returned.
   *
   * @throws CorruptModelException if pointer or manifest are damaged, missing or do not agree; a
   *     damaged pointer is rebuilt when a publisher starts, and replaced by its next publication
   */
  public Optional<ModelCheckpoint> current(String application, int partition) throws IOException {
    Pointed seen = look(application, partition);
    for (int i = 1; ; i++) {
      try {
        return resolve(application, partition, seen);
      } catch (CorruptModelException damaged) {
        Pointed again = look(application, partition);
        if (i == LOOKS || again.sameAs(seen)) {
          throw damaged;
        }
        seen = again;
      }
    }
  }

  /**
   * What is to be served.
   *
   * @param pin why it is not the version the pointer names; null if it is
   */
  public record Serving(ModelCheckpoint checkpoint, @Nullable Pin pin) {}

  /**
   * The version that is to be served: the pinned one, if there is a pin that holds, else the
   * {@linkplain #current current} one. Empty if nothing was published yet.
   *
   * @throws CorruptModelException as {@link #current} does, or if the pin or its version is damaged
   *     or missing
   */
  public Optional<Serving> serving(String application, int partition) throws IOException {
    Optional<ModelCheckpoint> current = current(application, partition);
    if (current.isEmpty()) {
      return Optional.empty();
    }
    Optional<Pin> pin = pin(application, partition);
    if (pin.isEmpty() || !pin.get().holds(current.get().manifest().version())) {
      return Optional.of(new Serving(current.get(), null));
    }
    Pin holds = pin.get();
    ModelCheckpoint pinned = read(application, partition, holds.version());
    if (!pinned.digest().equals(holds.digest())) {
      throw new CorruptModelException(
          "version %d is pinned with digest %s, and has %s; pin it again, or unpin it"
              .formatted(holds.version(), holds.digest(), pinned.digest()));
    }
    return Optional.of(new Serving(pinned, holds));
  }

  /**
   * The pin of an application partition, whether it holds or not.
   *
   * @throws CorruptModelException if it is damaged
   */
  public Optional<Pin> pin(String application, int partition) throws IOException {
    return new PinFile(folder(application, partition), files).read();
  }

  /**
   * A pointer as it was found.
   *
   * @param file null if nobody has ever published
   * @param content null if there is no such file
   */
  private record Pointed(@Nullable Path file, byte @Nullable [] content) {
    boolean sameAs(Pointed other) {
      return java.util.Objects.equals(file, other.file) && Arrays.equals(content, other.content);
    }
  }

  private Pointed look(String application, int partition) throws IOException {
    Path folder = folder(application, partition);
    List<Long> epochs = StoreLayout.epochs(folder);
    if (epochs.isEmpty()) {
      return new Pointed(null, null);
    }
    Path file = pointer(folder, epochs.get(epochs.size() - 1));
    try {
      return new Pointed(file, StoreLayout.text(file));
    } catch (NoSuchFileException missing) {
      return new Pointed(file, null);
    }
  }

  static Path pointer(Path folder, long epoch) {
    return folder.resolve(StoreLayout.publisher(epoch)).resolve(StoreLayout.POINTER);
  }

  private Optional<ModelCheckpoint> resolve(String application, int partition, Pointed seen)
      throws IOException {
    Path file = seen.file();
    if (file == null) {
      Path folder = folder(application, partition);
      if (!StoreLayout.versions(folder).isEmpty()) {
        throw new CorruptModelException(
            folder
                + " has versions, but no publisher's folder with a pointer to one of them; it is"
                + " rebuilt when the application is started again");
      }
      return Optional.empty();
    }
    byte[] content = seen.content();
    if (content == null) {
      throw new CorruptModelException(
          file + " is missing; it is rebuilt when the application is started again");
    }
    Pointer pointer = ManifestCodec.pointer(content, file);
    return pointer.version() == 0
        ? Optional.empty()
        : Optional.of(pointed(application, partition, pointer, file));
  }

  ModelCheckpoint pointed(String application, int partition, Pointer pointer, Path file)
      throws IOException {
    ModelCheckpoint checkpoint = read(application, partition, pointer.version());
    if (!checkpoint.digest().equals(pointer.digest())) {
      throw new CorruptModelException(
          "%s names digest %s of version %d, whose manifest has %s"
              .formatted(file, pointer.digest(), pointer.version(), checkpoint.digest()));
    }
    return checkpoint;
  }

  /** Reads a version's manifest. */
  public ModelCheckpoint read(String application, int partition, long version) throws IOException {
    Path directory = folder(application, partition).resolve(StoreLayout.version(version));
    Path file = directory.resolve(StoreLayout.MANIFEST);
    byte[] content;
    try {
      content = StoreLayout.text(file);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException("version " + version + " is not there: no " + file);
    }
    ModelManifest manifest = ManifestCodec.manifest(content, file);
    if (manifest.version() != version
        || !manifest.application().equals(application)
        || manifest.partition() != partition) {
      throw new CorruptModelException(
          "%s is the manifest of %s/%d version %d"
              .formatted(file, manifest.application(), manifest.partition(), manifest.version()));
    }
    return new ModelCheckpoint(directory, manifest, Digests.sha256(content));
  }

  /**
   * Reads and verifies every file of a version but {@link ModelManifest#ROWS_FILE}, of which only
   * the length is compared: that one may be larger than memory, and is verified while it is read,
   * see {@link #open}. Nothing is read that has another length than the manifest says.
   *
   * @throws CorruptModelException naming the first file that is missing, too many, of the wrong
   *     length or of the wrong content
   * @throws IOException also if a file has 2 GiB or more
   */
  public SortedMap<String, byte[]> load(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, byte[]> contents = new TreeMap<>();
    Set<String> expected = new HashSet<>(Set.of(StoreLayout.MANIFEST));
    for (ModelFile file : checkpoint.manifest().files()) {
      Path path = checkpoint.file(file.name());
      if (file.name().equals(ModelManifest.ROWS_FILE)) {
        checkRows(checkpoint);
        expected.add(file.name());
        continue;
      }
      byte[] content;
      try {
        checkLength(path, Files.size(path), file);
        StoreLayout.checkLoadable(path, file.bytes());
        content = Files.readAllBytes(path);
        checkLength(path, content.length, file);
      } catch (NoSuchFileException missing) {
        throw new CorruptModelException(path + " is missing");
      }
      if (!Digests.sha256(content).equals(file.sha256())) {
        throw new CorruptModelException(path + " does not have the SHA-256 of its manifest");
      }
      expected.add(file.name());
      contents.put(file.name(), content);
    }
    for (Path found : StoreLayout.entries(checkpoint.directory())) {
      if (!expected.contains(StoreLayout.fileName(found))) {
        throw new CorruptModelException(found + " is not in its manifest");
      }
    }
    return contents;
  }

  /** Compares the length of the rows with the manifest. */
  private static void checkRows(ModelCheckpoint checkpoint) throws IOException {
    Path path = checkpoint.file(ModelManifest.ROWS_FILE);
    try {
      checkLength(path, Files.size(path), rows(checkpoint));
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(path + " is missing");
    }
  }

  private static ModelFile rows(ModelCheckpoint checkpoint) throws CorruptModelException {
    return checkpoint
        .manifest()
        .file(ModelManifest.ROWS_FILE)
        .orElseThrow(
            () ->
                new CorruptModelException(
                    "%s has no %s".formatted(checkpoint.directory(), ModelManifest.ROWS_FILE)));
  }

  /**
   * The versions whose rows together are those of a version: the last one before it with all rows,
   * then each that changed them, the version itself last. Manifests, their digests and the lengths
   * of the files are checked; contents are verified by {@link #open}.
   *
   * @return oldest first; empty if the version has no rows
   * @throws CorruptModelException naming the first version that is missing, damaged or another one
   *     than its successor was made from
   */
  public List<ModelCheckpoint> chain(ModelCheckpoint checkpoint) throws IOException {
    if (!checkpoint.manifest().hasRows()) {
      return List.of();
    }
    ArrayDeque<ModelCheckpoint> chain = new ArrayDeque<>();
    ModelCheckpoint link = checkpoint;
    try {
      while (true) {
        checkRows(link);
        chain.addFirst(link);
        String kind = String.valueOf(link.manifest().attributes().get(ModelManifest.ROWS));
        if (kind.equals(ModelManifest.FULL_ROWS)) {
          return List.copyOf(chain);
        }
        if (!kind.equals(ModelManifest.ROW_CHANGES)) {
          throw new CorruptModelException(
              "%s has rows of the unknown kind '%s'".formatted(link.directory(), kind));
        }
        link = parent(link.manifest());
      }
    } catch (CorruptModelException broken) {
      if (chain.isEmpty()) {
        throw broken;
      }
      throw new CorruptModelException(
          "version %d needs the rows of versions before it, and: %s"
              .formatted(checkpoint.manifest().version(), broken.getMessage()));
    }
  }

  /** The version whose rows another one changes. */
  private ModelCheckpoint parent(ModelManifest child) throws IOException {
    if (child.parentVersion() < 1 || child.parentVersion() >= child.version()) {
      throw new CorruptModelException(
          "version %d cannot change the rows of version %d"
              .formatted(child.version(), child.parentVersion()));
    }
    return parent(
        child.application(), child.partition(), child.parentVersion(), child.parentDigest());
  }

  /**
   * A version that another one was made from.
   *
   * @throws CorruptModelException if it is not there, is another one, or has no rows
   */
  ModelCheckpoint parent(String application, int partition, long version, String digest)
      throws IOException {
    ModelCheckpoint parent = read(application, partition, version);
    if (!parent.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected"
              .formatted(parent.directory(), parent.digest(), digest));
    }
    if (!parent.manifest().hasRows()) {
      throw new CorruptModelException(parent.directory() + " has no rows");
    }
    return parent;
  }

  /**
   * Opens the rows of a version. Whoever reads to the end has read what was published: the last
   * read fails if length or SHA-256 are not those of the manifest.
   *
   * @throws CorruptModelException if the file is missing; reading throws it too
   */
  public InputStream open(ModelCheckpoint checkpoint) throws IOException {
    Path path = checkpoint.file(ModelManifest.ROWS_FILE);
    ModelFile expected = rows(checkpoint);
    try {
      return new VerifiedStream(Files.newInputStream(path), path, expected);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(path + " is missing");
    }
  }

  /**
   * Verifies everything of a version: its files, and the rows of the versions that it needs.
   *
   * @throws CorruptModelException naming the first file that is damaged
   */
  public void verify(ModelCheckpoint checkpoint) throws IOException {
    load(checkpoint);
    for (ModelCheckpoint link : chain(checkpoint)) {
      verifyRows(link);
    }
  }

  void verifyRows(ModelCheckpoint link) throws IOException {
    try (InputStream in = open(link)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
  }

  /**
   * A manifest as it lies beside the files of a version.
   *
   * @return JSON in UTF-8
   */
  public static byte[] encoded(ModelManifest manifest) {
    return ManifestCodec.encode(manifest);
  }

  private static void checkLength(Path path, long bytes, ModelFile file)
      throws CorruptModelException {
    if (bytes != file.bytes()) {
      throw new CorruptModelException(
          "%s has %d bytes, its manifest says %d".formatted(path, bytes, file.bytes()));
    }
  }

  /** Versions on disk whose manifest can be read, ascending. */
  public List<ModelCheckpoint> list(String application, int partition) throws IOException {
    List<ModelCheckpoint> found = new ArrayList<>();
    for (long version : StoreLayout.versions(folder(application, partition))) {
      readable(application, partition, version).ifPresent(found::add);
    }
    return found;
  }

  private Optional<ModelCheckpoint> readable(String application, int partition, long version)
      throws IOException {
    try {
      return Optional.of(read(application, partition, version));
    } catch (CorruptModelException damaged) {
      // problems() tells of it; here the whole versions are asked for.
      return Optional.empty();
    }
  }

  /** What is wrong with pointer and versions on disk, one sentence each; empty if all is well. */
  public List<String> problems(String application, int partition) throws IOException {
    List<String> problems = new ArrayList<>();
    for (long version : StoreLayout.versions(folder(application, partition))) {
      try {
        ModelCheckpoint checkpoint = read(application, partition, version);
        load(checkpoint);
        // The rows of the others in the chain are verified with their own versions.
        if (!chain(checkpoint).isEmpty()) {
          verifyRows(checkpoint);
        }
      } catch (CorruptModelException damaged) {
        problems.add(String.valueOf(damaged.getMessage()));
      }
    }
    try {
      current(application, partition);
    } catch (CorruptModelException damaged) {
      String problem = String.valueOf(damaged.getMessage());
      if (!problems.contains(problem)) {
        problems.add(problem);
      }
    }
    return problems;
  }

  /** Applications with published versions, with their partitions. */
  public SortedMap<String, List<Integer>> applications() throws IOException {
    SortedMap<String, List<Integer>> found = new TreeMap<>();
    for (Path application : StoreLayout.entries(root)) {
      for (Path partition : StoreLayout.entries(application)) {
        String number = StoreLayout.fileName(partition);
        if (number.matches("\\d{1,9}") && StoreLayout.isName(StoreLayout.fileName(application))) {
          found
              .computeIfAbsent(StoreLayout.fileName(application), key -> new ArrayList<>())
              .add(Integer.parseInt(number));
        }
      }
    }
    found.values().forEach(partitions -> partitions.sort(null));
    return found;
  }

  Path folder(String application, int partition) {
    return root.resolve(StoreLayout.checked(application)).resolve(Integer.toString(partition));
  }
}
