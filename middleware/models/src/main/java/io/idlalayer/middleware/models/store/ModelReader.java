package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.storage.VerifiedStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads published models, wherever they are, and verifies what it reads: nothing that a source
 * returns is believed before length and SHA-256 were compared. Holds no state of its own and may be
 * shared between threads.
 */
public sealed class ModelReader permits ModelStore {
  private static final int LOOKS = 10;

  /** So much of a file is taken on trust before a byte of it was seen. */
  private static final int FIRST_BYTES = 64 << 20;

  private final ModelSource source;

  /**
   * @param source of the models; whoever made it closes it, if it is to be closed
   */
  public ModelReader(ModelSource source) {
    this.source = source;
  }

  /** Where the models are, for messages. */
  public String address() {
    return source.address();
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
    ApplicationPartition of = new ApplicationPartition(application, partition);
    Optional<StoredPointer> seen = source.pointer(of);
    for (int i = 1; ; i++) {
      try {
        return resolve(of, seen);
      } catch (CorruptModelException damaged) {
        Optional<StoredPointer> again = source.pointer(of);
        if (i == LOOKS || same(seen, again)) {
          throw damaged;
        }
        seen = again;
      }
    }
  }

  /**
   * What is to be served.
   *
   * @param pin why it is not the version that the pointer names; null if it is
   */
  public record Serving(ModelCheckpoint checkpoint, @Nullable Pin pin) {}

  /**
   * The version that is to be served: the pinned one, if there is a pin that holds, else the
   * {@linkplain #current current} one. Empty if nothing was published yet. A pin also helps where
   * the current version is damaged.
   *
   * @throws CorruptModelException as {@link #current} does if no pin is known to hold, or if the
   *     pin or its version is damaged or missing
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
    return Optional.of(new Serving(pinned(of, holds), holds));
  }

  /**
   * The pinned version, where the current one is damaged.
   *
   * @throws CorruptModelException the given one, if no pin holds, or that is not known
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
    return new Serving(pinned(of, holds), holds);
  }

  /** The version that a pointer names. */
  private static long version(StoredPointer pointer, CorruptModelException damaged)
      throws CorruptModelException {
    try {
      return ManifestCodec.pointer(pointer.content(), pointer.address()).version();
    } catch (CorruptModelException unreadable) {
      damaged.addSuppressed(unreadable);
      throw damaged;
    }
  }

  /** The version that a pin names. */
  ModelCheckpoint pinned(ApplicationPartition of, Pin pin) throws IOException {
    ModelCheckpoint pinned = read(of, pin.version(), pin.digest());
    if (!pinned.digest().equals(pin.digest())) {
      throw new CorruptModelException(
          "version %d is pinned with digest %s, and has %s; pin it again, or unpin it"
              .formatted(pin.version(), pin.digest(), pinned.digest()));
    }
    return pinned;
  }

