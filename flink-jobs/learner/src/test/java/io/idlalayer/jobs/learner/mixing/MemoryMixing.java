package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.mixing.MixingRows;
import io.idlalayer.jobs.mixing.StoredMixing;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Contributions and mixed versions on the heap, which outlast the learners and the mixer. */
final class MemoryMixing implements MixingPlace {
  private static final int OTHERS = 99;

  private boolean reachable = true;
  private final Map<String, Contribution> contributions = new HashMap<>();
  private final Map<Integer, Long> contributed = new HashMap<>();
  private final Map<String, SortedMap<String, byte[]>> versions = new HashMap<>();
  private final Consumer<ModelManifest> published;
  private ModelCheckpoint current;
  private final Map<Kind, ModelCheckpoint> others = new EnumMap<>(Kind.class);
  private final List<ModelManifest> verdicts = new ArrayList<>();
  private final @Nullable MemoryRows rows;
  private long digests;

  /**
   * @param published is told of each mixed version before it is current
   */
  MemoryMixing(Consumer<ModelManifest> published) {
    this(published, null);
  }

  /**
   * @param rows the rows of tables; null if models have none
   */
  MemoryMixing(Consumer<ModelManifest> published, @Nullable MemoryRows rows) {
    this.published = published;
    this.rows = rows;
  }

  @Override
  public Optional<MixingRows> rows() {
    return Optional.ofNullable(rows);
  }

  /** Stores a contribution under the next number of its partition. */
  ModelCheckpoint contribute(int partition, SortedMap<String, byte[]> files) {
    long version = contributed.merge(partition, 1L, Long::sum);
    ModelCheckpoint stored =
        stored(partition, version, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    contributions.put(stored.digest(), new Contribution(stored.manifest(), files));
    return stored;
  }

  /**
   * Stores a contribution with its rows.
   *
   * @param parentDigest digest of the contribution whose rows it changes; "" for none
   */
  ModelCheckpoint contribute(
      int partition, SortedMap<String, byte[]> files, String parentDigest, DraftRows added)
      throws IOException {
    long version = contributed.merge(partition, 1L, Long::sum);
    TreeMap<String, Long> counts = new TreeMap<>();
    TreeMap<String, String> attributes = new TreeMap<>();
    added.addTo(counts, attributes, new TreeMap<>(), new TreeMap<>());
    ModelCheckpoint stored =
        stored(partition, version, parentDigest, counts, new TreeMap<>(), attributes, size(added));
    contributions.put(stored.digest(), new Contribution(stored.manifest(), files));
    Objects.requireNonNull(rows).put(stored, added);
    return stored;
  }

  /** Stores what a learner publishes as a contribution, with its rows if it has some. */
  ModelCheckpoint contribute(int partition, ModelDraft draft) {
    long version = contributed.merge(partition, 1L, Long::sum);
    byte[] added = rowsOf(draft);
    ModelCheckpoint stored =
        stored(
            partition,
            version,
            draft.parentDigest(),
            draft.counts(),
            draft.metrics(),
            draft.attributes(),
            added.length);
    contributions.put(stored.digest(), new Contribution(stored.manifest(), draft.files()));
    if (added.length > 0) {
      Objects.requireNonNull(rows).put(stored, added, draft.files().get(DraftRows.SINCE_FILE));
    }
    return stored;
  }

  private static long size(DraftRows added) throws IOException {
    byte[] bytes = added.bytes();
    return bytes == null ? Files.size(Objects.requireNonNull(added.file())) : bytes.length;
  }

  /** Loses the file of a contribution. */
  void lose(String digest) {
    contributions.remove(digest);
  }

  /** Says whether contributions can be read. */
  void reachable(boolean now) {
    reachable = now;
  }

  private ModelCheckpoint stored(
      int partition,
      long version,
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      SortedMap<String, String> attributes) {
    return stored(partition, version, "", counts, metrics, attributes, 0);
  }

  private ModelCheckpoint stored(
      int partition,
      long version,
      String parentDigest,
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      SortedMap<String, String> attributes,
      long rowBytes) {
    ModelManifest manifest =
        new ModelManifest(
            ModelManifest.FORMAT_VERSION,
            "app",
            partition,
            version,
            0,
            parentDigest,
            0,
            new TreeMap<>(),
            counts,
            metrics,
            attributes,
            rowBytes == 0
                ? List.of()
                : List.of(new ModelManifest.ModelFile(ModelManifest.ROWS_FILE, rowBytes, "")));
    return new ModelCheckpoint(partition + "/" + version, manifest, "digest-" + ++digests);
  }

  @Override
  public Contribution contribution(int partition, long version, String digest) throws IOException {
    if (!reachable) {
      throw new IOException("the store does not answer");
    }
    Contribution found = contributions.get(digest);
    if (found == null) {
      throw new NoSuchFileException("it is gone");
    }
    return found;
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return Optional.ofNullable(current);
  }

  SortedMap<String, byte[]> load(ModelCheckpoint version) {
    return versions.get(version.digest());
  }

  @Override
  public ModelCheckpoint store(Kind kind, ModelDraft draft) {
    return kind == Kind.SERVED ? publish(draft) : other(kind, draft);
  }

  /** Publishes a version, which is current then. */
  ModelCheckpoint publish(ModelDraft draft) {
    long version = current == null ? 1 : current.manifest().version() + 1;
    byte[] added = rowsOf(draft);
    ModelCheckpoint done =
        stored(
            0,
            Math.max(version, draft.minimumVersion()),
            draft.parentDigest(),
            draft.counts(),
            draft.metrics(),
            draft.attributes(),
            added.length);
    if (added.length > 0) {
      Objects.requireNonNull(rows).put(done, added, null);
    }
    published.accept(done.manifest());
    versions.put(done.digest(), draft.files());
    current = done;
    return done;
  }

  private static byte[] rowsOf(ModelDraft draft) {
    Path file = draft.copied().get(ModelManifest.ROWS_FILE);
    try {
      return file == null
          ? draft.files().getOrDefault(ModelManifest.ROWS_FILE, new byte[0])
          : Files.readAllBytes(file);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private ModelCheckpoint other(Kind kind, ModelDraft draft) {
    ModelCheckpoint done =
        stored(draft.partition(), 1, draft.counts(), draft.metrics(), draft.attributes());
    versions.put(done.digest(), draft.files());
    others.put(kind, done);
    if (kind == Kind.VERDICT) {
      verdicts.add(0, done.manifest());
    }
    return done;
  }

  @Override
  public int partition(Kind kind) {
    return StoredMixing.partition(kind, OTHERS);
  }

  @Override
  public List<ModelManifest> verdicts() {
    return List.copyOf(verdicts);
  }

  /** The newest of a kind that does not serve. */
  Optional<ModelCheckpoint> newest(Kind kind) {
    return Optional.ofNullable(others.get(kind));
  }

  /** The newest version that serves, and the newest one that does not. */
  List<ModelCheckpoint> newest() {
    return Stream.of(Optional.ofNullable(current), newest(Kind.WITHHELD))
        .flatMap(Optional::stream)
        .toList();
  }

  @Override
  public void cleanUp() {}
}
