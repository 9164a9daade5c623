package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.AlreadyPinnedException;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Published models on the heap, with their pin, whose medium fails when a test says so. */
final class FakeModels implements PublishedModels {
  static final String PEOPLE = "people";
  private static final String LEARNER = "the learner";
  private static final String NOWHERE = "heap";

  /** What happens to the next publications. */
  enum Fault {
    NONE,
    /** They fail. */
    FAILS,
    /** They succeed, and the publisher hears that they have failed. */
    ANSWER_IS_LOST
  }

  /** A version as an outsider finds it. */
  record Version(ModelManifest manifest, String digest, SortedMap<String, byte[]> files) {
    long number() {
      return manifest.version();
    }

    /** What its model was trained on. */
    List<Long> lineage() {
      return FakeLineageTrainer.read(files.get(FakeLineageTrainer.FILE));
    }

    private ModelCheckpoint checkpoint() {
      return new ModelCheckpoint(NOWHERE, manifest, digest);
    }
  }

  /**
   * The pin was set or taken away.
   *
   * @param newest version at that time
   */
  record Pinning(@Nullable Pin before, @Nullable Pin after, long newest) {}

  /** All that were ever published, also those that are deleted. */
  final List<Version> versions = new ArrayList<>();

  /** All that was ever done to the pin. */
  final List<Pinning> pinnings = new ArrayList<>();

  /** Versions of which the publisher has heard that they were not published. */
  final Set<Long> lost = new HashSet<>();

  private final Set<Long> deleted = new HashSet<>();
  private final UnstoredModels numbers = new UnstoredModels();
  private @Nullable Pin pin;

  Fault publishing = Fault.NONE;

  /** Whether learners are told of a pin that is none, so that they do not catch up. */
  boolean seemsPinned;

  /** Whether pins and versions can be neither read nor written. */
  boolean outOfReach;

  @Override
  public void claim() {}

  @Override
  public ModelCheckpoint publish(ModelDraft draft) throws IOException {
    if (publishing == Fault.FAILS) {
      throw new IOException("no space left on device");
    }
    ModelCheckpoint done = numbers.publish(draft);
    versions.add(new Version(done.manifest(), done.digest(), new TreeMap<>(draft.files())));
    if (publishing == Fault.ANSWER_IS_LOST) {
      lost.add(done.manifest().version());
      throw new IOException("the answer is lost");
    }
    return done;
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return numbers.current();
  }

  /** The version with a number, deleted or not. */
  Version version(long number) {
    return versions.stream().filter(each -> each.number() == number).findFirst().orElseThrow();
  }

  /** Returns the existing versions, oldest first. */
  List<Version> list() {
    return versions.stream().filter(each -> !deleted.contains(each.number())).toList();
  }

  /** The pin, whether it holds or not. */
  @Nullable Pin pinned() {
    return pin;
  }

  /** The pin that lets another version serve than the newest. */
  @Nullable Pin holding() {
    Pin set = pin;
    return set != null && set.holds(newest()) ? set : null;
  }

  /** The number of the newest version, 0 before the first. */
  long newest() {
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).number();
  }

  /** The number of the version in service, 0 before the first. */
  long serving() {
    Pin holds = holding();
    return holds == null ? newest() : holds.version();
  }

  /** People let a version serve, until a version above another one is published or for good. */
  void pin(long version, long until, String by) {
    replace(new Pin(1, version, version(version).digest(), until, "worse", by, pinnings.size()));
  }

  /** People let the newest version serve. */
  void unpin() {
    replace(null);
  }

  private void replace(@Nullable Pin by) {
    pinnings.add(new Pinning(pin, by, newest()));
    pin = by;
  }

  private void reach() throws IOException {
    if (outOfReach) {
      throw new IOException("the disk is away");
    }
  }

  private Version read(long number) throws IOException {
    reach();
    if (deleted.contains(number)) {
      throw new CorruptModelException("version " + number + " is not there any more");
    }
    return version(number);
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    Version back = read(version);
    if (!back.digest().equals(digest) || left <= version) {
      throw new CorruptModelException("version " + version + " is another one");
    }
    Pin set = pin;
    if (set != null && set.forbids(version, left)) {
      throw new AlreadyPinnedException(set);
    }
    pin(version, left, LEARNER);
  }

  @Override
  public Optional<Pin> pin() throws IOException {
    reach();
    if (seemsPinned) {
      return Optional.of(new Pin(1, 1, "", 0, "a seeded bug", PEOPLE, 0));
    }
    return Optional.ofNullable(pin);
  }

  @Override
  public Optional<ServedFiles> inService() throws IOException {
    reach();
    if (versions.isEmpty()) {
      return Optional.empty();
    }
    Version serves = read(serving());
    return Optional.of(new ServedFiles(serves.checkpoint(), serves.files(), holding()));
  }

  @Override
  public Optional<ModelManifest> manifest(long version) throws IOException {
    return Optional.of(read(version).manifest());
  }

  @Override
  public void forget(long before) throws IOException {
    reach();
    if (newest() <= before) {
      return;
    }
    Pin set = pin;
    if (set != null && set.version() <= before) {
      unpin();
    }
    list().stream().filter(each -> each.number() <= before).forEach(e -> deleted.add(e.number()));
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
    Pin set = pin;
    Stream<Version> newestFirst =
        list().stream().sorted(Comparator.comparing(Version::number).reversed());
    newestFirst
        .skip(keep)
        .filter(each -> !needed.contains(each.number()))
        .filter(each -> set == null || set.version() != each.number())
        .forEach(each -> deleted.add(each.number()));
    return new ModelPublisher.CleanUp(0, List.of());
  }
}
