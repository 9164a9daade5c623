package io.idlalayer.middleware.checkpoint;

import io.idlalayer.middleware.checkpoint.ManifestCodec.Pointer;
import io.idlalayer.middleware.checkpoint.ModelManifest.ModelFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Published model versions in a folder: {@code <root>/<application>/<partition>/v0000000007/} with
 * the model's files and {@code manifest.json}, and beside the versions {@code current.json}, the
 * pointer.
 *
 * <p>A version is written under another name, synced and renamed; then the pointer is replaced
 * atomically. So a reader sees the old or the new version, whole, at any moment and after any
 * crash. One publisher for each application partition; any number of readers in any process.
 * Instances hold no state and may be shared between threads.
 */
public final class ModelStore {
  static final String MANIFEST = "manifest.json";
  static final String POINTER = "current.json";
  private static final int LOOKS = 10;
  private static final String STAGING = ".staging-";
  private static final String DELETING = ".deleting-";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern VERSION = Pattern.compile("v(\\d{10,18})");

  private final Path root;
  private final InstantSource clock;
  private final FileOperations files;

  public ModelStore(Path root, InstantSource clock) {
    this(root, clock, FileOperations.system());
  }

  ModelStore(Path root, InstantSource clock, FileOperations files) {
    this.root = root;
    this.clock = clock;
    this.files = files;
  }

  public Path root() {
    return root;
  }

