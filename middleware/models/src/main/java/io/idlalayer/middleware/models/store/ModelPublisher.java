package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.store.ManifestCodec.Holder;
import io.idlalayer.middleware.models.store.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.store.ModelManifest.ModelFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one publisher of an application partition, from {@link ModelStore#claim} until another one
 * claims its place.
 *
 * <p>Its place is a folder {@code publisher-EPOCH}, made by one rename that fails if the folder is
 * there already, so no two publishers have one epoch. The pointer lies in it. A publisher looks
 * whether its epoch is the highest before it starts, before it moves the pointer, and after: if
 * not, it throws {@link FencedPublisherException}. One that was stopped between the look and the
 * move writes a pointer that nobody reads any more, and says so when it looks again. What remains
 * of it is a version that was never in service.
 *
 * <p>Safe for use by several threads, one at a time.
 */
public final class ModelPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ModelPublisher.class);

  /** So many places may be taken by others while this one tries to take one. */
  private static final int CLAIMS = 100;

  /** Deeper folders are left where they are; a version has one level. */
  private static final int DEEPEST = 32;

  private static final int MOST_TOLD = 1_000;

  private final ModelStore store;
  private final String application;
  private final int partition;
  private final PublisherIdentity identity;
  private final InstantSource clock;
  private final FileOperations files;
  private final ApplicationPartition of;
  private final Path folder;
  private final Set<String> told = new HashSet<>();
  private final Map<Path, Seen> seen = new HashMap<>();
  private Holder holder;

  ModelPublisher(
      ModelStore store,
      String application,
      int partition,
      PublisherIdentity identity,
      InstantSource clock,
      FileOperations files) {
    this.store = store;
    this.application = application;
    this.partition = partition;
    this.identity = identity;
    this.clock = clock;
    this.files = files;
    of = new ApplicationPartition(application, partition);
    folder = store.folder(of);
    holder = holder(0, 0);
  }

  private Holder holder(long epoch, long highestVersion) {
    return new Holder(
        ModelManifest.FORMAT_VERSION,
        epoch,
        UUID.randomUUID().toString(),
        identity.run(),
        identity.place(),
        clock.millis(),
        highestVersion);
  }

  /** The fencing token: grows with every claim of the application partition. */
  public synchronized long epoch() {
    return holder.epoch();
  }

  /** Takes the place of whoever has it. */
  synchronized void claim() throws IOException {
    files.createFolder(folder);
    syncParents();
    for (int i = 0; i < CLAIMS; i++) {
      long before = highestEpoch();
      Pointer pointer = inherited(before);
      if (take(before + 1, pointer)) {
        adopt(before, pointer);
        return;
      }
    }
    throw new IOException(
        "%s: %d other publishers came first; stop all but one".formatted(folder, CLAIMS));
  }

  private void syncParents() throws IOException {
    Path up = folder.getParent();
    for (int i = 0; i < 2 && up != null; i++) {
      files.syncFolder(up);
      up = up.getParent();
    }
  }

  private long highestEpoch() throws IOException {
    List<Long> epochs = StoreLayout.epochs(folder);
    return epochs.isEmpty() ? 0 : epochs.get(epochs.size() - 1);
  }

  /** Makes the publisher's folder; false if another one has that epoch. */
  private boolean take(long epoch, Pointer pointer) throws IOException {
    Holder mine = holder(epoch, highestVersion());
    Path place = folder.resolve(StoreLayout.publisher(epoch));
    Path staging = staging(epoch);
    boolean renamed = false;
    try {
      files.createFolder(staging);
      files.write(staging.resolve(StoreLayout.HOLDER), ManifestCodec.encode(mine));
      files.write(staging.resolve(StoreLayout.POINTER), ManifestCodec.encode(pointer));
      files.syncFolder(staging);
      files.move(staging, place);
      renamed = true;
      files.syncFolder(folder);
    } catch (IOException failed) {
      boolean taken = !renamed && Files.exists(place);
      removeQuietly(staging, failed);
      if (taken) {
        return false;
      }
      throw failed;
    }
    holder = mine;
    return true;
  }

  /** Follows a publication that was finished between the look at the old pointer and the claim. */
  private void adopt(long before, Pointer taken) throws IOException {
    Path file = ModelStore.pointer(folder, before);
    if (before == 0 || !Files.exists(file)) {
      return;
    }
    Pointer now;
    try {
      now = ManifestCodec.pointer(StoreLayout.text(file), file);
      if (now.version() <= taken.version()) {
        return;
      }
      verify(store.pointed(of, now, file));
    } catch (IOException damaged) {
      // Nothing whole came between; the inherited pointer stands.
      LOG.debug("{} brought nothing new: {}", file, damaged.toString());
      return;
    }
    point(now);
  }

  /**
   * The pointer to begin with: the one before if it is intact, else to the newest whole version.
   */
  private Pointer inherited(long epoch) throws IOException {
    String reason;
    if (epoch == 0) {
      if (StoreLayout.versions(folder).isEmpty()) {
        return Pointer.NOTHING;
      }
      reason = folder + " has versions but no pointer";
    } else {
      Path file = ModelStore.pointer(folder, epoch);
      try {
        Pointer pointer = ManifestCodec.pointer(StoreLayout.text(file), file);
        if (pointer.version() > 0) {
          verify(store.pointed(of, pointer, file));
        }
        return pointer;
      } catch (NoSuchFileException missing) {
        reason = file + " is missing";
      } catch (IOException damaged) {
        // Also what cannot be read at all: it must not keep new models from being published.
        reason = String.valueOf(damaged.getMessage());
      }
    }
    Pointer rebuilt = newestWhole();
    LOG.warn(
        "{}; the pointer is rebuilt from the versions and names {}",
        reason,
        rebuilt.version() == 0 ? "none, as none is whole" : "version " + rebuilt.version());
    return rebuilt;
  }

  private Pointer newestWhole() throws IOException {
    List<Long> versions = StoreLayout.versions(folder);
    for (int i = versions.size() - 1; i >= 0; i--) {
      try {
        ModelCheckpoint checkpoint = store.read(application, partition, versions.get(i));
        verify(checkpoint);
        return Pointer.to(checkpoint);
      } catch (IOException damaged) {
        LOG.warn("passed over while the pointer is rebuilt: {}", damaged.getMessage());
      }
    }
    return Pointer.NOTHING;
  }

  private void verify(ModelCheckpoint checkpoint) throws IOException {
    store.load(checkpoint);
    for (ModelCheckpoint link : store.chain(checkpoint)) {
      verifyRows(link);
    }
  }

  /** Reads the rows of a version, unless that was done before and the file is as it was. */
  private void verifyRows(ModelCheckpoint link) throws IOException {
    Path path = rows(link.manifest().version());
    Seen now = Seen.of(path, link.digest());
    if (!now.equals(seen.get(path))) {
      seen.remove(path);
      store.verifyRows(link);
      seen.put(path, now);
    }
  }

  private Path rows(long version) {
    return folder.resolve(StoreLayout.version(version)).resolve(ModelManifest.ROWS_FILE);
  }

  /** A file that was verified. */
  private record Seen(String digest, long bytes, FileTime changed) {
    static Seen of(Path path, String digest) throws IOException {
      try {
        return new Seen(digest, Files.size(path), Files.getLastModifiedTime(path));
      } catch (NoSuchFileException missing) {
        throw new CorruptModelException(path + " is missing");
      }
    }
  }

  /**
   * The versions whose rows together are those of a version, see {@link ModelStore#chain}. Their
   * files are verified; each is read once by a publisher, and again when it has changed.
   *
   * @param version with this digest
   * @throws CorruptModelException naming the first that is missing, damaged or another one
   */
  public synchronized List<ModelCheckpoint> chain(long version, String digest) throws IOException {
    List<ModelCheckpoint> chain = store.chain(store.parent(of, version, digest));
    for (ModelCheckpoint link : chain) {
      verifyRows(link);
    }
    return chain;
  }

  /** The highest version that is known to have been, from names, pointers and holders. */
  private long highestVersion() throws IOException {
    List<Long> versions = StoreLayout.versions(folder);
    long highest = versions.isEmpty() ? 0 : versions.get(versions.size() - 1);
    for (long epoch : StoreLayout.epochs(folder)) {
      highest = Math.max(highest, noted(epoch));
    }
    return Math.max(highest, holder.highestVersion());
  }

  /** What a publisher's folder says of versions; damaged files say nothing, names suffice. */
  private long noted(long epoch) {
    long highest = 0;
    Path pointer = ModelStore.pointer(folder, epoch);
    try {
      highest = ManifestCodec.pointer(StoreLayout.text(pointer), pointer).version();
    } catch (IOException damaged) {
      LOG.debug("{} tells no version: {}", pointer, damaged.toString());
    }
    try {
      highest = Math.max(highest, holderOf(epoch).highestVersion());
    } catch (IOException damaged) {
      LOG.debug("publisher {} tells no version: {}", epoch, damaged.toString());
    }
    return highest;
  }

  private Holder holderOf(long epoch) throws IOException {
    Path file = folder.resolve(StoreLayout.publisher(epoch)).resolve(StoreLayout.HOLDER);
    return ManifestCodec.holder(StoreLayout.text(file), file);
  }

  /**
   * Publishes a model and returns it once it is durable and current. Its version is above every
   * version that was ever current or is still on disk, also where the pointer is damaged. One that
   * changes the rows of its parent needs the parent's.
   *
   * @throws FencedPublisherException if another publisher has the place
   * @throws IOException if the medium fails; the version that was current stays so, and it may be
   *     tried again
   * @throws CorruptModelException if the rows that it changes are not there, or are damaged
   */
  public synchronized ModelCheckpoint publish(ModelDraft draft) throws IOException {
    if (!draft.application().equals(application) || draft.partition() != partition) {
      throw new IllegalArgumentException(
          "a model of %s/%d does not belong to %s"
              .formatted(draft.application(), draft.partition(), folder));
    }
    if (StoreLayout.epochs(folder).isEmpty()) {
      // Somebody emptied the folder; nobody else has come.
      claim();
    }
    checkHolder();
    if (ModelManifest.ROW_CHANGES.equals(draft.attributes().get(ModelManifest.ROWS))) {
      chain(draft.parentVersion(), draft.parentDigest());
    }
    Path staging = staging(holder.epoch());
    try {
      return publish(draft, staging);
    } catch (IOException failed) {
      removeQuietly(staging, failed);
      refuseIfFenced(failed);
      throw failed;
    }
  }

  private ModelCheckpoint publish(ModelDraft draft, Path staging) throws IOException {
    long version = Math.max(draft.minimumVersion(), highestVersion() + 1);
    Path target = folder.resolve(StoreLayout.version(version));
    files.createFolder(staging);
    List<ModelFile> contents = new ArrayList<>();
    for (Map.Entry<String, byte[]> file : draft.files().entrySet()) {
      byte[] content = file.getValue();
      files.write(staging.resolve(StoreLayout.checked(file.getKey())), content);
      contents.add(new ModelFile(file.getKey(), content.length, Digests.sha256(content)));
    }
    for (Map.Entry<String, Path> file : draft.copied().entrySet()) {
      MessageDigest sha256 = Digests.sha256();
      Path copy = staging.resolve(StoreLayout.checked(file.getKey()));
      long bytes = files.copy(file.getValue(), copy, sha256);
      contents.add(new ModelFile(file.getKey(), bytes, Digests.text(sha256)));
    }
    ModelManifest manifest = manifest(draft, version, contents);
    byte[] manifestBytes = ManifestCodec.encode(manifest);
    String digest = Digests.sha256(manifestBytes);
    files.write(staging.resolve(StoreLayout.MANIFEST), manifestBytes);
    files.syncFolder(staging);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(target + " appeared meanwhile");
    }
    files.move(staging, target);
    files.syncFolder(folder);
    checkHolder();
    point(new Pointer(ModelManifest.FORMAT_VERSION, version, digest));
    checkHolder();
    if (manifest.hasRows()) {
      Path rows = rows(version);
      seen.put(rows, Seen.of(rows, digest));
    }
    return new ModelCheckpoint(target.toString(), manifest, digest);
  }

  /**
   * Lets an older version serve until one above the current version is published.
   *
   * @param version with this digest
   * @param reason a sentence for people
   * @throws CorruptModelException if the version is not there any more, or is damaged
   * @throws FencedPublisherException if another publisher has the place
   * @throws AlreadyPinnedException if people have pinned a version until they unpin it
   */
  public synchronized void rollBack(long version, String digest, String reason) throws IOException {
    checkHolder();
    ModelCheckpoint back = store.read(application, partition, version);
    if (!back.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected".formatted(back.location(), back.digest(), digest));
    }
    Optional<Pin> pinned = store.pin(application, partition);
    if (pinned.isPresent() && pinned.get().until() == 0) {
      throw new AlreadyPinnedException(pinned.get());
    }
    store.pin(back, highestVersion(), reason);
  }

  private ModelManifest manifest(ModelDraft draft, long version, List<ModelFile> contents) {
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

  private void point(Pointer pointer) throws IOException {
    Path place = folder.resolve(StoreLayout.publisher(holder.epoch()));
    Path staged = place.resolve(StoreLayout.STAGING + holder.epoch() + "-" + UUID.randomUUID());
    try {
      files.write(staged, ManifestCodec.encode(pointer));
      files.move(staged, place.resolve(StoreLayout.POINTER));
      files.syncFolder(place);
    } catch (IOException failed) {
      removeQuietly(staged, failed);
      throw failed;
    }
  }

  private Path staging(long epoch) {
    return folder.resolve(StoreLayout.STAGING + epoch + "-" + UUID.randomUUID());
  }

  private void refuseIfFenced(IOException failed) throws FencedPublisherException {
    if (failed instanceof FencedPublisherException) {
      return;
    }
    try {
      checkHolder();
    } catch (FencedPublisherException fenced) {
      fenced.addSuppressed(failed);
      throw fenced;
    } catch (IOException alsoFailed) {
      failed.addSuppressed(alsoFailed);
    }
  }

  /** Throws if this publisher's epoch is not the highest, or not its own any more. */
  private void checkHolder() throws IOException {
    long highest = highestEpoch();
    if (highest == holder.epoch() && mine(highest)) {
      return;
    }
    String by = "nobody: its folder is gone";
    boolean sameRun = false;
    if (highest > 0) {
      try {
        Holder other = holderOf(highest);
        sameRun = other.run().equals(holder.run());
        by =
            "%s (%s) with epoch %d, since %s"
                .formatted(
                    other.run(),
                    other.place(),
                    highest,
                    Instant.ofEpochMilli(other.claimedAtMillis()));
      } catch (IOException damaged) {
        by = "somebody with epoch " + highest;
      }
    }
    throw new FencedPublisherException(
        ("%s (%s) had epoch %d as publisher in %s; the publisher is now %s. This one publishes"
                + " nothing there any more: let only one run publish there")
            .formatted(holder.run(), holder.place(), holder.epoch(), folder, by),
        sameRun);
  }

  /**
   * Whether an epoch's place is this publisher's. Nobody can have taken one that cannot be read.
   */
  private boolean mine(long epoch) {
    try {
      return holderOf(epoch).token().equals(holder.token());
    } catch (IOException damaged) {
      LOG.debug("the holder of epoch {} cannot be read: {}", epoch, damaged.toString());
      return epoch == holder.epoch();
    }
  }

  /**
   * What a clean-up did.
   *
   * @param removed versions that were deleted
   * @param left what could not be deleted, one sentence each; the next clean-up tries again
   */
  public record CleanUp(int removed, List<String> left) {}

  /**
   * Deletes old versions, and what crashed publishers left half done. The newest versions, the one
   * the pointer names, the pinned ones and those with an alias stay, and those whose rows they
   * need. A version first gets another name, so that no reader finds half of it. What cannot be
   * deleted is passed over and logged once.
   *
   * @param keep how many of the newest stay, at least 1
   * @throws FencedPublisherException if another publisher has the place; nothing is deleted
   * @throws IOException if the folder cannot be looked at
   */
  public synchronized CleanUp cleanUp(int keep, Set<Long> pinned) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("at least 1 version must stay, not " + keep);
    }
    checkHolder();
    List<String> left = new ArrayList<>();
    int removed = 0;
    List<Long> versions = StoreLayout.versions(folder);
    Set<Long> roots = new HashSet<>(pinned);
    try {
      roots.addAll(pinnedVersion());
    } catch (CorruptModelException damaged) {
      left.add("every version stays, as one may be pinned: " + damaged.getMessage());
      roots.addAll(versions);
    }
    try {
      roots.addAll(aliasedVersions());
    } catch (CorruptModelException damaged) {
      left.add("every version stays, as one may have an alias: " + damaged.getMessage());
      roots.addAll(versions);
    }
    Set<Long> kept = kept(versions, keep, roots);
    for (int i = 0; i < versions.size() - keep; i++) {
      long version = versions.get(i);
      if (!kept.contains(version) && unpointed(version, left)) {
        Path doomed = folder.resolve(StoreLayout.version(version));
        seen.remove(rows(version));
        removed += retireUnneeded(version, doomed, left) ? 1 : 0;
      }
    }
    for (long epoch : StoreLayout.epochs(folder)) {
      if (epoch < holder.epoch()) {
        retire(folder.resolve(StoreLayout.publisher(epoch)), left);
      }
    }
    sweep(left);
    tell(left);
    return new CleanUp(removed, List.copyOf(left));
  }

  /** The pinned, the pointed and the newest versions, and all whose rows they need. */
  private Set<Long> kept(List<Long> versions, int keep, Set<Long> pinned) throws IOException {
    Set<Long> roots = new HashSet<>(pinned);
    roots.addAll(versions.subList(Math.max(0, versions.size() - keep), versions.size()));
    Path pointer = ModelStore.pointer(folder, holder.epoch());
    try {
      roots.add(ManifestCodec.pointer(StoreLayout.text(pointer), pointer).version());
    } catch (CorruptModelException | NoSuchFileException damaged) {
      LOG.debug("{} names no version that is to be kept: {}", pointer, damaged.toString());
    }
    return withNeeded(roots);
  }

  /** Versions, and all whose rows they need. */
  private Set<Long> withNeeded(Set<Long> roots) throws IOException {
    Set<Long> kept = new HashSet<>();
    for (long root : roots) {
      long version = root;
      while (version > 0 && kept.add(version)) {
        version = changed(version);
      }
    }
    return kept;
  }

  /** The version whose rows another one changes; 0 for none. */
  private long changed(long version) throws IOException {
    try {
      ModelManifest manifest = store.read(application, partition, version).manifest();
      boolean changes =
          ModelManifest.ROW_CHANGES.equals(manifest.attributes().get(ModelManifest.ROWS));
      return changes && manifest.parentVersion() < version ? manifest.parentVersion() : 0;
    } catch (CorruptModelException damaged) {
      // Nobody can serve it, so nobody needs the versions before it.
      LOG.debug("version {} cannot be read: {}", version, damaged.toString());
      return 0;
    }
  }

  /** Whether the pointer, read just now, names another version. */
  private boolean unpointed(long version, List<String> left) throws IOException {
    checkHolder();
    Path file = ModelStore.pointer(folder, holder.epoch());
    try {
      return ManifestCodec.pointer(StoreLayout.text(file), file).version() != version;
    } catch (CorruptModelException | NoSuchFileException damaged) {
      left.add(
          "version %d stays until the pointer is whole again: %s"
              .formatted(version, damaged.getMessage()));
      return false;
    }
  }

  /** The version that is pinned, if one is. */
  private Set<Long> pinnedVersion() throws IOException {
    return store.pin(application, partition).map(pin -> Set.of(pin.version())).orElse(Set.of());
  }

  /** The versions that have names. */
  private Set<Long> aliasedVersions() throws IOException {
    return store.aliases(application, partition).values().stream()
        .map(Alias::version)
        .collect(Collectors.toSet());
  }

  /**
   * Renames a version that is to be deleted, and back if somebody meanwhile pinned or named it, or
   * one that needs its rows. Its new name has its number, so that the next clean-up can do that
   * too.
   */
  private boolean retireUnneeded(long version, Path doomed, List<String> left) throws IOException {
    Path renamed = folder.resolve(StoreLayout.deleting(version));
    if (!retire(doomed, renamed, left)) {
      return false;
    }
    boolean needed = neededByNames(version);
    if (needed && Files.exists(renamed)) {
      files.move(renamed, doomed);
    }
    return !needed;
  }

  /** Whether a version is pinned or has a name, or one that needs its rows; or may be. */
  private boolean neededByNames(long version) {
    try {
      Set<Long> roots = new HashSet<>(pinnedVersion());
      roots.addAll(aliasedVersions());
      return withNeeded(roots).contains(version);
    } catch (IOException unknown) {
      LOG.debug("version {} may be pinned or have a name: {}", version, unknown.toString());
      return true;
    }
  }

  /**
   * Brings back a version that is about to be deleted, and was pinned or named before a crash.
   *
   * @return whether the folder is to be deleted
   */
  private boolean unneeded(Path entry, List<String> left) {
    long version = StoreLayout.deletedVersion(StoreLayout.fileName(entry));
    if (version == 0 || !neededByNames(version)) {
      return true;
    }
    Path back = folder.resolve(StoreLayout.version(version));
    try {
      if (Files.exists(back, LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
      files.move(entry, back);
      files.syncFolder(folder);
    } catch (IOException failed) {
      left.add("cannot bring " + back + " back: " + failed);
    }
    return false;
  }

  private boolean retire(Path doomed, List<String> left) {
    return retire(doomed, folder.resolve(StoreLayout.DELETING + UUID.randomUUID()), left);
  }

  /** Renames a folder to one that is to be deleted; the sweep that follows deletes it. */
  private boolean retire(Path doomed, Path renamed, List<String> left) {
    try {
      files.move(doomed, renamed);
      return true;
    } catch (NoSuchFileException gone) {
      return true;
    } catch (IOException failed) {
      left.add("cannot rename " + doomed + " to delete it: " + failed);
      return false;
    }
  }

  /** Removes what crashed publishers left half done, except what a newer one may be writing. */
  private void sweep(List<String> left) throws IOException {
    List<Path> found = new ArrayList<>(StoreLayout.entries(folder));
    found.addAll(StoreLayout.entries(folder.resolve(StoreLayout.publisher(holder.epoch()))));
    for (Path entry : found) {
      String name = StoreLayout.fileName(entry);
      if (name.startsWith(StoreLayout.DELETING)
          ? unneeded(entry, left)
          : name.startsWith(StoreLayout.STAGING) && !ofNewer(name)) {
        remove(entry, left, 0);
      }
    }
  }

  private boolean ofNewer(String staging) {
    String rest = staging.substring(StoreLayout.STAGING.length());
    int end = rest.indexOf('-');
    String epoch = end < 0 ? "" : rest.substring(0, end);
    return epoch.matches("\\d{1,18}") && Long.parseLong(epoch) > holder.epoch();
  }

  private void remove(Path entry, List<String> left, int depth) {
    try {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) && depth < DEEPEST) {
        for (Path inside : StoreLayout.entries(entry)) {
          remove(inside, left, depth + 1);
        }
      }
      files.delete(entry);
    } catch (IOException failed) {
      left.add("cannot delete " + entry + ": " + failed);
    }
  }

  private void tell(List<String> left) {
    for (String each : left) {
      if (told.size() < MOST_TOLD && told.add(each)) {
        LOG.warn("{}; the next clean-up tries again", each);
      }
    }
  }

  private void removeQuietly(Path staging, IOException failed) {
    List<String> left = new ArrayList<>();
    remove(staging, left, 0);
    left.forEach(each -> failed.addSuppressed(new IOException(each)));
  }
}
