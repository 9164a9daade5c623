package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.LearnerSettings;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.learner.publish.SimulatedRows;
import io.idlalayer.jobs.mixing.Baseline;
import io.idlalayer.jobs.mixing.CandidateGate;
import io.idlalayer.jobs.mixing.CandidateScores;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.CandidateWork;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRelease;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.jobs.mixing.Mixer;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A history of learners that learn one model, chosen by a seed: they train, contribute and adopt in
 * any order, records are delayed, checkpoints are taken as Flink takes them, and the job fails at
 * any moment and goes on from one of the last checkpoints. In some histories mixed models pass the
 * release gate, and {@link CandidateTruth} says which ones are worse. Each event adds 1 to a
 * parameter of its own, so that a model says how often and with which share it has learned each
 * event. {@link MixingChecker} says what it must say.
 */
final class MixingHistory {
  private static final int STEPS = 600;
  private static final int EVENTS_EACH = 14;
  private static final int MOST_FAILURES = 4;
  private static final int SAMPLES_EACH = 15;
  private static final GateSettings HOLD =
      new GateSettings(
          GateSettings.Action.HOLD,
          GateSettings.AfterPublishing.OFF,
          Metric.ACCURACY,
          0.01,
          2 * SAMPLES_EACH,
          10,
          GateSettings.ContinueFrom.NEWEST,
          null);

  private final Random random;
  private final HistoryBug bug;
  private final ApplicationSettings settings;
  private final int partitions;
  private final MixingChecker checker;
  private final MemoryMixing place;
  private final @Nullable HistoryTables tables;
  private final List<SimLearner> learners = new ArrayList<>();
  private final Deque<Checkpoint> completed = new ArrayDeque<>();
  private @Nullable Barrier barrier;
  private final CandidateTruth truth;
  private final Set<Mixer.State> failedIn = EnumSet.noneOf(Mixer.State.class);
  private final Set<CandidateVerdict.Outcome> outcomes =
      EnumSet.noneOf(CandidateVerdict.Outcome.class);
  private final List<CandidateScores> earlierScores = new ArrayList<>();
  private Mixer mixer;
  private MixRelease release;

  /** Whether the verdict on the tested model is stored, and not carried out yet. */
  private boolean recorded;

  private long nowMillis = 1_000;
  private int failures;

  /** A checkpoint that is being taken: each learner's part, and which channels wait. */
  private static final class Barrier {
    final SortedMap<Integer, SimLearner> copies = new TreeMap<>();
    final List<Integer> arrived = new ArrayList<>();
  }

  private record Checkpoint(
      SortedMap<Integer, SimLearner> learners,
      byte[] mixer,
      MixState state,
      @Nullable MixState candidate,
      @Nullable Baseline baseline,
      MixingChecker.Mark mark) {}

  /** What a channel carries: a message, or the barrier of a checkpoint. */
  private record Carried(@Nullable MixingMessage message) {}

  /** A history of models without tables. */
  MixingHistory(long seed, HistoryBug bug, ApplicationSettings plain) {
    this(seed, bug, plain, null);
  }

  /**
   * @param tables the table of the models, with the settings for it; null if they have none
   */
  MixingHistory(
      long seed, HistoryBug bug, ApplicationSettings plain, @Nullable HistoryTables tables) {
    random = new Random(seed);
    this.bug = bug;
    this.tables = tables;
    ApplicationSettings gated =
        bug.ofGate() || (random.nextInt(4) > 0 && (tables == null || tables.shared() == null))
            ? LearnerSettings.gated(plain, plain.publishing().keep(), HOLD)
            : plain;
    settings =
        gated.with(
            tables == null
                ? new MixingSettings(MixingSettings.Action.AVERAGE, 1)
                : tables.settings().mixing());
    partitions = tables == null ? 2 + random.nextInt(3) : settings.partitions();
    truth = new CandidateTruth(partitions, EVENTS_EACH, random);
    checker = new MixingChecker(partitions, EVENTS_EACH, tables == null ? null : tables.shared());
    place = new MemoryMixing(checker::published, tables == null ? null : tables.rows());
    begin();
    for (int p = 0; p < partitions; p++) {
      SimLearner learner = new SimLearner(p);
      learner.open(null);
      learners.add(learner);
    }
  }

  private void begin() {
    mixer = new Mixer(partitions, settings.mixing());
    release = new MixRelease(settings.publishing().gate(), mixer);
    recorded = false;
  }

