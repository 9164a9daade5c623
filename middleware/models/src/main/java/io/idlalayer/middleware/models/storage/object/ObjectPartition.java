package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.Place;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Condition;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Listed;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.StoredObject;
import io.idlalayer.middleware.models.storage.object.ObjectLayout.ListedVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The models of an application partition in an object store:
 *
 * <pre>
 * APPLICATION/PARTITION/current.json                the pointer, and who may publish
 * APPLICATION/PARTITION/v0000000007/manifest.json   and the model's files
 * APPLICATION/PARTITION/v0000000007/.deleted.json   the manifest of a version that is being deleted
 * </pre>
 *
 * <p>A store replaces objects as a whole, so every step that readers see is a compare and swap of
 * one object:
 *
 * <ul>
 *   <li>A publisher takes its place, and moves the pointer, by swapping {@code current.json}. A
 *       publisher that was replaced, even if it has not noticed it, cannot swap the object any
 *       more.
 *   <li>A version begins with a reservation in place of its manifest; only one writer can get the
 *       reservation. The writer finishes the version by replacing the reservation with the
 *       manifest. A sweep first replaces the reservation with an empty one, so that the version
 *       cannot be finished afterwards.
 *   <li>A version ends when its manifest is deleted. A copy of the manifest was made before, so
 *       that the version can be restored. Before the version's files are deleted, an empty manifest
 *       is written. From then on the version cannot be restored, and its number cannot be used
 *       until all its objects are deleted.
 * </ul>
 *
 * <p>A number is used once: its reservation stays until the pointer names a later version.
 */
final class ObjectPartition implements PartitionStorage {
  /** Number of attempts to change a small object that other processes change at the same time. */
  private static final int TRIES = 100;

  private static final byte[] DEAD = {};
  private static final String NO_SUCH_TAG = "\"00000000000000000000000000000000\"";

  private final ObjectBucket bucket;
  private final ApplicationPartition of;
  private final Runnable probed;
  private final boolean probe;
  private final SwappedObject current;

  /**
   * @param probe true while it is not known whether the store respects conditions of writes
   * @param probed runs once it is known that the store does
   */
  ObjectPartition(ObjectBucket bucket, ApplicationPartition of, boolean probe, Runnable probed) {
    this.bucket = bucket;
    this.of = of;
    this.probe = probe;
    this.probed = probed;
    current = new SwappedObject(bucket, key(StoreLayout.POINTER));
  }

  private String key(String name) {
    return ObjectLayout.prefix(of) + name;
  }

  @Override
  public String address() {
    return bucket.address() + "/" + of;
  }

  @Override
  public String address(long version) {
    return address() + "/" + StoreLayout.version(version);
  }

  /**
   * Checks that the store respects conditions of writes: otherwise two publishers could overwrite
   * each other.
   */
  @Override
  public void prepare() throws IOException {
    if (!probe) {
      return;
    }
    byte[] content = "written to see whether conditions are kept".getBytes(StandardCharsets.UTF_8);
    String key = key(ObjectLayout.PROBE);
    bucket.put(key, content, new Condition.Absent());
    refuseIf(bucket.put(key, content, new Condition.Absent()).isPresent(), "If-None-Match");
    refuseIf(bucket.put(key, content, new Condition.Matches(NO_SUCH_TAG)).isPresent(), "If-Match");
    probed.run();
  }

  private void refuseIf(boolean ignored, String header) throws IOException {
    if (ignored) {
      throw new IOException(
          ("%s: this object store ignores the header %s of a conditional write, so two publishers"
                  + " could overwrite each other's models; publish to one that supports conditional"
                  + " writes, or to a folder")
              .formatted(address(), header));
    }
  }

  @Override
  public Optional<Place> place() throws IOException {
    return current.readAny().map(this::placeOf);
  }

  private Place placeOf(StoredObject found) {
    StoredPointer stored = new StoredPointer(current.address(), found.content());
    long epoch;
    try {
      epoch = ManifestCodec.holder(found.content(), current.address()).epoch();
    } catch (CorruptModelException damaged) {
      epoch = Place.NO_EPOCH;
    }
    return new Place(current.address(), epoch, stored, stored, found.tag());
  }

  @Override
  public boolean take(Optional<Place> before, Holder mine, Pointer pointer) throws IOException {
    return swap(before.orElse(null), mine, pointer);
  }

  private boolean swap(@Nullable Place before, Holder mine, Pointer pointer) throws IOException {
    StoredObject expected = before == null ? null : new StoredObject(before.tag(), new byte[0]);
    return current.swap(expected, ManifestCodec.encode(mine, pointer)).isPresent();
  }

