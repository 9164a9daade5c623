package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.PublishedRows;
import io.idlalayer.jobs.mixing.CandidateGate;
import io.idlalayer.jobs.mixing.CandidateScores;
import io.idlalayer.jobs.mixing.CandidateWork;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRelease;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.jobs.mixing.Mixer;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.training.EngineChoice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The learners of an application whose models are mixed, in virtual time, with their mixer. All
 * have the same clock; a round takes a given time from its beginning to its version. Confined to
 * one thread.
 */
public final class MixedLearners implements AutoCloseable {
  private final long roundMillis;
  private final List<One> learners = new ArrayList<>();
  private final MemoryMixing place;
  private final @Nullable MemoryRows rows;
  private final MixWork work;
  private final Mixer mixer;
  private final MixRelease release;
  private final CandidateWork candidates;
  private long publishAtMillis = Long.MAX_VALUE;
  private long starts;

  /**
   * @param settings settings with which models are mixed
   * @param secondsPerUpdate seconds that a training takes, without its rows
   * @param secondsPerRow seconds for each row
   * @param roundMillis milliseconds from the beginning of a round to its version
   */
  public MixedLearners(
      ApplicationSettings settings, double secondsPerUpdate, double secondsPerRow, long roundMillis)
      throws InterruptedException {
    this(settings, secondsPerUpdate, secondsPerRow, roundMillis, null);
  }

  /**
   * @param rows rows of the models' table; null if they have none
   */
  MixedLearners(
      ApplicationSettings settings,
      double secondsPerUpdate,
      double secondsPerRow,
      long roundMillis,
      @Nullable MemoryRows rows)
      throws InterruptedException {
    this.roundMillis = roundMillis;
    this.rows = rows;
    place = new MemoryMixing(manifest -> {}, rows);
    work = new MixWork(settings, place);
    mixer = new Mixer(settings.partitions(), settings.mixing());
    release = new MixRelease(settings.publishing().gate(), mixer);
    candidates = new CandidateWork(settings.name(), place, rows != null);
    EngineChoice engine = EngineChoice.of(settings.engine(), settings.model(), null);
    for (int p = 0; p < settings.partitions(); p++) {
      One one = new One(p);
      one.learner =
          VirtualTimeLearner.of(
                  settings, () -> engine.trainer("mixed", false), engine.testedModels()::load)
              .trainingSeconds(secondsPerUpdate, secondsPerRow)
              .published(one)
              .mixed(p, one)
              .output(one);
      learners.add(one);
    }
    for (One one : learners) {
      one.learner.open();
    }
  }

  /** A learner, the place of its contributions, and what it says. */
  private final class One implements LearnerOutput, MixedModels, PublishedModels {
    private final int partition;
    private final Map<DecisionEvent.Type, Integer> said = new EnumMap<>(DecisionEvent.Type.class);
    private VirtualTimeLearner learner;
    private @Nullable ModelCheckpoint newest;
    private @Nullable Status status;
    private int compared;

    private One(int partition) {
      this.partition = partition;
    }

    @Override
    public void decision(DecisionEvent event) {
      status = event.status();
      said.merge(event.type(), 1, Integer::sum);
    }

    @Override
    public void refused(DeadLetter letter) {}

    @Override
    public void notice(ModelNotice notice) {
      throw new IllegalStateException("a learner whose model is mixed has published one");
    }

    @Override
    public void mixing(MixingMessage message) {
      MixingMessage said = MixingMessage.decode(message.encode());
      if (said instanceof MixingRecord contribution) {
        mixer.receive(contribution, learner.nowMillis());
      } else if (said instanceof CandidateScores scores) {
        release.receive(scores);
        compared += scores.differences().length;
      }
    }

    @Override
    public String incarnation() {
      return "start " + ++starts;
    }

    @Override
    public List<ModelCheckpoint> newest() {
      return place.newest();
    }

    @Override
    public Optional<ModelCheckpoint> candidate() {
      return place.newest(MixingPlace.Kind.CANDIDATE);
    }

    @Override
    public Optional<ModelCheckpoint> verdict() {
      return place.newest(MixingPlace.Kind.VERDICT);
    }

    @Override
    public SortedMap<String, byte[]> load(ModelCheckpoint version) {
      return place.load(version);
    }

    @Override
    public void claim() {}