  /** A learner, without everything that has nothing to do with mixing. */
  private final class SimLearner implements MixedModels {
    final int partition;
    final Deque<Carried> channel = new ArrayDeque<>();
    String incarnation = "";

    /** Digest of the version that was read last, which is the one that is adopted next. */
    String loaded = "";

    MixedLearning mixing;
    @Nullable ModelArtifact model;
    int trained;
    boolean dirty;
    byte @Nullable [] saved;
    @Nullable SimulatedRows rows;

    SimLearner(int partition) {
      this.partition = partition;
      rows = tables == null ? null : tables.begin(partition, random);
    }

    void open(byte @Nullable [] snapshot) {
      mixing =
          new MixedLearning(
              new LearnerKey("app", partition),
              this,
              Runnable::run,
              message -> channel.addLast(new Carried(message)),
              new GateShare.Parts(
                  settings.publishing().gate(),
                  truth::scorer,
                  most -> CandidateTruth.samples(trained == EVENTS_EACH ? 0 : SAMPLES_EACH),
                  new ComparedRows(null)),
              null);
      if (snapshot != null) {
        mixing.restore(snapshot);
      }
      mixing.start(progress(), nowMillis);
    }

    /** Copies what is durable, without the channel. */
    SimLearner copy() {
      SimLearner copy = new SimLearner(partition);
      copy.model = model;
      copy.trained = trained;
      copy.dirty = dirty;
      copy.saved = mixing.snapshot();
      copy.rows = rows == null ? null : rows.copy();
      return copy;
    }

    MixedLearning.Progress progress() {
      TreeMap<String, Long> offsets = new TreeMap<>();
      offsets.put("events-" + partition, (long) trained);
      return new MixedLearning.Progress(trained, offsets, trained == EVENTS_EACH);
    }

    void train() throws IOException {
      if (trained == EVENTS_EACH) {
        return;
      }
      ModelArtifact base = model == null ? mixing.first() : model;
      float[] parameters =
          base == null
              ? checker.beginning(partition)
              : Arrays.copyOf(parameters(base), checker.parameters());
      int event = checker.index(partition, trained);
      parameters[event] += 1;
      TreeMap<String, byte[]> files = base == null ? new TreeMap<>() : new TreeMap<>(base.files());
      TinyNetwork.files(parameters).forEach(files::putIfAbsent);
      files.put(
          ModelArtifact.NETWORK_FILE,
          TinyNetwork.files(parameters).get(ModelArtifact.NETWORK_FILE));
      if (tables != null && tables.shared() != null) {
        SharedRows before = base == null ? tables.shared() : shared(base.files());
        files.put(SharedRows.FILE, HistoryTables.used(before, checker.row(event), event).encode());
      }
      model = new ModelArtifact(files);
      checker.trained(partition, trained);
      if (tables != null) {
        tables.train(rows, partition, random);
      }
      trained++;
      dirty = true;
      mixing.trained();
      adopt();
    }

    void look() {
      if (random.nextBoolean()) {
        CandidateTruth.samples(random.nextInt(SAMPLES_EACH)).forEach(mixing::arrived);
      }
      mixing.poll(nowMillis);
      mixing.poll(nowMillis);
      adopt();
    }

    private void adopt() {
      if (!mixing.ready()) {
        return;
      }
      MixedLearning.Adopted adopted = mixing.adopt(model, progress(), nowMillis);
      if (adopted.model() != null) {
        model =
            bug == HistoryBug.USES_COUNTED_TWICE
                ? HistoryTables.marked(adopted.model(), shared(model.files()).marks())
                : adopted.model();
      }
      ModelArtifact now = model == null ? mixing.first() : model;
      checker.adopted(partition, loaded, adopted.joined(), parameters(now));
    }

    void contribute(boolean ending) throws IOException {
      boolean owes = dirty || (tables != null && mixing.owesRows());
      if (!owes || model == null || !(mixing.settled() || ending)) {
        return;
      }
      SortedMap<String, byte[]> files = new TreeMap<>(bug.contributed(model).files());
      byte[] base = mixing.adopted();
      if (base.length > 0) {
        files.put(MixWork.ADOPTED_FILE, base);
      }
      ModelCheckpoint stored = stored(files);
      checker.contributed(partition, stored.digest());
      dirty = false;
      UpdateRecord update =
          UpdateRecord.fired(
              trained, new UpdateRecord.Firing(1, 1, 0, ExampleEvents.grounds("test")));
      mixing.contributed(
          new AcceptedModel(
              update, model, new Lineage("", "", new TreeMap<>(), trained), new byte[0], false),
          stored,
          new long[] {nowMillis},
          progress(),
          nowMillis);
    }

