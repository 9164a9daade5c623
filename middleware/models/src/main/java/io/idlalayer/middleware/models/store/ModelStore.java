package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.ModelStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.folder.FileOperations;
import io.idlalayer.middleware.models.storage.folder.FolderSource;
import io.idlalayer.middleware.models.storage.folder.FolderStorage;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import io.idlalayer.middleware.models.storage.object.ObjectBucketProvider;
import io.idlalayer.middleware.models.storage.object.ObjectStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes published versions of models, in a folder or an object store. In a folder:
 *
 * <pre>
 * ROOT/APPLICATION/PARTITION/v0000000007/                      the model's files, manifest.json
 * ROOT/APPLICATION/PARTITION/publisher-0000000003/holder.json  who may publish
 * ROOT/APPLICATION/PARTITION/publisher-0000000003/current.json the pointer
 * </pre>
 *
 * <p>In an object store pointer and publisher are one object, {@code current.json}.
 *
 * <p>A version appears as a whole; then the pointer is replaced atomically. So a reader sees the
 * old or the new version, whole, at any moment and after any crash.
 *
 * <p>Each application partition has one {@link ModelPublisher}, and any number of readers in any
 * process. The pointer belongs to the newest publisher; readers see nothing that an older publisher
 * still writes. May be shared between threads.
 */