    @Override
    public ModelCheckpoint publish(ModelDraft draft) {
      ModelCheckpoint stored = place.contribute(partition, draft);
      newest = stored;
      return stored;
    }

    @Override
    public Optional<ModelCheckpoint> current() {
      return Optional.ofNullable(newest);
    }

    @Override
    public void rollBack(long version, String digest, long left, String reason) {}

    @Override
    public void forget(long before) {}

    @Override
    public Optional<PublishedRows> rows() {
      return Optional.ofNullable(rows).map(MemoryRows::ofLearner);
    }

    @Override
    public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
      return new ModelPublisher.CleanUp(0, List.of());
    }
  }

  /** A sample arrives at a learner. */
  public void arrive(int partition, Sample sample) throws InterruptedException, IOException {
    learners.get(partition).learner.arrive(sample, ContentHasher.of(sample));
    mix();
  }

  /** Lets time pass for all. */
  public void pass(long millis) throws InterruptedException, IOException {
    for (One one : learners) {
      one.learner.pass(millis);
    }
    mix();
  }

  /** The input ends for all; returns when all has been learned and mixed. */
  public void end() throws InterruptedException, IOException {
    for (One one : learners) {
      one.learner.endInput();
    }
    for (int i = 0; i < 2_000 && !finished(); i++) {
      pass(50);
    }
  }

  private boolean finished() {
    return learners.stream().allMatch(one -> one.said.containsKey(DecisionEvent.Type.FINISHED));
  }

  /** A learner starts again from its state, as after a crash at this moment. */
  public void restart(int partition) throws InterruptedException, IOException {
    learners.get(partition).learner.restart();
    mix();
  }

  private void mix() throws IOException {
    long now = learners.get(0).learner.nowMillis();
    if (mixer.poll(now) != null) {
      publishAtMillis = now + roundMillis;
    }
    if (mixer.state() == Mixer.State.MIXING && now >= publishAtMillis) {
      publishAtMillis = Long.MAX_VALUE;
      release.computed(work.compute(mixer.fired(), release.state(), true), now);
    }
    if (mixer.state() == Mixer.State.TESTING) {
      test(now);
    }
    if (mixer.state() == Mixer.State.PUBLISHING) {
      List<Contributor> names = mixer.names();
      MixWork.Published done =
          work.publish(
              mixer.fired(),
              release.state(),
              names,
              mixer.publishedVersion(),
              mixer.goesOn(),
              mixer.verdict());
      mixer.published(done.version().manifest().version(), names, now);
    }
  }

  private void test(long now) throws IOException {
    CandidateGate gate = release.gate();
    MixState candidate = Objects.requireNonNull(release.candidate());
    switch (gate.look(mixer.incarnations(), now)) {
      case NOTHING -> {}
      case OFFER -> {
        candidates.offer(mixer.fired(), candidate, release.baseline(), mixer.names());
        gate.offered(mixer.incarnations(), now);
      }
      case RECORD -> {
        candidates.record(
            mixer.fired(), candidate, release.baseline(), gate.verdict(), mixer.names());
        release.decide(now);
      }
    }
  }

  /** The files of the mixed model; empty before the first. */
  public SortedMap<String, byte[]> mixed() {
    return release.state().files();
  }

  /** The number of versions so far. */
  public long versions() {
    return mixer.publishedVersion();
  }

  /** The version in service. */
  Optional<ModelCheckpoint> served() {
    return place.current();
  }

  /** The newest contribution of a partition; null before the first. */
  @Nullable ModelCheckpoint contribution(int partition) {
    return learners.get(partition).newest;
  }

  /** The learner of a partition. */
  public VirtualTimeLearner learner(int partition) {
    return learners.get(partition).learner;
  }

  /** The last status of a partition; null before the first. */
  public @Nullable Status status(int partition) {
    return learners.get(partition).status;
  }

  /** The number of models that a partition has contributed. */
  long contributions(int partition) {
    ModelCheckpoint newest = learners.get(partition).newest;
    return newest == null ? 0 : newest.manifest().version();
  }

  /** The number of samples on which a partition has compared mixed models. */
  int compared(int partition) {
    return learners.get(partition).compared;
  }

  /** How often the learner of a partition has said something of a kind. */
  int said(int partition, DecisionEvent.Type type) {
    return learners.get(partition).said.getOrDefault(type, 0);
  }

  @Override
  public void close() {
    learners.forEach(one -> one.learner.close());
  }
}
