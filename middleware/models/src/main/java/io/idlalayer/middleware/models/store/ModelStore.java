package io.idlalayer.middleware.models.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Published model versions in a folder, to be read and written:
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
 * so whatever an older publisher still does to its own cannot be seen. May be shared between
 * threads.
 */
public final class ModelStore extends ModelReader {
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
    super(new FolderSource(root, false));
    this.root = root;
    this.clock = clock;
    this.identity = identity;
    this.files = files;
  }

  public Path root() {
    return root;
  }

  /**
   * The same models for readers that are not trusted: links that lead out of the folder are as if
   * they were not there.
   */
  public static ModelSource confined(Path root) {
    return new FolderSource(root, true);
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
   * Lets a version serve although it is not the newest: subscribers go to it at their next look.
   * Any process may do so, whoever publishes. A pin that is there already is replaced.
   *
   * @param checkpoint of this store, whose files are verified before
   * @param until the pin holds until a version above this one is current; 0: until {@link #unpin}
   * @param reason a sentence for people
   * @throws CorruptModelException if the version is damaged, or is deleted meanwhile
   */
  public Pin pin(ModelCheckpoint checkpoint, long until, String reason) throws IOException {
    ModelManifest manifest = checkpoint.manifest();
    ApplicationPartition of =
        new ApplicationPartition(manifest.application(), manifest.partition());
    verify(checkpoint);
    Pin pin =
        new Pin(
            ModelManifest.FORMAT_VERSION,
            manifest.version(),
            checkpoint.digest(),
            until,
            reason,
            identity.run(),
            clock.millis());
    ReplacedFile file = new ReplacedFile(folder(of), StoreLayout.PIN, files);
    Optional<Pin> before = intact(of);
    file.write(ManifestCodec.encode(pin));
    try {
      chain(pinned(of, pin));
    } catch (CorruptModelException deleted) {
      if (before.isPresent()) {
        file.write(ManifestCodec.encode(before.get()));
      } else {
        file.delete();
      }
      throw deleted;
    }
    return pin;
  }

  /**
   * Lets an older version serve until one above the current version is published.
   *
   * @param version to go back to; 0 for the version before the one that serves
   * @param reason a sentence for people
   * @throws IllegalArgumentException if the version is the current one or newer
   * @throws IOException if there is no such version any more, or nothing is published
   */
  public Pin rollBack(ApplicationPartition of, long version, String reason) throws IOException {
    String application = of.application();
    long current =
        current(application, of.partition())
            .map(it -> it.manifest().version())
            .orElseThrow(() -> new IOException("%s has published no model".formatted(application)));
    ModelCheckpoint back =
        version > 0 ? read(application, of.partition(), version) : beforeServing(of, current);
    if (back.manifest().version() >= current) {
      throw new IllegalArgumentException(
          "v%d is the current version or newer; a rollback goes to an older one"
              .formatted(back.manifest().version()));
    }
    return pin(back, current, reason);
  }

  private ModelCheckpoint beforeServing(ApplicationPartition of, long current) throws IOException {
    long serves =
        serving(of.application(), of.partition())
            .map(it -> it.checkpoint().manifest().version())
            .orElse(current);
    List<ModelCheckpoint> older =
        list(of.application(), of.partition()).stream()
            .filter(each -> each.manifest().version() < serves)
            .toList();
    if (older.isEmpty()) {
      throw new IOException(
          "%s has no version before v%d any more; publishing.keep says how many stay"
              .formatted(of.application(), serves));
    }
    return older.get(older.size() - 1);
  }

  /** The pin that is replaced; empty if there is none, or a damaged one. */
  private Optional<Pin> intact(ApplicationPartition of) throws IOException {
    try {
      return pin(of.application(), of.partition());
    } catch (CorruptModelException damaged) {
      return Optional.empty();
    }
  }

  /**
   * Lets the current version serve again.
   *
   * @return whether there was a pin
   */
  public boolean unpin(String application, int partition) throws IOException {
    Path folder = folder(new ApplicationPartition(application, partition));
    if (!Files.exists(folder.resolve(StoreLayout.PIN))) {
      return false;
    }
    new ReplacedFile(folder, StoreLayout.PIN, files).delete();
    return true;
  }

  /**
   * Gives a version a name; a version that has it loses it. Subscribers that follow the name go to
   * the version at their next look, and it is not deleted while it has a name. Any process may do
   * so, whoever publishes.
   *
   * @param name as {@link Alias#isName} wants it
   * @param checkpoint of this store, whose files are verified before
   * @throws CorruptModelException if the version is damaged, or is deleted meanwhile, or the file
   *     of the aliases is damaged
   * @throws IOException also if there are {@value Alias#MOST} other names
   */
  public Alias alias(String name, ModelCheckpoint checkpoint) throws IOException {
    Alias.checked(name);
    ModelManifest manifest = checkpoint.manifest();
    ApplicationPartition of =
        new ApplicationPartition(manifest.application(), manifest.partition());
    verify(checkpoint);
    AliasFile file = new AliasFile(folder(of), files);
    return file.alone(() -> alias(of, name, checkpoint, file));
  }

  private Alias alias(
      ApplicationPartition of, String name, ModelCheckpoint checkpoint, AliasFile file)
      throws IOException {
    SortedMap<String, Alias> before = aliases(of.application(), of.partition());
    TreeMap<String, Alias> after = new TreeMap<>(before);
    Alias alias =
        new Alias(
            checkpoint.manifest().version(), checkpoint.digest(), identity.run(), clock.millis());
    after.put(name, alias);
    if (after.size() > Alias.MOST) {
      throw new IOException(
          "%s has %d aliases, which are the most it can have; remove one"
              .formatted(of, before.size()));
    }
    file.write(after);
    try {
      chain(named(of, name, alias));
    } catch (CorruptModelException deleted) {
      file.write(before);
      throw deleted;
    }
    return alias;
  }

  /**
   * Takes a name away. Subscribers that follow it keep the version that they serve.
   *
   * @return whether a version had it
   * @throws CorruptModelException if the file of the aliases is damaged
   */
  public boolean removeAlias(String application, int partition, String name) throws IOException {
    ApplicationPartition of = new ApplicationPartition(application, partition);
    if (!Files.isDirectory(folder(of))) {
      return false;
    }
    AliasFile file = new AliasFile(folder(of), files);
    return file.alone(
        () -> {
          TreeMap<String, Alias> left = new TreeMap<>(aliases(application, partition));
          boolean had = left.remove(name) != null;
          if (had) {
            file.write(left);
          }
          return had;
        });
  }

  static Path pointer(Path folder, long epoch) {
    return folder.resolve(StoreLayout.publisher(epoch)).resolve(StoreLayout.POINTER);
  }

  Path folder(ApplicationPartition of) {
    return root.resolve(of.application()).resolve(Integer.toString(of.partition()));
  }
}