    private ModelCheckpoint stored(SortedMap<String, byte[]> files) throws IOException {
      SimulatedRows own = rows;
      if (tables == null || own == null) {
        return place.contribute(partition, files);
      }
      try (DraftRows prepared = own.prepare(tables.rows().ofLearner())) {
        ModelCheckpoint stored = place.contribute(partition, files, own.parentDigest(), prepared);
        tables.contributed(partition, stored, own);
        if (trained < EVENTS_EACH && random.nextInt(15) == 0) {
          tables.lose(stored);
        }
        return stored;
      }
    }

    @Override
    public String incarnation() {
      incarnation = "incarnation-" + random.nextLong();
      return incarnation;
    }

    @Override
    public List<ModelCheckpoint> newest() {
      List<ModelCheckpoint> newest = new ArrayList<>(place.newest());
      if (bug == HistoryBug.ADOPTED_UNTESTED) {
        newest.addAll(candidate().stream().toList());
      }
      return newest.stream().map(this::asTheBugSays).toList();
    }

    private ModelCheckpoint asTheBugSays(ModelCheckpoint found) {
      ModelManifest manifest = found.manifest();
      TreeMap<String, String> attributes = new TreeMap<>(manifest.attributes());
      String mine = "mixing.%d.".formatted(partition);
      if (bug == HistoryBug.ANY_INCARNATION && attributes.containsKey(mine + "incarnation")) {
        attributes.put(mine + "incarnation", incarnation);
      }
      if (bug == HistoryBug.ANY_CONTRIBUTION
          && !attributes.getOrDefault(mine + "digest", "").isEmpty()) {
        MixedBase base = MixedBase.restore(mixing.snapshot());
        attributes.put(mine + "digest", base.digest());
      }
      return HistoryBug.with(found, attributes);
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
      if (version.manifest().partition() != place.partition(MixingPlace.Kind.CANDIDATE)) {
        loaded = version.digest();
      }
      return place.load(version);
    }
  }

  private static float[] parameters(ModelArtifact model) {
    return parameters(model.files());
  }

  private static float[] parameters(MixState state) {
    return parameters(state.files());
  }

