package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.storage.ModelStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage.NewVersion;
import io.idlalayer.middleware.models.storage.PartitionStorage.Retired;
import io.idlalayer.middleware.models.storage.Place;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one publisher of an application partition, from {@link ModelStore#claim} until another one
 * claims its place.
 *
 * <p>A place has a number, its epoch, one above that of the place before. A publisher looks whether
 * the place is still its own before it starts, and when it moves the pointer: if not, it throws
 * {@link FencedPublisherException}. Whatever it does in between, readers do not see its pointer any
 * more. What remains of it is a version that was never in service.
 *
 * <p>Safe for use by several threads, one at a time; but {@link #rollBack} waits for nothing that
 * another thread does.
 */
public final class ModelPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ModelPublisher.class);

  /** So many places may be taken by others while this one tries to take one. */
  private static final int CLAIMS = 100;

  private static final int MOST_TOLD = 1_000;

  /** So many manifests are read by one clean-up, each of which is a request to an object store. */
  static final int MOST_READ = 256;

  /**
   * So many versions are deleted by one clean-up, for each of which several requests are needed.
   */
  static final int MOST_REMOVED = 128;

  private final ModelStore store;
  private final ModelReader reader;
  private final ApplicationPartition of;
  private final PublisherIdentity identity;
  private final InstantSource clock;
  private final PartitionStorage storage;
  private final Set<String> told = new HashSet<>();

  /** Versions whose rows were verified. */
  private final Map<Long, Seen> seen = new HashMap<>();

  private final NeededVersions needs = new NeededVersions(version -> read(version).manifest());

  /** Of whoever moves the pin, which has nothing to do with what else is under way. */
  private final Object pinning = new Object();

  private volatile Holder holder;

  /**
   * @param reader of the same store, which reads everything again
   */
  ModelPublisher(
      ModelStore store,
      ModelReader reader,
      ModelStorage storage,
      ApplicationPartition of,
      PublisherIdentity identity,
      InstantSource clock) {
    this.store = store;
    this.reader = reader;
    this.of = of;
    this.identity = identity;
    this.clock = clock;
    this.storage = storage.partition(of);
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

  /**
   * Tells publishers apart: grows with every claim of the application partition, as long as nobody
   * deletes what says who has it.
   */
  public long epoch() {
    return holder.epoch();
  }

  /** Takes the place of whoever has it. */
  synchronized void claim() throws IOException {
    storage.prepare();
    needs.clear();
    for (int i = 0; i < CLAIMS; i++) {
      Optional<Place> before = storage.place();
      Pointer pointer = inherited(before);
      Holder mine = holder(before.map(Place::epoch).orElse(0L) + 1, highestVersion());
      if (storage.take(before, mine, pointer)) {
        holder = mine;
        adopt(before, pointer);
        return;
      }
    }
    throw new IOException(
        "%s: %d other publishers came first; stop all but one"
            .formatted(storage.address(), CLAIMS));
  }

  /** Follows a publication that was finished between the look at the old pointer and the claim. */
  private void adopt(Optional<Place> before, Pointer taken) throws IOException {
    Optional<StoredPointer> moved =
        before.isEmpty() ? Optional.empty() : storage.movedAfter(before.get());
    if (moved.isEmpty()) {
      return;
    }
    String file = moved.get().address();
    Pointer now;
    try {
      now = ManifestCodec.pointer(moved.get().content(), file);
      if (now.version() <= taken.version()) {
        return;
      }
      verify(reader.pointed(of, now, file));
    } catch (IOException damaged) {
      // Nothing whole came between; the inherited pointer stands.
      LOG.debug("{} brought nothing new: {}", file, damaged.toString());
      return;
    }
    if (!storage.point(holder, now)) {
      LOG.debug("{}: another publisher has come already", storage.address());
    }
  }

  /**
   * The pointer to begin with: the one before if it is intact, else to the newest whole version.
   */
  private Pointer inherited(Optional<Place> before) throws IOException {
    String reason;
    if (before.isEmpty()) {
      if (storage.versions().isEmpty()) {
        return Pointer.NOTHING;
      }
      reason = storage.address() + " has versions but no pointer";
    } else {
      try {
        Pointer pointer = before.get().decodedPointer();
        if (pointer.version() > 0) {
          verify(reader.pointed(of, pointer, before.get().address()));
        }
        return pointer;
      } catch (NoSuchFileException missing) {
        reason = missing.getMessage() + " is missing";
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
    List<Long> versions = storage.versions();
    for (int i = versions.size() - 1; i >= 0; i--) {
      try {
        ModelCheckpoint checkpoint = read(versions.get(i));
        verify(checkpoint);
        return Pointer.to(checkpoint);
      } catch (IOException damaged) {
        LOG.warn("passed over while the pointer is rebuilt: {}", damaged.getMessage());
      }
    }
    return Pointer.NOTHING;
  }

  private ModelCheckpoint read(long version) throws IOException {
    return reader.read(of.application(), of.partition(), version);
  }

  private void verify(ModelCheckpoint checkpoint) throws IOException {
    reader.load(checkpoint);
    for (ModelCheckpoint link : reader.chain(checkpoint)) {
      verifyRows(link);
    }
  }

  /** Reads the rows of a version, unless that was done before and the file is as it was. */
  private void verifyRows(ModelCheckpoint link) throws IOException {
    long version = link.manifest().version();
    Seen now = new Seen(link.digest(), storage.rowsTag(version));
    if (!now.equals(seen.get(version))) {
      seen.remove(version);
      store.verifyRows(link);
      seen.put(version, now);
    }
  }

  /** Rows that were verified. */
  private record Seen(String digest, String tag) {}

  /**
   * The versions whose rows together are those of a version, see {@link ModelStore#chain}. Their
   * files are verified; each is read once by a publisher, and again when it has changed.
   *
   * @param version with this digest
   * @throws CorruptModelException naming the first that is missing, damaged or another one
   */
  public synchronized List<ModelCheckpoint> chain(long version, String digest) throws IOException {
    List<ModelCheckpoint> chain = reader.chain(reader.parent(of, version, digest));
    for (ModelCheckpoint link : chain) {
      verifyRows(link);
    }
    return chain;
  }

  /** The highest version that is known to have been. */
  private long highestVersion() throws IOException {
    return Math.max(storage.highestVersion(), holder.highestVersion());
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
    if (!draft.application().equals(of.application()) || draft.partition() != of.partition()) {
      throw new IllegalArgumentException(
          "a model of %s/%d does not belong to %s"
              .formatted(draft.application(), draft.partition(), storage.address()));
    }
    Optional<Place> place = storage.place();
    if (place.isEmpty()) {
      // Somebody emptied the store; nobody else has come.
      claim();
    } else {
      refuseUnlessMine(place);
    }
    if (ModelManifest.ROW_CHANGES.equals(draft.attributes().get(ModelManifest.ROWS))) {
      chain(draft.parentVersion(), draft.parentDigest());
    }
    try {
      return write(draft);
    } catch (IOException failed) {
      refuseIfFenced(failed);
      throw failed;
    }
  }

  private ModelCheckpoint write(ModelDraft draft) throws IOException {
    long version = Math.max(draft.minimumVersion(), highestVersion() + 1);
    NewVersion begun = storage.begin(holder, version);
    ModelManifest manifest;
    byte[] encoded;
    try {
      List<ModelFile> contents = new ArrayList<>();
      for (Map.Entry<String, byte[]> file : draft.files().entrySet()) {
        contents.add(begun.write(file.getKey(), file.getValue()));
      }
      for (Map.Entry<String, Path> file : draft.copied().entrySet()) {
        contents.add(begun.copy(file.getKey(), file.getValue()));
      }
      manifest = manifest(draft, version, contents);
      encoded = ManifestCodec.encode(manifest);
      begun.finish(encoded);
    } catch (IOException failed) {
      begun.abandon(failed);
      throw failed;
    }
    String digest = Digests.sha256(encoded);
    if (ModelManifest.ROW_CHANGES.equals(draft.attributes().get(ModelManifest.ROWS))) {
      // Writing takes long; a publisher that was replaced may have deleted what is changed. Of a
      // version that is deleted the manifest goes first.
      checkHolder();
      reader.chain(reader.parent(of, draft.parentVersion(), draft.parentDigest()));
    }
    if (!storage.point(holder, new Pointer(ModelManifest.FORMAT_VERSION, version, digest))) {
      throw fenced();
    }
    needs.learn(manifest);
    if (manifest.hasRows()) {
      remember(version, digest);
    }
    return new ModelCheckpoint(storage.address(version), manifest, digest);
  }

  /** The version is published: what fails here only makes its rows be read once more. */
  private void remember(long version, String digest) {
    try {
      seen.put(version, new Seen(digest, storage.rowsTag(version)));
    } catch (IOException failed) {
      LOG.debug("the rows of version {} are verified later: {}", version, failed.toString());
    }
  }

  /**
   * Lets an older version serve in place of the one that is left, until a newer one than that is
   * current. Its files are verified, but for its rows, which may be as large as a disk: of those
   * only the lengths are compared, since whoever waits for this has a worse model in service.
   * Subscribers verify all. It does not wait for a publication or a clean-up that is under way: if
   * that publishes a newer version, that one serves; what is pinned is not deleted.
   *
   * @param version with this digest
   * @param left the version that is not to serve any more, above {@code version}
   * @param reason a sentence for people
   * @throws CorruptModelException if the version is not there any more, or is damaged as far as it
   *     is looked at
   * @throws FencedPublisherException if another publisher has the place
   * @throws AlreadyPinnedException if people have pinned a version until they unpin it, or have
   *     left the same version for another one
   */
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    if (left <= version) {
      throw new IllegalArgumentException(
          "version %d is not older than version %d".formatted(version, left));
    }
    synchronized (pinning) {
      ModelCheckpoint back = read(version);
      if (!back.digest().equals(digest)) {
        throw new CorruptModelException(
            "%s has digest %s, and %s is expected"
                .formatted(back.location(), back.digest(), digest));
      }
      var unused = reader.load(back);
      // That takes long where the medium is slow, and people may have pinned a version meanwhile.
      checkHolder();
      Optional<Pin> pinned = reader.pin(of.application(), of.partition());
      if (pinned.isPresent() && pinned.get().forbids(version, left)) {
        throw new AlreadyPinnedException(pinned.get());
      }
      store.pinVerified(back, left, reason);
    }
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

  /** Throws if another publisher has the place. */
  private void checkHolder() throws IOException {
    refuseUnlessMine(storage.place());
  }

  private Place refuseUnlessMine(Optional<Place> now) throws FencedPublisherException {
    if (now.isEmpty() || !now.get().isOf(holder)) {
      throw fenced(now);
    }
    return now.get();
  }

  private FencedPublisherException fenced() throws IOException {
    return fenced(storage.place());
  }

  private FencedPublisherException fenced(Optional<Place> now) {
    String by = "nobody: its place is gone";
    boolean sameRun = false;
    if (now.isPresent()) {
      try {
        Holder other = now.get().decodedHolder();
        sameRun = other.run().equals(holder.run());
        by =
            "%s (%s) with epoch %d, since %s"
                .formatted(
                    other.run(),
                    other.place(),
                    now.get().epoch(),
                    Instant.ofEpochMilli(other.claimedAtMillis()));
      } catch (IOException damaged) {
        by = "somebody with epoch " + now.get().epoch();
      }
    }
    return new FencedPublisherException(
        ("%s (%s) had epoch %d as publisher in %s; the publisher is now %s. This one publishes"
                + " nothing there any more: let only one run publish there")
            .formatted(holder.run(), holder.place(), holder.epoch(), storage.address(), by),
        sameRun);
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
   * need. A version first disappears as a whole, so that no reader finds half of it. What cannot be
   * deleted is passed over and logged once. One clean-up reads and deletes a bounded number of
   * versions; the next goes on where it ended.
   *
   * @param keep how many of the newest stay, at least 1
   * @throws FencedPublisherException if another publisher has the place; nothing is deleted
   * @throws IOException if the store cannot be looked at
   */
  public synchronized CleanUp cleanUp(int keep, Set<Long> pinned) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("at least 1 version must stay, not " + keep);
    }
    Place mine = refuseUnlessMine(storage.place());
    List<String> left = new ArrayList<>();
    Set<Retired> unneeded = new HashSet<>();
    List<Long> versions = storage.versions();
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
    // Only this publisher moves the pointer, and not now.
    OptionalLong pointed = pointedVersion(mine);
    pointed.ifPresent(roots::add);
    needs.keepOnly(versions);
    Set<Long> kept = versions.size() > keep ? kept(versions, keep, roots, left) : Set.of();
    for (int i = 0; i < versions.size() - keep && unneeded.size() < MOST_REMOVED; i++) {
      long version = versions.get(i);
      if (!kept.contains(version) && unpointed(version, left)) {
        seen.remove(version);
        retireUnneeded(version, left).ifPresent(unneeded::add);
      }
    }
    for (Retired each : newestFirst(storage.retired())) {
      if (each.version() > 0 && !unneeded.contains(each) && needed(each.version())) {
        restore(each, left);
      } else {
        storage.delete(each, left);
      }
    }
    storage.sweep(holder, pointed, left);
    tell(left);
    return new CleanUp(unneeded.size(), List.copyOf(left));
  }

  /**
   * The pinned, the pointed and the newest versions, and all whose rows they need; all versions as
   * long as that is not known.
   */
  private Set<Long> kept(List<Long> versions, int keep, Set<Long> pinned, List<String> left)
      throws IOException {
    Set<Long> roots = new HashSet<>(pinned);
    roots.addAll(versions.subList(versions.size() - keep, versions.size()));
    Optional<Set<Long>> kept = needs.with(roots, MOST_READ);
    if (kept.isEmpty()) {
      left.add(
          "every version in %s stays for now, as it takes several clean-ups to read %d manifests"
              .formatted(storage.address(), versions.size()));
    }
    return kept.orElseGet(() -> new HashSet<>(versions));
  }

  /** The version that the pointer names; empty if it is damaged. */
  private static OptionalLong pointedVersion(Place place) {
    try {
      return OptionalLong.of(place.decodedPointer().version());
    } catch (CorruptModelException | NoSuchFileException damaged) {
      LOG.debug("{} names no version that is to be kept: {}", place, damaged.toString());
      return OptionalLong.empty();
    }
  }

  /** Whether the pointer, read just now, names another version. */
  private boolean unpointed(long version, List<String> left) throws IOException {
    Optional<Place> place = storage.place();
    if (place.isEmpty() || !place.get().isOf(holder)) {
      throw fenced(place);
    }
    try {
      return place.get().decodedPointer().version() != version;
    } catch (CorruptModelException | NoSuchFileException damaged) {
      left.add(
          "version %d stays until the pointer is whole again: %s"
              .formatted(version, damaged.getMessage()));
      return false;
    }
  }

  /** The version that is pinned, if one is. */
  private Set<Long> pinnedVersion() throws IOException {
    return store
        .pin(of.application(), of.partition())
        .map(pin -> Set.of(pin.version()))
        .orElse(Set.of());
  }

  /** The versions that have names. */
  private Set<Long> aliasedVersions() throws IOException {
    return reader.aliases(of.application(), of.partition()).values().stream()
        .map(Alias::version)
        .collect(Collectors.toSet());
  }

  /**
   * Retires a version that is to be deleted, and brings it back if somebody meanwhile pinned or
   * named it, or one that needs its rows. Nobody can pin or name it once it is retired.
   *
   * @return what is to be deleted
   */
  private Optional<Retired> retireUnneeded(long version, List<String> left) {
    Retired retired;
    try {
      retired = storage.retire(version);
    } catch (IOException failed) {
      left.add("cannot take " + storage.address(version) + " away to delete it: " + failed);
      return Optional.empty();
    }
    if (needed(version)) {
      restore(retired, left);
      return Optional.empty();
    }
    return Optional.of(retired);
  }

  private void restore(Retired retired, List<String> left) {
    try {
      storage.restore(retired);
    } catch (IOException failed) {
      left.add("cannot bring " + storage.address(retired.version()) + " back: " + failed);
    }
  }

  /** A version is needed by newer ones, which are to be there when that is looked at. */
  private static List<Retired> newestFirst(List<Retired> retired) {
    return retired.stream().sorted(Comparator.comparingLong(Retired::version).reversed()).toList();
  }

  /**
   * Whether a version is pointed, is pinned or has a name, or one that needs its rows; or may be.
   */
  private boolean needed(long version) {
    try {
      // Whoever has the place now may need what this one does not.
      Place mine = refuseUnlessMine(storage.place());
      Set<Long> roots = new HashSet<>(pinnedVersion());
      roots.addAll(aliasedVersions());
      pointedVersion(mine).ifPresent(roots::add);
      return needs.with(roots).contains(version);
    } catch (IOException unknown) {
      LOG.debug("version {} may be needed: {}", version, unknown.toString());
      return true;
    }
  }

  private void tell(List<String> left) {
    for (String each : left) {
      if (told.size() < MOST_TOLD && told.add(each)) {
        LOG.warn("{}; the next clean-up tries again", each);
      }
    }
  }
}