public final class ModelStore extends ModelReader implements AutoCloseable {
  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+)://.*", Pattern.DOTALL);

  private final ModelStorage storage;
  private final ModelSource source;

  /** Reader without a cache, for decisions that must take deleted versions into account. */
  private final ModelReader fresh;

  private final InstantSource clock;
  private final PublisherIdentity identity;

  /** Opens a model folder for reading, and for publishing in the name of this process. */
  public ModelStore(Path root, InstantSource clock) {
    this(root, clock, PublisherIdentity.ofThisProcess());
  }

  /**
   * Opens a model folder.
   *
   * @param identity in whose name {@link #claim} takes publishers' places
   */
  public ModelStore(Path root, InstantSource clock, PublisherIdentity identity) {
    this(root, clock, identity, FileOperations.system());
  }

  ModelStore(Path root, InstantSource clock, PublisherIdentity identity, FileOperations files) {
    this(new FolderStorage(root, files), clock, identity);
  }

  /**
   * Opens models in an object store.
   *
   * @param bucket closed with the store
   * @param identity in whose name {@link #claim} takes publishers' places
   */
  public ModelStore(ObjectBucket bucket, InstantSource clock, PublisherIdentity identity) {
    this(new ObjectStorage(bucket), clock, identity);
  }

  private ModelStore(ModelStorage storage, InstantSource clock, PublisherIdentity identity) {
    this(storage, storage.source(), clock, identity);
  }

  private ModelStore(
      ModelStorage storage, ModelSource source, InstantSource clock, PublisherIdentity identity) {
    super(source);
    this.storage = storage;
    this.source = source;
    fresh = new ModelReader(storage.freshSource());
    this.clock = clock;
    this.identity = identity;
  }

  /**
   * Opens a model folder or an object store, given its path or address.
   *
   * @param place a folder, or {@code s3://BUCKET/PREFIX}
   * @throws IllegalArgumentException if it is an address that cannot be opened; the message says
   *     why
   * @throws IOException if this process cannot use the place
   */
  public static ModelStore open(String place, InstantSource clock, PublisherIdentity identity)
      throws IOException {
    return isAddress(place)
        ? new ModelStore(provider(place).open(place), clock, identity)
        : new ModelStore(Path.of(place), clock, identity);
  }

  /**
   * Checks whether {@link #open} can open an address.
   *
   * @throws IllegalArgumentException if it cannot. The message says why, and does not repeat the
   *     address, which might have a password
   */
  public static void checkAddress(String address) {
    provider(address).check(address);
  }

  /** Returns whether a place is the address of an object store, and not a folder. */
  public static boolean isAddress(String place) {
    return ADDRESS.matcher(place).matches();
  }

  private static ObjectBucketProvider provider(String address) {
    Matcher matcher = ADDRESS.matcher(address);
    String scheme = matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
    for (ObjectBucketProvider each :
        ServiceLoader.load(
            ObjectBucketProvider.class, ObjectBucketProvider.class.getClassLoader())) {
      if (each.scheme().equals(scheme)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        scheme.equals("s3")
            ? "models in an object store (s3://) need the artifact idlalayer-model-store-s3 on the"
                + " class path, with all that it needs"
            : "models cannot be in %s://; name a folder, or s3://BUCKET/PREFIX".formatted(scheme));
  }

  /** Returns the folder of the models; empty if they are in an object store. */
  public Optional<Path> folder() {
    return storage.folder();
  }

  /**
   * Returns the source of these models, for other readers; it must not be used after this store was
   * closed.
   */
  public ModelSource source() {
    return source;
  }

  /**
   * Returns a source that reads a folder for untrusted readers: links that lead out of the folder
   * do not exist for them.
   */
  public static ModelSource confined(Path root) {
    return new FolderSource(root, true);
  }

  /**
   * Returns whether the store has no models of any application. An object store has no folders that
   * could be missing, so only this method reveals a mistyped name there.
   */
  public boolean isEmpty() throws IOException {
    return storage.isEmpty();
  }

  /**
   * Returns whether an application partition has published anything that is still stored, readable
   * or not.
   */
  public boolean holdsModels(String application, int partition) throws IOException {
    return storage.partition(new ApplicationPartition(application, partition)).holdsModels();
  }

  /**
   * Reads a small file beside an application's models; empty if there is no such file.
   *
   * @param name a name that is not the name of a version or partition
   */
  public Optional<byte[]> note(String application, String name) throws IOException {
    return storage.note(application, name);
  }

  /**
   * Replaces a small file beside an application's models as a whole; the new content is durable
   * when this returns.
   */
  public void writeNote(String application, String name, byte[] content) throws IOException {
    storage.writeNote(application, name, content);
  }

  /**
   * Makes the caller the only publisher of an application partition; the previous publisher cannot
   * publish from then on. A pointer that is damaged, missing or names a damaged version is rebuilt
   * from the newest complete version; an intact pointer stays unchanged.
   *
   * @throws IOException if the medium fails. The previous publisher then either keeps its place, or
   *     cannot publish either
   */
  public ModelPublisher claim(String application, int partition) throws IOException {
    return claim(new ApplicationPartition(application, partition), fresh);
  }

  /**
   * Makes the caller the only publisher of an application partition, see {@link #claim(String,
   * int)}.
   *
   * @param reader reader for the publisher; it returns nothing from a cache
   */
  ModelPublisher claim(ApplicationPartition of, ModelReader reader) throws IOException {
    ModelPublisher publisher = new ModelPublisher(this, reader, storage, of, identity, clock);
    publisher.claim();
    return publisher;
  }

  /**
   * Pins a version, which then serves although it is not the newest: subscribers go to it at their
   * next look. This method first verifies the files of the version. It replaces an earlier pin. Any
   * process may pin, not only the publisher.
   *
   * @param checkpoint the version to pin, from this store
   * @param until the pin holds until a version with a larger number than this is current; 0 if it
   *     holds until {@link #unpin}
   * @param reason a sentence that the pin keeps
   * @throws CorruptModelException if the version is damaged, or is deleted meanwhile
   */
  public Pin pin(ModelCheckpoint checkpoint, long until, String reason) throws IOException {
    verify(checkpoint);
    return pinVerified(checkpoint, until, reason);
  }

  /**
   * Pins a version that was verified, and reads its manifest and the lengths of its row files once
   * more when the pin is stored.
   */
  Pin pinVerified(ModelCheckpoint checkpoint, long until, String reason) throws IOException {
    ModelManifest manifest = checkpoint.manifest();
    ApplicationPartition of =
        new ApplicationPartition(manifest.application(), manifest.partition());
    Pin pin =
        new Pin(
            ModelManifest.FORMAT_VERSION,
            manifest.version(),
            checkpoint.digest(),
            until,
            reason,
            identity.run(),
            clock.millis());
    PartitionStorage partition = storage.partition(of);
    Optional<Pin> before = intact(of);
    partition.replace(StoreLayout.PIN, ManifestCodec.encode(pin));
    try {
      fresh.chain(fresh.manifests().pinned(of, pin));
    } catch (IOException unknown) {
      try {
        if (before.isPresent()) {
          partition.replace(StoreLayout.PIN, ManifestCodec.encode(before.get()));
        } else {
          partition.remove(StoreLayout.PIN);
        }
      } catch (IOException stays) {
        unknown.addSuppressed(
            new IOException(
                String.format(Locale.ROOT, "version %d stays pinned: %s", pin.version(), stays),
                stays));
      }
      throw unknown;
    }
    return pin;
  }

  /**
   * Pins an older version, which then serves until a version above the current one is published.
   *
   * @param version the version to serve; 0 for the newest version that is older than the version in
   *     service and that the last rollback did not take out of service
   * @param reason a sentence that the pin keeps
   * @throws IllegalArgumentException if the version is the current one or newer
   * @throws IOException if there is no such version any more, or nothing is published
   */
  public Pin rollBack(ApplicationPartition of, long version, String reason) throws IOException {
    String application = of.application();
    // If the caller names a version, it does not matter what serves, so a damaged pin is
    // replaced.
    long serves =
        version > 0
            ? 0
            : published(of, serving(application, of.partition()).map(Serving::checkpoint));
    // Read after the version in service, so that the current version is not older if a version is
    // published meanwhile.
    long current = published(of, current(application, of.partition()));
    ModelCheckpoint back =
        version > 0 ? read(application, of.partition(), version) : before(of, serves);
    if (back.manifest().version() >= current) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "v%d is the current version or newer; a rollback goes to an older one",
              back.manifest().version()));
    }
    return pin(back, current, reason);
  }

  private static long published(ApplicationPartition of, Optional<ModelCheckpoint> checkpoint)
      throws IOException {
    return checkpoint
        .map(it -> it.manifest().version())
        .orElseThrow(
            () -> new IOException("%s has published no model".formatted(of.application())));
  }

  private ModelCheckpoint before(ApplicationPartition of, long serves) throws IOException {
    Optional<Pin> rollback = intact(of);
    List<ModelCheckpoint> older =
        list(of.application(), of.partition()).stream()
            .filter(each -> each.manifest().version() < serves)
            .filter(each -> rollback.isEmpty() || !rollback.get().left(each.manifest().version()))
            .toList();
    if (older.isEmpty()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s has no version before v%d to go back to, other than those that the last rollback left. publishing.keep says how many versions stay, and --to chooses one",
              of.application(),
              serves));
    }
    return older.get(older.size() - 1);
  }

  /** Returns the pin that would be replaced; empty if there is none, or if it is damaged. */
  private Optional<Pin> intact(ApplicationPartition of) throws IOException {
    try {
      return fresh.pin(of.application(), of.partition());
    } catch (CorruptModelException damaged) {
      return Optional.empty();
    }
  }

  /**
   * Removes the pin, so that the current version serves again.
   *
   * @return whether there was a pin
   */
  public boolean unpin(String application, int partition) throws IOException {
    return storage
        .partition(new ApplicationPartition(application, partition))
        .remove(StoreLayout.PIN);
  }

  /**
   * Gives a version an alias, and takes the alias from the version that had it. Subscribers that
   * follow the alias go to the version at their next look, and no clean-up deletes a version that
   * has an alias. This method first verifies the files of the version. Any process can give
   * aliases, not only the publisher.
   *
   * @param name the alias; {@link Alias#isName} must accept it
   * @param checkpoint the version that gets the alias, from this store
   * @throws CorruptModelException if the version is damaged, or is deleted meanwhile, or the file
   *     of the aliases is damaged
   * @throws IOException also if there are {@value Alias#MOST} other aliases
   */
  public Alias alias(String name, ModelCheckpoint checkpoint) throws IOException {
    Alias.checked(name);
    ModelManifest manifest = checkpoint.manifest();
    ApplicationPartition of =
        new ApplicationPartition(manifest.application(), manifest.partition());
    verify(checkpoint);
    Alias alias =
        new Alias(manifest.version(), checkpoint.digest(), identity.run(), clock.millis());
    PartitionStorage partition = storage.partition(of);
    AtomicReference<@Nullable Alias> before = new AtomicReference<>();
    partition.changeAliases(
        now -> {
          int had = now.size();
          before.set(now.put(name, alias));
          if (now.size() > Alias.MOST) {
            throw new IOException(
                String.format(
                    Locale.ROOT,
                    "%s has %d aliases, which are the most it can have; remove one",
                    of,
                    had));
          }
          return now;
        });
    try {
      fresh.chain(fresh.manifests().aliased(of, name, alias));
    } catch (IOException unknown) {
      try {
        partition.changeAliases(now -> withoutAgain(now, name, alias, before.get()));
      } catch (IOException stays) {
        unknown.addSuppressed(
            new IOException(
                String.format(Locale.ROOT, "'%s' names v%d: %s", name, alias.version(), stays),
                stays));
      }
      throw unknown;
    }
    return alias;
  }

  /**
   * Takes back an alias that was just given: returns the aliases in which the earlier version has
   * the alias again, unless the alias was given once more meanwhile.
   */
  private static SortedMap<String, Alias> withoutAgain(
      SortedMap<String, Alias> now, String name, Alias given, @Nullable Alias before) {
    if (given.equals(now.get(name))) {
      if (before == null) {
        now.remove(name);
      } else {
        now.put(name, before);
      }
    }
    return now;
  }

  /**
   * Removes an alias. Subscribers that follow it keep the version that they serve.
   *
   * @return whether a version had the name
   * @throws CorruptModelException if the file of the aliases is damaged
   */
  public boolean removeAlias(String application, int partition, String name) throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    AtomicBoolean had = new AtomicBoolean();
    storage
        .partition(of)
        .changeAliases(
            now -> {
              had.set(now.remove(name) != null);
              return now;
            });
    return had.get();
  }

  /** Closes the connections to an object store. */
  @Override
  public void close() {
    storage.close();
  }
}