  /**
   * The pin of an application partition, whether it holds or not.
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
   * Names of versions.
   *
   * @throws CorruptModelException if their file is damaged; nothing else needs it
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
   * The version that has a name, whether it is the current one or not, with its manifest checked
   * against the digest that the alias has. If it was deleted while it was looked up, because
   * another version got the name, that one is returned.
   *
   * @throws UnknownAliasException if no version has the name
   * @throws CorruptModelException if the file of the aliases, or the version, is damaged or missing
   */
  public ModelCheckpoint aliased(String application, int partition, String name)
      throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    Optional<StoredPointer> seen = source.aliases(of);
    for (int i = 1; ; i++) {
      try {
        SortedMap<String, Alias> aliases = aliases(seen);
        Alias alias = aliases.get(name);
        if (alias == null) {
          throw new UnknownAliasException(of, name, aliases.keySet());
        }
        return named(of, name, alias);
      } catch (CorruptModelException damaged) {
        Optional<StoredPointer> again = source.aliases(of);
        if (i == LOOKS || same(seen, again)) {
          throw damaged;
        }
        seen = again;
      }
    }
  }

  /** The version that an alias names. */
  ModelCheckpoint named(ApplicationPartition of, String name, Alias alias) throws IOException {
    ModelCheckpoint named = read(of, alias.version(), alias.digest());
    if (!named.digest().equals(alias.digest())) {
      throw new CorruptModelException(
          "version %d has the alias '%s' with digest %s, and has %s; give the alias again"
              .formatted(alias.version(), name, alias.digest(), named.digest()));
    }
    return named;
  }

  private static boolean same(Optional<StoredPointer> one, Optional<StoredPointer> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() && other.isEmpty();
    }
    return one.get().address().equals(other.get().address())
        && Arrays.equals(one.get().content(), other.get().content());
  }

  private Optional<ModelCheckpoint> resolve(ApplicationPartition of, Optional<StoredPointer> seen)
      throws IOException {
    if (seen.isEmpty()) {
      if (!source.versions(of).isEmpty()) {
        throw new CorruptModelException(
            source.address(of)
                + " has versions, but no pointer to one of them: "
                + ModelSource.POINTER
                + " of its publisher is missing; it is rebuilt when the application is started"
                + " again");
      }
      return Optional.empty();
    }
    StoredPointer found = seen.get();
    Pointer pointer = ManifestCodec.pointer(found.content(), found.address());
    return pointer.version() == 0
        ? Optional.empty()
        : Optional.of(pointed(of, pointer, found.address()));
  }

  ModelCheckpoint pointed(ApplicationPartition of, Pointer pointer, Object where)
      throws IOException {
    ModelCheckpoint checkpoint = read(of, pointer.version(), pointer.digest());
    if (!checkpoint.digest().equals(pointer.digest())) {
      throw new CorruptModelException(
          "%s names digest %s of version %d, whose manifest has %s"
              .formatted(where, pointer.digest(), pointer.version(), checkpoint.digest()));
    }
    return checkpoint;
  }

  /**
   * Reads a version's manifest.
   *
   * @throws CorruptModelException if it is missing or damaged
   */
  public ModelCheckpoint read(String application, int partition, long version) throws IOException {
    return read(new ApplicationPartition(application, partition), version, null);
  }

  private ModelCheckpoint read(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    String location = source.address(of, version);
    String file = location + "/" + ModelSource.MANIFEST;
    byte[] content = manifestBytes(of, version, digest);
    ModelManifest manifest = ManifestCodec.manifest(content, file);
    if (manifest.version() != version || !of.equals(partition(manifest))) {
      throw new CorruptModelException(
          "%s is the manifest of %s/%d version %d"
              .formatted(file, manifest.application(), manifest.partition(), manifest.version()));
    }
    return new ModelCheckpoint(location, manifest, Digests.sha256(content));
  }

  private byte[] manifestBytes(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    try {
      return source.manifest(of, version, digest);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(
          "version %d is not there: no %s/%s"
              .formatted(version, source.address(of, version), ModelSource.MANIFEST));
    }
  }

  /** Null if no application can have that name. */
  private static @Nullable ApplicationPartition partition(ModelManifest manifest) {
    return StoreLayout.isName(manifest.application()) && manifest.partition() >= 0
        ? new ApplicationPartition(manifest.application(), manifest.partition())
        : null;
  }

  private static ApplicationPartition partition(ModelCheckpoint checkpoint) {
    ModelManifest manifest = checkpoint.manifest();
    return new ApplicationPartition(manifest.application(), manifest.partition());
  }

  private static long version(ModelCheckpoint checkpoint) {
    return checkpoint.manifest().version();
  }

  /**
   * The manifest of a version, byte for byte as it was published.
   *
   * @return JSON in UTF-8
   * @throws CorruptModelException if it is another one than when the version was read
   */
  public byte[] manifest(ModelCheckpoint checkpoint) throws IOException {
    byte[] content = manifestBytes(partition(checkpoint), version(checkpoint), checkpoint.digest());
    if (!Digests.sha256(content).equals(checkpoint.digest())) {
      throw new CorruptModelException(
          "%s does not have the SHA-256 that it had"
              .formatted(checkpoint.file(ModelSource.MANIFEST)));
    }
    return content;
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
    SortedMap<String, Long> lengths = checkFiles(checkpoint);
    SortedMap<String, byte[]> contents = new TreeMap<>();
    for (ModelFile file : checkpoint.manifest().files()) {
      if (!file.name().equals(ModelManifest.ROWS_FILE)) {
        contents.put(file.name(), content(checkpoint, file));
      }
    }
    refuseForeign(checkpoint, lengths);
    return contents;
  }

  /** Compares the lengths of all files with the manifest, in its order. */
  private SortedMap<String, Long> checkFiles(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, Long> lengths = source.files(partition(checkpoint), version(checkpoint));
    for (ModelFile file : checkpoint.manifest().files()) {
      checkLength(checkpoint, lengths, file);
    }
    return lengths;
  }

  private static void refuseForeign(ModelCheckpoint checkpoint, SortedMap<String, Long> found)
      throws CorruptModelException {
    Set<String> foreign = new TreeSet<>(found.keySet());
    foreign.remove(ModelSource.MANIFEST);
    checkpoint.manifest().files().forEach(file -> foreign.remove(file.name()));
    if (!foreign.isEmpty()) {
      throw new CorruptModelException(
          checkpoint.file(foreign.iterator().next()) + " is not in its manifest");
    }
  }

  private byte[] content(ModelCheckpoint checkpoint, ModelFile file) throws IOException {
    String path = checkpoint.file(file.name());
    StoreLayout.checkLoadable(path, file.bytes());
    try (InputStream in =
        new VerifiedStream(
            source.open(partition(checkpoint), version(checkpoint), file.name(), 0), path, file)) {
      byte[] content = new byte[(int) Math.min(file.bytes(), FIRST_BYTES)];
      int filled = in.readNBytes(content, 0, content.length);
      while (filled == content.length && filled < file.bytes()) {
        // What is claimed is not allocated before half of it is there.
        content = Arrays.copyOf(content, (int) Math.min(file.bytes(), 2L * filled));
        filled += in.readNBytes(content, filled, content.length - filled);
      }
      // The end verifies.
      in.transferTo(OutputStream.nullOutputStream());
      return content;
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(path + " is missing");
    }
  }

  /** Compares the length of the rows with the manifest. */
  private void checkRows(ModelCheckpoint checkpoint) throws IOException {
    checkLength(
        checkpoint, source.files(partition(checkpoint), version(checkpoint)), rows(checkpoint));
  }

  private static ModelFile rows(ModelCheckpoint checkpoint) throws CorruptModelException {
    return checkpoint
        .manifest()
        .file(ModelManifest.ROWS_FILE)
        .orElseThrow(
            () ->
                new CorruptModelException(
                    "%s has no %s".formatted(checkpoint.location(), ModelManifest.ROWS_FILE)));
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
              "%s has rows of the unknown kind '%s'".formatted(link.location(), kind));
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

  /**
   * The version that another one was trained from, whether that one is damaged or not. Empty for a
   * first model.
   *
   * @throws CorruptModelException if it is missing, as old versions are, or damaged
   */
  public Optional<ModelCheckpoint> trainedFrom(ModelCheckpoint checkpoint) throws IOException {
    ModelManifest manifest = checkpoint.manifest();
    if (manifest.parentVersion() < 1 || manifest.parentVersion() >= manifest.version()) {
      return Optional.empty();
    }
    return Optional.of(
        verified(partition(checkpoint), manifest.parentVersion(), manifest.parentDigest()));
  }

  /** The version whose rows another one changes. */
  private ModelCheckpoint parent(ModelManifest child) throws IOException {
    if (child.parentVersion() < 1 || child.parentVersion() >= child.version()) {
      throw new CorruptModelException(
          "version %d cannot change the rows of version %d"
              .formatted(child.version(), child.parentVersion()));
    }
    return parent(
        new ApplicationPartition(child.application(), child.partition()),
        child.parentVersion(),
        child.parentDigest());
  }

  /**
   * A version that another one was made from.
   *
   * @throws CorruptModelException if it is not there, is another one, or has no rows
   */
  ModelCheckpoint parent(ApplicationPartition of, long version, String digest) throws IOException {
    ModelCheckpoint parent = verified(of, version, digest);
    if (!parent.manifest().hasRows()) {
      throw new CorruptModelException(parent.location() + " has no rows");
    }
    return parent;
  }

  private ModelCheckpoint verified(ApplicationPartition of, long version, String digest)
      throws IOException {
    ModelCheckpoint found = read(of, version, digest);
    if (!found.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected"
              .formatted(found.location(), found.digest(), digest));
    }
    return found;
  }

  /**
   * Opens the rows of a version. Whoever reads to the end has read what was published: the last
   * read fails if length or SHA-256 are not those of the manifest.
   *
   * @throws CorruptModelException if the file is missing; reading throws it too
   */
  public InputStream open(ModelCheckpoint checkpoint) throws IOException {
    ModelFile expected = rows(checkpoint);
    String path = checkpoint.file(ModelManifest.ROWS_FILE);
    try {
      return new VerifiedStream(
          source.open(partition(checkpoint), version(checkpoint), ModelManifest.ROWS_FILE, 0),
          path,
          expected);
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

  /**
   * Reads a manifest.
   *
   * @param where it was found, for the message
   * @throws CorruptModelException if it is none
   */
  public static ModelManifest decoded(byte[] manifest, Object where) throws CorruptModelException {
    return ManifestCodec.manifest(manifest, where);
  }

  private static void checkLength(
      ModelCheckpoint checkpoint, SortedMap<String, Long> lengths, ModelFile file)
      throws CorruptModelException {
    Long bytes = lengths.get(file.name());
    String path = checkpoint.file(file.name());
    if (bytes == null) {
      throw new CorruptModelException(path + " is missing");
    }
    if (bytes != file.bytes()) {
      throw new CorruptModelException(
          "%s has %d bytes, its manifest says %d".formatted(path, bytes, file.bytes()));
    }
  }

  /** Versions that are there and whose manifest can be read, ascending. */
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
      // problems() tells of it; here the whole versions are asked for.
      return Optional.empty();
    }
  }

  /** How closely {@link #problems} looks. */
  public enum Scrutiny {
    /** Pointer, manifests, parents, and names and lengths of files. */
    LENGTHS,
    /** Also the contents of all files: everything is read. */
    CONTENTS
  }

  /** What is wrong with pointer and versions, one sentence each; empty if all is well. */
  public List<String> problems(String application, int partition) throws IOException {
    return problems(application, partition, Scrutiny.CONTENTS);
  }

  /** What is wrong with pointer and versions, one sentence each; empty if all is well. */
  public List<String> problems(String application, int partition, Scrutiny scrutiny)
      throws IOException {
    Damage damage = damage(application, partition, scrutiny);
    List<String> problems = new ArrayList<>(damage.versions().values());
    problems.addAll(damage.others());
    return problems;
  }

  /**
   * What is damaged, one sentence each.
   *
   * @param versions by their number
   * @param others pointer, pin and aliases; nothing that is said of a version already
   */
  public record Damage(SortedMap<Long, String> versions, List<String> others) {}

  /**
   * Looks for damage of versions, pointer, pin and aliases. A version that is cleaned up meanwhile
   * is not damaged.
   */
  public Damage damage(String application, int partition, Scrutiny scrutiny) throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    SortedMap<Long, String> versions = new TreeMap<>();
    for (long version : source.versions(of)) {
      try {
        check(read(application, partition, version), scrutiny);
      } catch (CorruptModelException damaged) {
        if (source.versions(of).contains(version)) {
          versions.put(version, String.valueOf(damaged.getMessage()));
        }
      }
    }
    List<String> others = new ArrayList<>();
    addOnce(others, () -> current(application, partition));
    addOnce(others, () -> serving(application, partition));
    addOnce(others, () -> checkAliases(of));
    others.removeAll(versions.values());
    return new Damage(versions, others);
  }

  /** Something that may find damage. */
  private interface Check {
    void run() throws IOException;
  }

  private static void addOnce(List<String> problems, Check check) throws IOException {
    try {
      check.run();
    } catch (CorruptModelException damaged) {
      String problem = String.valueOf(damaged.getMessage());
      if (!problems.contains(problem)) {
        problems.add(problem);
      }
    }
  }

  private void checkAliases(ApplicationPartition of) throws IOException {
    for (Map.Entry<String, Alias> each : aliases(of.application(), of.partition()).entrySet()) {
      String name = each.getKey();
      try {
        named(of, name, each.getValue());
      } catch (CorruptModelException damaged) {
        // A name that went elsewhere meanwhile is no damage.
        if (each.getValue().equals(aliases(of.application(), of.partition()).get(name))) {
          throw new CorruptModelException(
              "the version with the alias '%s': %s".formatted(name, damaged.getMessage()));
        }
      }
    }
  }

  private void check(ModelCheckpoint checkpoint, Scrutiny scrutiny) throws IOException {
    switch (scrutiny) {
      case LENGTHS -> refuseForeign(checkpoint, checkFiles(checkpoint));
      case CONTENTS -> load(checkpoint);
    }
    // The rows of the others in the chain are verified with their own versions.
    if (!chain(checkpoint).isEmpty() && scrutiny == Scrutiny.CONTENTS) {
      verifyRows(checkpoint);
    }
  }

  /** Applications with published versions, with their partitions. */
  public SortedMap<String, List<Integer>> applications() throws IOException {
    return source.applications();
  }
}