  @Override
  public Optional<StoredPointer> movedAfter(Place before) {
    // This publisher has replaced the place that was found.
    return Optional.empty();
  }

  @Override
  public boolean point(Holder mine, Pointer pointer) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      Optional<Place> now = place();
      if (now.isEmpty() || !now.get().isOf(mine)) {
        return false;
      }
      // The swap also fails if an earlier swap of this publisher took effect only now.
      if (swap(now.get(), mine, pointer)) {
        return true;
      }
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s changed before each of %d attempts to replace it",
            current.address(),
            TRIES));
  }

  @Override
  public long highestVersion(Optional<Place> read) throws IOException {
    List<ListedVersion> listed = ObjectLayout.versions(bucket, of);
    long highest = listed.isEmpty() ? 0 : listed.get(listed.size() - 1).version();
    return Math.max(highest, read.map(Place::highestVersion).orElse(0L));
  }

  @Override
  public List<Long> versions() throws IOException {
    return ObjectLayout.visible(bucket, of);
  }

  @Override
  public boolean holdsModels() throws IOException {
    // A reservation is not a manifest yet.
    return ObjectLayout.versions(bucket, of).stream()
            .anyMatch(each -> each.visible() || each.isRetired())
        || place().map(Place::highestVersion).orElse(0L) > 0;
  }

  @Override
  public NewVersion begin(Holder mine, long version) throws IOException {
    SwappedObject manifest = new SwappedObject(bucket, ObjectLayout.manifest(of, version));
    StoredObject begun =
        manifest
            .swap(null, ObjectLayout.newReservation())
            .orElseThrow(
                () -> new FileAlreadyExistsException(address(version) + " appeared meanwhile"));
    String prefix = ObjectLayout.prefix(of, version);
    return new NewVersion() {
      private final List<String> written = new ArrayList<>();

      @Override
      public ModelFile write(String name, byte[] content) throws IOException {
        String key = prefix + StoreLayout.checked(name);
        written.add(key);
        bucket.put(key, content, new Condition.Always());
        return new ModelFile(name, content.length, Digests.sha256(content));
      }

      @Override
      public ModelFile copy(String name, Path from) throws IOException {
        String key = prefix + StoreLayout.checked(name);
        written.add(key);
        MessageDigest sha256 = Digests.sha256();
        long bytes = bucket.upload(key, from, sha256);
        return new ModelFile(name, bytes, Digests.text(sha256));
      }

      @Override
      public void finish(byte[] content) throws IOException {
        if (manifest.swap(begun, content).isEmpty()) {
          throw new IOException(
              address(version) + " was removed by another publisher while it was written");
        }
      }

      @Override
      public void abandon(IOException why) {
        try {
          // A manifest that is still on its way must not arrive after its files are gone.
          if (manifest.swap(begun, DEAD).isPresent()) {
            for (String key : written) {
              bucket.delete(key);
            }
          }
        } catch (IOException left) {
          why.addSuppressed(left);
        }
      }
    };
  }

  @Override
  public String rowsTag(long version) throws IOException {
    String key = ObjectLayout.prefix(of, version) + ModelManifest.ROWS_FILE;
    for (Listed each : bucket.list(key)) {
      if (each.key().equals(key)) {
        return each.bytes() + " " + each.tag();
      }
    }
    throw new CorruptModelException(bucket.address(key) + " is missing");
  }

  @Override
  public void replace(String name, byte[] content) throws IOException {
    SwappedObject file = new SwappedObject(bucket, key(name));
    for (int i = 0; i < TRIES; i++) {
      if (file.swap(file.readAny().orElse(null), content).isPresent()) {
        return;
      }
    }
    throw changing(file);
  }

  private static IOException changing(SwappedObject file) {
    return new IOException(
        String.format(
            Locale.ROOT,
            "%s was changed by other processes before each of %d attempts to write it; try again",
            file.address(),
            TRIES));
  }

  @Override
  public boolean remove(String name) throws IOException {
    String key = key(name);
    boolean there = bucket.list(key).stream().anyMatch(each -> each.key().equals(key));
    if (there) {
      bucket.delete(key);
    }
    return there;
  }

  /**
   * Changes the aliases by a compare and swap. An object without aliases is kept: a deleted object
   * could not be the condition of a write.
   */
  @Override
  public void changeAliases(AliasChange change) throws IOException {
    SwappedObject file = new SwappedObject(bucket, key(StoreLayout.ALIASES));
    for (int i = 0; i < TRIES; i++) {
      Optional<StoredObject> before = file.readAny();
      SortedMap<String, Alias> now =
          before.isEmpty()
              ? new TreeMap<>()
              : ManifestCodec.aliases(before.get().content(), file.address());
      SortedMap<String, Alias> after = change.of(new TreeMap<>(now));
      if (after.equals(now)
          || file.swap(before.orElse(null), ManifestCodec.encode(after)).isPresent()) {
        return;
      }
    }
    throw changing(file);
  }

  @Override
  public Retired retire(long version) throws IOException {
    String key = ObjectLayout.manifest(of, version);
    Optional<StoredObject> manifest = bucket.get(key, null);
    if (manifest.isPresent()) {
      String copy = ObjectLayout.prefix(of, version) + ObjectLayout.RETIRED_MANIFEST;
      bucket.put(copy, manifest.get().content(), new Condition.Always());
      bucket.delete(key);
    }
    return new Retired(StoreLayout.version(version), version);
  }

  @Override
  public List<Retired> retired() throws IOException {
    return ObjectLayout.versions(bucket, of).stream()
        .filter(each -> !each.visible() && each.isRetired())
        .map(each -> new Retired(StoreLayout.version(each.version()), each.version()))
        .toList();
  }

  /**
   * Makes a version visible again; the copy of its manifest stays, as another publisher may be
   * about to delete the manifest.
   */
  @Override
  public void restore(Retired retired) throws IOException {
    String prefix = ObjectLayout.prefix(of, retired.version());
    Optional<StoredObject> copy = bucket.get(prefix + ObjectLayout.RETIRED_MANIFEST, null);
    if (copy.isEmpty()) {
      return;
    }
    SwappedObject manifest =
        new SwappedObject(bucket, ObjectLayout.manifest(of, retired.version()));
    Optional<StoredObject> now = manifest.read();
    if (now.isEmpty()) {
      now = manifest.swap(null, copy.get().content());
    }
    if (now.isEmpty() || now.get().content().length <= ObjectLayout.MOST_RESERVATION_BYTES) {
      throw new IOException(manifest.address() + ": its files are being deleted already");
    }
  }

  @Override
  public void delete(Retired retired, List<String> left) {
    try {
      deleteAll(retired.version());
    } catch (IOException failed) {
      left.add("cannot delete " + address(retired.version()) + ": " + failed);
    }
  }

  /**
   * Deletes the objects of a version unless the version was restored. Deletes the copy of the
   * manifest after the files, and the empty manifest last: one of these two leads a later clean-up
   * to the files that are left.
   */
  private void deleteAll(long version) throws IOException {
    String prefix = ObjectLayout.prefix(of, version);
    String copy = prefix + ObjectLayout.RETIRED_MANIFEST;
    SwappedObject manifest = new SwappedObject(bucket, prefix + StoreLayout.MANIFEST);
    if (manifest.swap(null, DEAD).isEmpty()) {
      return;
    }
    for (Listed each : bucket.list(prefix)) {
      if (!each.key().equals(copy) && !each.key().equals(prefix + StoreLayout.MANIFEST)) {
        bucket.delete(each.key());
      }
    }
    bucket.delete(copy);
    bucket.delete(prefix + StoreLayout.MANIFEST);
  }

  @Override
  public void sweep(Holder mine, OptionalLong pointed, List<String> left) throws IOException {
    if (pointed.isEmpty()) {
      return;
    }
    for (ListedVersion each : ObjectLayout.versions(bucket, of)) {
      // A publisher that writes below the pointer has been replaced; above the pointer a publisher
      // may be at work.
      if (each.version() < pointed.getAsLong() && !each.visible() && !each.isRetired()) {
        try {
          deleteUnfinished(each);
        } catch (IOException failed) {
          left.add("cannot delete " + address(each.version()) + ": " + failed);
        }
      }
    }
    try {
      bucket.abandonUploads(
          ObjectLayout.prefix(of) + "v",
          key -> {
            long version = ObjectLayout.versionOf(of, key);
            return version > 0 && version < pointed.getAsLong();
          });
    } catch (IOException failed) {
      left.add("cannot end unfinished uploads to " + address() + ": " + failed);
    }
  }

  private void deleteUnfinished(ListedVersion unfinished) throws IOException {
    String manifest = ObjectLayout.manifest(of, unfinished.version());
    if (unfinished.reservation().isPresent()) {
      SwappedObject reservation = new SwappedObject(bucket, manifest);
      Optional<StoredObject> begun = reservation.read();
      if (begun.isPresent()
          && (begun.get().content().length > ObjectLayout.MOST_RESERVATION_BYTES
              || reservation.swap(begun.get(), DEAD).isEmpty())) {
        // The version was finished meanwhile, and is a version like others.
        return;
      }
    }
    for (Listed each : unfinished.objects().values()) {
      if (!each.key().equals(manifest)) {
        bucket.delete(each.key());
      }
    }
    bucket.delete(manifest);
  }
}