  /**
   * Publishes a model and returns it once it is durable and current. Its version is above every
   * version that was ever current or is still on disk. What a crashed publisher left is removed.
   *
   * @throws IOException if the medium fails; the version that was current stays so
   */
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    Path folder = folder(draft.application(), draft.partition());
    Files.createDirectories(folder);
    sweep(folder);
    long version = Math.max(draft.minimumVersion(), newest(folder) + 1);
    Path staging = folder.resolve(STAGING + UUID.randomUUID());
    Path target = folder.resolve(name(version));
    ModelManifest manifest = manifest(draft, version);
    byte[] manifestBytes = ManifestCodec.encode(manifest);
    String digest = Digests.sha256(manifestBytes);
    try {
      Files.createDirectory(staging);
      for (Map.Entry<String, byte[]> file : draft.files().entrySet()) {
        files.write(staging.resolve(checked(file.getKey())), file.getValue());
      }
      files.write(staging.resolve(MANIFEST), manifestBytes);
      files.syncFolder(staging);
      files.move(staging, target);
      files.syncFolder(folder);
      point(folder, new Pointer(ModelManifest.FORMAT_VERSION, version, digest));
    } catch (IOException failed) {
      removeQuietly(staging, failed);
      throw failed;
    }
    return new ModelCheckpoint(target, manifest, digest);
  }

  private void removeQuietly(Path staging, IOException failed) {
    try {
      removeFolder(staging);
    } catch (IOException alsoFailed) {
      failed.addSuppressed(alsoFailed);
    }
  }

  private ModelManifest manifest(ModelDraft draft, long version) {
    List<ModelFile> contents = new ArrayList<>();
    for (Map.Entry<String, byte[]> file : draft.files().entrySet()) {
      byte[] content = file.getValue();
      contents.add(new ModelFile(file.getKey(), content.length, Digests.sha256(content)));
    }
    return new ModelManifest(
        ModelManifest.FORMAT_VERSION,
        draft.application(),
        draft.partition(),
        version,
        draft.parentVersion(),
        draft.parentDigest(),
        clock.millis(),
        draft.inputOffsets(),
        draft.counts(),
        draft.metrics(),
        draft.attributes(),
        contents);
  }

  private void point(Path folder, Pointer pointer) throws IOException {
    Path staged = folder.resolve(STAGING + UUID.randomUUID());
    files.write(staged, ManifestCodec.encode(pointer));
    files.move(staged, folder.resolve(POINTER));
    files.syncFolder(folder);
  }

  /**
   * The version the pointer names, with its manifest checked against the pointer's digest; empty if
   * nothing was published yet. If the version was deleted while it was looked up, because newer
   * ones were published, the newer one is returned.
   *
   * @throws CorruptModelException if pointer or manifest are damaged or do not agree
   */
  public Optional<ModelCheckpoint> current(String application, int partition) throws IOException {
    Path file = folder(application, partition).resolve(POINTER);
    byte[] content = pointerBytes(file);
    for (int i = 1; ; i++) {
      if (content.length == 0 && !Files.exists(file)) {
        return Optional.empty();
      }
      try {
        return Optional.of(pointed(application, partition, content, file));
      } catch (CorruptModelException damaged) {
        byte[] again = pointerBytes(file);
        if (i == LOOKS || Arrays.equals(again, content)) {
          throw damaged;
        }
        content = again;
      }
    }
  }

  private static byte[] pointerBytes(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException none) {
      return new byte[0];
    }
  }

  private ModelCheckpoint pointed(String application, int partition, byte[] content, Path file)
      throws IOException {
    Pointer pointer = ManifestCodec.pointer(content, file);
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
    Path directory = folder(application, partition).resolve(name(version));
    Path file = directory.resolve(MANIFEST);
    byte[] content;
    try {
      content = Files.readAllBytes(file);
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
   * Reads and verifies every file of a version.
   *
   * @throws CorruptModelException naming the first file that is missing, too many, of the wrong
   *     length or of the wrong content
   */
  public SortedMap<String, byte[]> load(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, byte[]> contents = new TreeMap<>();
    Set<String> expected = new HashSet<>(Set.of(MANIFEST));
    for (ModelFile file : checkpoint.manifest().files()) {
      Path path = checkpoint.file(checked(file.name()));
      byte[] content;
      try {
        content = Files.readAllBytes(path);
      } catch (NoSuchFileException missing) {
        throw new CorruptModelException(path + " is missing");
      }
      if (content.length != file.bytes()) {
        throw new CorruptModelException(
            "%s has %d bytes, its manifest says %d".formatted(path, content.length, file.bytes()));
      }
      if (!Digests.sha256(content).equals(file.sha256())) {
        throw new CorruptModelException(path + " does not have the SHA-256 of its manifest");
      }
      expected.add(file.name());
      contents.put(file.name(), content);
    }
    for (Path found : entries(checkpoint.directory())) {
      if (!expected.contains(fileName(found))) {
        throw new CorruptModelException(found + " is not in its manifest");
      }
    }
    return contents;
  }

  /** Versions on disk whose manifest can be read, ascending. */
  public List<ModelCheckpoint> list(String application, int partition) throws IOException {
    List<ModelCheckpoint> found = new ArrayList<>();
    for (long version : versions(folder(application, partition))) {
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

  /** What is wrong with versions on disk, one sentence each; empty if all is well. */
  public List<String> problems(String application, int partition) throws IOException {
    List<String> problems = new ArrayList<>();
    for (long version : versions(folder(application, partition))) {
      try {
        load(read(application, partition, version));
      } catch (CorruptModelException damaged) {
        problems.add(String.valueOf(damaged.getMessage()));
      }
    }
    return problems;
  }

  /** Applications with published versions, with their partitions. */
  public SortedMap<String, List<Integer>> applications() throws IOException {
    SortedMap<String, List<Integer>> found = new TreeMap<>();
    for (Path application : entries(root)) {
      for (Path partition : entries(application)) {
        String number = fileName(partition);
        if (number.matches("\\d{1,9}") && NAME.matcher(fileName(application)).matches()) {
          found
              .computeIfAbsent(fileName(application), key -> new ArrayList<>())
              .add(Integer.parseInt(number));
        }
      }
    }
    found.values().forEach(partitions -> partitions.sort(null));
    return found;
  }

  /**
   * Deletes old versions: the newest ones, the one the pointer names and the pinned ones stay. A
   * version first gets another name, so that no reader finds half of it.
   *
   * @param keep how many of the newest stay, at least 1
   */
  public void retain(String application, int partition, int keep, Set<Long> pinned)
      throws IOException {
    Path folder = folder(application, partition);
    List<Long> versions = versions(folder);
    long pointed = current(application, partition).map(it -> it.manifest().version()).orElse(-1L);
    for (int i = 0; i < versions.size() - keep; i++) {
      long version = versions.get(i);
      if (version != pointed && !pinned.contains(version)) {
        Path doomed = folder.resolve(DELETING + UUID.randomUUID());
        files.move(folder.resolve(name(version)), doomed);
        removeFolder(doomed);
      }
    }
  }

  /** Removes what a crashed publisher left half done. */
  private void sweep(Path folder) throws IOException {
    for (Path entry : entries(folder)) {
      String name = fileName(entry);
      if (name.startsWith(STAGING) || name.startsWith(DELETING)) {
        removeFolder(entry);
      }
    }
  }

  private void removeFolder(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      for (Path file : entries(folder)) {
        files.delete(file);
      }
    }
    files.delete(folder);
  }

  /** The newest version that is on disk or was ever current; 0 for none. */
  private static long newest(Path folder) throws IOException {
    List<Long> versions = versions(folder);
    long newest = versions.isEmpty() ? 0 : versions.get(versions.size() - 1);
    Path pointer = folder.resolve(POINTER);
    if (Files.exists(pointer)) {
      newest =
          Math.max(newest, ManifestCodec.pointer(Files.readAllBytes(pointer), pointer).version());
    }
    return newest;
  }

  private static List<Long> versions(Path folder) throws IOException {
    List<Long> versions = new ArrayList<>();
    for (Path entry : entries(folder)) {
      var matcher = VERSION.matcher(fileName(entry));
      if (matcher.matches()) {
        versions.add(Long.parseLong(matcher.group(1)));
      }
    }
    versions.sort(null);
    return versions;
  }

  private static List<Path> entries(Path folder) throws IOException {
    List<Path> entries = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        stream.forEach(entries::add);
      }
    }
    return entries;
  }

  private static String fileName(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  private static String name(long version) {
    return "v%010d".formatted(version);
  }

  private Path folder(String application, int partition) {
    return root.resolve(checked(application)).resolve(Integer.toString(partition));
  }

  /** Refuses names that could leave their folder. */
  private static String checked(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no name for a file here: letters, digits, dot, dash and underscore, at most 100"
              .formatted(name));
    }
    return name;
  }
}
