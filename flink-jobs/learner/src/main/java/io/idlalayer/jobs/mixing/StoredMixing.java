package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.rows.ChainLimit;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contributions and the mixed versions of an application in model stores. Claims the
 * publisher's place before it first publishes, so that an older mixer of the application is refused
 * from then on.
 */
public final class StoredMixing implements MixingPlace, MixingRows {
  private static final Logger LOG = LoggerFactory.getLogger(StoredMixing.class);

  /**
   * Number of candidates that are kept, because a learner is possibly still reading the candidate
   * before the newest.
   */
  private static final int KEPT_CANDIDATES = 2;

  /** Number of verdicts that are kept, for a restore from a checkpoint that is a few rounds old. */
  private static final int KEPT_VERDICTS = 32;

  private final ModelStore models;
  private final ModelStore contributions;
  private final Path temporary;
  private final String application;
  private final int partitions;
  private final int keep;
  private boolean swept;
  private final Map<Kind, ModelPublisher> publishers = new EnumMap<>(Kind.class);

  /**
   * @param contributions place of the contributions; mixed models that do not serve are stored
   *     there too
   * @param local folder for temporary files, on this machine or mounted here
   * @param partitions number of learners
   * @param keep number of newest versions that are kept
   */
  public StoredMixing(
      ModelStore models,
      ModelStore contributions,
      Path local,
      String application,
      int partitions,
      int keep) {
    this.models = models;
    this.contributions = contributions;
    temporary = local.resolve(".rows").resolve(application).resolve("mixed");
    this.application = application;
    this.partitions = partitions;
    this.keep = keep;
  }

  private ModelPublisher publisher(Kind kind) throws IOException {
    ModelPublisher mine = publishers.get(kind);
    if (mine == null) {
      mine = place(kind).claim(application, partition(kind));
      publishers.put(kind, mine);
    }
    return mine;
  }

  private ModelStore place(Kind kind) {
    return kind == Kind.SERVED ? models : contributions;
  }

  @Override
  public int partition(Kind kind) {
    return partition(kind, partitions);
  }

  /**
   * Returns the partition number under which a kind is stored. The numbers of the kinds that do not
   * serve follow the numbers of the contributions.
   *
   * @param partitions number of learners
   */
  public static int partition(Kind kind, int partitions) {
    return switch (kind) {
      case SERVED -> 0;
      case WITHHELD -> partitions;
      case CANDIDATE -> partitions + 1;
      case VERDICT -> partitions + 2;
    };
  }

  private ModelCheckpoint contributed(int partition, long version, String digest)
      throws IOException {
    ModelCheckpoint found = contributions.read(application, partition, version);
    if (!found.digest().equals(digest)) {
      throw new CorruptModelException(
          "%s has digest %s, and %s is expected"
              .formatted(found.location(), found.digest(), digest));
    }
    return found;
  }

  @Override
  public Contribution contribution(int partition, long version, String digest) throws IOException {
    ModelCheckpoint found = contributed(partition, version, digest);
    SortedMap<String, byte[]> files = new TreeMap<>(contributions.load(found));
    // Reads later in the round are from one learner at a time, but this step needs the
    // contributions of all learners.
    files.remove(DraftRows.SINCE_FILE);
    return new Contribution(found.manifest(), files);
  }

  @Override
  public Optional<MixingRows> rows() {
    return Optional.of(this);
  }

  @Override
  public List<ModelCheckpoint> contributedChain(int partition, long version, String digest)
      throws IOException {
    return contributions.chain(contributed(partition, version, digest));
  }

  @Override
  public List<ModelCheckpoint> contributedSince(
      int partition, long version, String digest, String since) throws IOException {
    List<ModelCheckpoint> following = new ArrayList<>();
    ModelCheckpoint link = contributed(partition, version, digest);
    while (following.size() < ChainLimit.MOST_CHANGES && DraftRows.hasChanges(link.manifest())) {
      following.add(0, link);
      ModelManifest manifest = link.manifest();
      if (manifest.parentDigest().equals(since)) {
        return following;
      }
      if (manifest.parentVersion() < 1) {
        return List.of();
      }
      try {
        link = contributed(partition, manifest.parentVersion(), manifest.parentDigest());
      } catch (CorruptModelException gone) {
        LOG.debug("{}: not all changes of partition {} are known", application, partition, gone);
        return List.of();
      }
    }
    return List.of();
  }

  @Override
  public InputStream openChanges(ModelCheckpoint contribution) throws IOException {
    if (contribution.manifest().file(DraftRows.SINCE_FILE).isEmpty()) {
      return contributions.open(contribution);
    }
    byte[] changes = contributions.load(contribution).get(DraftRows.SINCE_FILE);
    return new ByteArrayInputStream(Objects.requireNonNull(changes));
  }

  @Override
  public List<ModelCheckpoint> servedChain(ModelCheckpoint version) throws IOException {
    return publisher(Kind.SERVED).chain(version.manifest().version(), version.digest());
  }

  @Override
  public InputStream openRows(ModelCheckpoint contribution) throws IOException {
    return contributions.open(contribution);
  }

  @Override
  public Path temporary() throws IOException {
    Files.createDirectories(temporary);
    if (!swept) {
      try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(temporary)) {
        for (Path leftover : leftovers) {
          Files.deleteIfExists(leftover);
        }
      }
      swept = true;
    }
    return temporary;
  }

  @Override
  public Optional<ModelCheckpoint> current() throws IOException {
    publisher(Kind.SERVED);
    return models.current(application, 0);
  }

  @Override
  public ModelCheckpoint store(Kind kind, ModelDraft draft) throws IOException {
    ModelCheckpoint stored = publisher(kind).publish(draft);
    if (kind == Kind.CANDIDATE || kind == Kind.VERDICT) {
      cleanUp(kind);
    }
    return stored;
  }

  @Override
  public List<ModelManifest> verdicts() throws IOException {
    publisher(Kind.VERDICT);
    return contributions.list(application, partition(Kind.VERDICT)).stream()
        .map(ModelCheckpoint::manifest)
        .sorted(Comparator.comparingLong(ModelManifest::version).reversed())
        .toList();
  }

  @Override
  public void cleanUp() {
    publishers.keySet().forEach(this::cleanUp);
  }

  private void cleanUp(Kind kind) {
    int most =
        switch (kind) {
          case SERVED, WITHHELD -> keep;
          case CANDIDATE -> KEPT_CANDIDATES;
          case VERDICT -> KEPT_VERDICTS;
        };
    try {
      publisher(kind).cleanUp(most, Set.of());
    } catch (IOException failed) {
      LOG.warn("old versions of {} could not be deleted ({})", application, kind, failed);
    }
  }
}