  private static float[] parameters(SortedMap<String, byte[]> files) {
    try {
      return ModelMix.parameters(files);
    } catch (IOException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  private static SharedRows shared(SortedMap<String, byte[]> files) {
    return HistoryTables.shared(files);
  }

  /** Returns the states of the mixer in which the job has failed. */
  Set<Mixer.State> failedIn() {
    return failedIn;
  }

  /** Returns the verdicts that were carried out. */
  Set<CandidateVerdict.Outcome> outcomes() {
    return outcomes;
  }

  /** Runs the history to its end. */
  void run() throws IOException {
    for (int step = 0; step < STEPS; step++) {
      nowMillis += 1 + random.nextInt(200);
      SimLearner learner = learners.get(random.nextInt(partitions));
      switch (random.nextInt(12)) {
        case 0, 1 -> learner.train();
        case 2, 3 -> learner.contribute(false);
        case 4, 5 -> learner.look();
        case 6, 7, 8 -> deliver(learner);
        case 9 -> carryOut();
        case 10 -> checkpoint(learner);
        default -> {
          if (random.nextInt(20) == 0 && failures < MOST_FAILURES) {
            fail();
          } else if (random.nextInt(30) == 0) {
            nowMillis += 20_000;
          }
        }
      }
    }
    end();
  }

  private void deliver(SimLearner learner) {
    Barrier open = barrier;
    Carried next = learner.channel.peekFirst();
    if (next == null || (open != null && open.arrived.contains(learner.partition))) {
      return;
    }
    learner.channel.removeFirst();
    MixingMessage sent = next.message();
    if (sent != null) {
      MixingMessage message = MixingMessage.decode(sent.encode());
      if (message instanceof MixingRecord record) {
        mixer.receive(record, nowMillis);
      } else if (message instanceof CandidateScores scores) {
        release.receive(scores);
        earlierScores.add(scores);
      }
      return;
    }
    if (open == null) {
      throw new IllegalStateException("a barrier without a checkpoint");
    }
    open.arrived.add(learner.partition);
    if (open.arrived.size() == partitions) {
      completed.addFirst(
          new Checkpoint(
              open.copies,
              mixer.snapshot(),
              MixState.decode(release.state().encode()),
              release.candidate() == null ? null : MixState.decode(release.candidate().encode()),
              release.olderBaseline() == null
                  ? null
                  : Baseline.decode(release.olderBaseline().encode()),
              checker.mark(open.copies.keySet())));
      if (completed.size() > 3) {
        completed.removeLast();
      }
      barrier = null;
    }
  }

  private void checkpoint(SimLearner learner) {
    Barrier open = barrier;
    if (open == null) {
      open = new Barrier();
      barrier = open;
    }
    if (!open.copies.containsKey(learner.partition)) {
      open.copies.put(learner.partition, learner.copy());
      checker.learnerSaved(learner.partition);
      learner.mixing.checkpointed();
      learner.channel.addLast(new Carried(null));
    }
  }

  private void carryOut() throws IOException {
    if (mixer.poll(nowMillis) != null && random.nextInt(3) == 0) {
      return;
    }
    // A round is in state from here on; the job may fail before each of the next steps.
    switch (mixer.state()) {
      case IDLE, GATHERING -> {}
      case MIXING -> compute();
      case TESTING -> test();
      case PUBLISHING -> publish();
    }
  }

  private void compute() throws IOException {
    MixRound round = asTheBugSays(mixer.fired());
    MixWork.Computed computed = new MixWork(settings, place).compute(round, release.state(), true);
    assertThat(computed.state().present()).isTrue();
    assertThat(computed.state().notes()).isEmpty();
    release.computed(computed, nowMillis);
    if (mixer.state() == Mixer.State.PUBLISHING) {
      checker.mixed(mixer.fired(), parameters(release.state()));
    }
  }

  private void test() throws IOException {
    CandidateGate gate = release.gate();
    CandidateWork work = new CandidateWork(settings.name(), place, tables != null);
    MixRound round = mixer.fired();
    MixState candidate = release.candidate();
    switch (gate.look(mixer.incarnations(), nowMillis)) {
      case NOTHING -> {}
      case OFFER -> {
        CandidateVerdict earlier =
            bug == HistoryBug.FORGOTTEN_VERDICT
                ? null
                : work.earlier(candidate, release.baseline(), mixer.names()).orElse(null);
        if (earlier == null) {
          checker.offered(compared(candidate), release.baseline().contained());
          gate.offering(mixer.incarnations());
          work.offer(round, candidate, release.baseline(), mixer.names());
          gate.offered(mixer.incarnations(), nowMillis);
          if (bug == HistoryBug.OTHER_ROUND) {
            countEarlierScores(round);
          }
        } else {
          gate.found(earlier);
          decide(round, candidate);
        }
      }
      case RECORD -> {
        if (recorded && failures < MOST_FAILURES && random.nextInt(3) == 0) {
          fail();
        } else if (recorded) {
          decide(round, candidate);
        } else {
          work.record(round, candidate, release.baseline(), gate.verdict(), mixer.names());
          checker.judged(compared(candidate), gate.verdict(), truth);
          recorded = true;
        }
      }
    }
  }

  private MixingChecker.Pair compared(MixState candidate) {
    Baseline baseline = release.baseline();
    String rows =
        mixer.names().stream().map(Contributor::digest).toList() + "" + baseline.contained();
    String files = contents(candidate.files()) + contents(baseline.files());
    return new MixingChecker.Pair(
        parameters(candidate), parameters(baseline.files()), tables == null ? files : files + rows);
  }

  /** Two models with equal parameters differ if, for instance, one has state of its updater. */
  private static String contents(SortedMap<String, byte[]> files) {
    SortedMap<String, Integer> contents = new TreeMap<>();
    files.forEach((name, content) -> contents.put(name, Arrays.hashCode(content)));
    return contents.toString();
  }

  private void decide(MixRound round, MixState candidate) {
    recorded = false;
    CandidateVerdict verdict = release.gate().verdict();
    outcomes.add(verdict.outcome());
    if (bug == HistoryBug.LOST_PROGRESS && !verdict.passes()) {
      mixer.passed(
          new CandidateVerdict(CandidateVerdict.Outcome.UNDECIDED, 1, 1, verdict.difference()));
      release.restore(release.state(), null, release.olderBaseline());
      return;
    }
    checker.carriedOut(compared(candidate), verdict.passes());
    release.decide(nowMillis);
    if (verdict.passes()) {
      checker.mixed(round, parameters(release.state()));
    }
  }

  /** Counts what was found of earlier models for the one that is tested now. */
  private void countEarlierScores(MixRound round) {
    for (CandidateScores each : earlierScores) {
      release.receive(
          new CandidateScores(
              each.application(),
              each.partition(),
              each.incarnation(),
              round.number(),
              each.differences(),
              ""));
    }
  }

  private MixRound asTheBugSays(MixRound round) {
    if (bug != HistoryBug.COUNTED_TWICE) {
      return round;
    }
    List<MixRound.Taken> taken = new ArrayList<>();
    for (MixRound.Taken each : round.taken()) {
      boolean counted = each.from() == MixRound.From.CONTRIBUTED && each.record().round() > 0;
      taken.add(
          counted ? new MixRound.Taken(each.record(), MixRound.From.ADOPTED, each.rows()) : each);
    }
    return new MixRound(round.number(), taken, round.waitMillis(), round.typicalLength());
  }

  private void publish() throws IOException {
    List<Contributor> names = mixer.names();
    MixRound round = mixer.fired();
    MixWork.Published done =
        new MixWork(settings, place)
            .publish(
                round,
                bug.published(round, release.state()),
                names,
                mixer.publishedVersion(),
                mixer.goesOn(),
                mixer.verdict());
    checker.version(done.version().digest(), parameters(release.state()));
    checker.stored(parameters(release.state()), names);
    if (done.serves() && tables != null) {
      tables.serves(done.version(), SharedRows.of(release.state().files()), checker.usedRows());
    }
    if (done.serves()) {
      mixer.published(done.version().manifest().version(), names, nowMillis);
    } else {
      mixer.withheld(names, nowMillis);
    }
  }

  /** The job fails, and goes on from one of its last checkpoints. */
  private void fail() throws IOException {
    failures++;
    failedIn.add(mixer.state());
    if (mixer.state() == Mixer.State.PUBLISHING && random.nextBoolean()) {
      // Its thread still ends what it has begun.
      publish();
    }
    barrier = null;
    for (int older = random.nextInt(3); older > 0 && completed.size() > 1; older--) {
      completed.removeFirst();
    }
    Checkpoint from = completed.peekFirst();
    List<SimLearner> before = List.copyOf(learners);
    learners.clear();
    begin();
    checker.restored(from == null ? null : from.mark());
    if (from != null) {
      mixer.restore(from.mixer(), nowMillis);
      release.restore(from.state(), from.candidate(), from.baseline());
    }
    for (SimLearner each : before) {
      SimLearner next =
          from == null ? new SimLearner(each.partition) : from.learners().get(each.partition);
      SimLearner opened = new SimLearner(each.partition);
      opened.model = next.model;
      opened.trained = next.trained;
      opened.dirty = next.dirty;
      opened.saved = next.saved;
      // A checkpoint may be gone back to more than once.
      opened.rows = next.rows == null ? null : next.rows.copy();
      opened.open(next.saved);
      learners.add(opened);
    }
  }

  /** Lets everything come to rest, and has the checker look at it. */
  private void end() throws IOException {
    for (int round = 0; round < 400; round++) {
      nowMillis += 500;
      for (SimLearner learner : learners) {
        learner.train();
        learner.contribute(learner.trained == EVENTS_EACH);
        while (learner.channel.peekFirst() != null
            && (barrier == null || !barrier.arrived.contains(learner.partition))) {
          deliver(learner);
        }
        learner.look();
      }
      if (barrier != null) {
        learners.forEach(this::checkpoint);
      }
      for (int i = 0; i < 6; i++) {
        carryOut();
      }
    }
    assertThat(mixer.idle()).as("the mixer rests").isTrue();
    float[] mixed = parameters(release.state());
    checker.ended(mixed);
    for (SimLearner learner : learners) {
      assertThat(learner.mixing.settled()).as("learner %d rests", learner.partition).isTrue();
      assertThat(parameters(learner.model))
          .as("the model of learner %d", learner.partition)
          .containsExactly(mixed);
    }
    if (tables != null) {
      Map<Integer, SimulatedRows> rows = new TreeMap<>();
      learners.forEach(each -> rows.put(each.partition, each.rows));
      tables.ended(place.current().orElseThrow(), rows);
    }
  }
}
