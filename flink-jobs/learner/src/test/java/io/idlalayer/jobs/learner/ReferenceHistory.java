package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.intake.StoredLabels;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A random history that the product's learner and the {@link ReferenceLearner} live through, side
 * by side: events in any order, labels taken back, updates during which other events come, time
 * that passes, and restarts from checkpoints, after which events are delivered again.
 */
final class ReferenceHistory implements AutoCloseable {
  private static final long LABEL_WAIT_MILLIS = 60_000;
  private static final long TASK_MILLIS = 1_000;
  private static final long UPDATE_MILLIS = 12_000;
  private static final int PASSES_MAX = 20;
  private static final double CULPRIT = Double.parseDouble(ReferenceEvent.CULPRIT);

  /** What goes wrong on purpose, to show that the comparison finds it. */
  enum Bug {
    NONE,
    /** A label that comes late brings zeros for the features that it does not have. */
    LATE_LABELS_ERASE,
    /** An event without an id is found by its content, as if that were its id. */
    EQUAL_CONTENTS_ARE_ONE,
    /** A restart forgets how often contents arrived. */
    FREQUENCIES_ARE_LOST,
    /** The first event after a checkpoint is not delivered again. */
    REDELIVERY_BEGINS_LATE
  }

  /** Something that happens at the input, and happens again after a restart. */
  private record Step(ReferenceEvent event, String retracted) {
    @Override
    public String toString() {
      return retracted.isEmpty() ? event.json() : "withdraw " + retracted;
    }
  }

  /** What a restart begins with. */
  private record Checkpoint(
      FakeLearnerState state,
      ReferenceLearner reference,
      List<Long> began,
      int steps,
      int letters,
      long position) {}

  private final SplittableRandom random;
  private final Bug bug;
  private final VirtualTimeLearner learner;
  private final JsonSampleDecoder decoder =
      new JsonSampleDecoder(ReferenceEvent.SCHEMA, EventEncoding.UTF_8, EventParts.JOINED);
  private final SampleCodec codec = new SampleCodec();

  private final List<ReferenceEvent> sent = new ArrayList<>();
  private final List<Step> log = new ArrayList<>();
  private ReferenceLearner reference;
  private List<Long> began = List.of();
  private Checkpoint checkpoint;
  private int read;
  private long controls;

  ReferenceHistory(long seed, Bug bug) throws InterruptedException {
    random = new SplittableRandom(seed);
    this.bug = bug;
    int maxUnlabeled = random.nextBoolean() ? 10_000 : 4;
    int maxSamples = random.nextBoolean() ? 10_000 : 50;
    DataSettings data =
        new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, 0),
                maxSamples,
                1 << 24,
                maxUnlabeled)
            .withLabelWait(LABEL_WAIT_MILLIS);
    ApplicationSettings settings =
        LearnerSettings.learning(
            LearnerSimulation.settings(UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10), data),
            ReferenceEvent.SCHEMA,
            new ModelSpec.Network.Mlp(List.of(4)),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0));
    reference = new ReferenceLearner(LABEL_WAIT_MILLIS, maxUnlabeled, maxSamples);
    learner =
        VirtualTimeLearner.of(
                settings,
                () ->
                    new FakeLineageTrainer(
                        ReferenceHistory::diverges, TrainingFailedException.Kind.DIVERGED),
                artifact -> new Guess())
            .taskMillis(TASK_MILLIS)
            .open();
    checkpoint = taken();
  }

  private static boolean diverges(TrainingRequest request) {
    return request.batch().rows().stream().anyMatch(row -> row.sample().dense()[0] == CULPRIT);
  }

  /** Lives through a number of steps, and compares after each of them. */
  void live(int steps) throws Exception {
    for (int step = 0; step < steps; step++) {
      step();
      compare("step %d: %s".formatted(step, log));
    }
    finishUpdate();
    compare("end: " + log);
    compareSamples();
  }

  private void step() throws Exception {
    int dice = random.nextInt(40);
    if (dice == 0) {
      checkpoint = taken();
    } else if (dice == 1) {
      crash();
    } else if (dice < 5) {
      if (began.isEmpty()) {
        beginUpdate();
      } else {
        finishUpdate();
      }
    } else if (dice == 5) {
      pass(random.nextInt(2) == 0 ? 1_000L : LABEL_WAIT_MILLIS / 3);
    } else if (read < log.size()) {
      play(log.get(read++));
    } else {
      boolean retracts = dice < 9;
      ReferenceEvent event = ReferenceEvent.draw(random, sent);
      log.add(new Step(event, retracts ? ReferenceEvent.id(random) : ""));
      if (!retracts) {
        sent.add(event);
      }
      play(log.get(read++));
    }
    if (began.isEmpty() && reference.counts().pending() > 20) {
      beginUpdate();
    }
  }

  private long clockMillis() {
    return learner.clock.now().millis();
  }

  private InputPosition control() {
    return new InputPosition("control", 0, controls++);
  }

  private void play(Step step) throws InterruptedException {
    // Nothing happens at one time, so that it has an order.
    learner.nowMillis++;
    if (!step.retracted().isEmpty()) {
      learner.send(
          new LearnerEvent.RetractionRequest(control(), step.retracted(), new TreeMap<>()));
      reference.retract(step.retracted(), clockMillis());
      return;
    }
    InputPosition at = learner.next();
    reference.arrive(step.event(), at.offset(), clockMillis());
    try {
      Sample sample = wrong(decoder.decode(step.event().json().getBytes(StandardCharsets.UTF_8)));
      learner.send(learner.arrival(at, 0, sample, ContentHasher.of(sample)));
    } catch (MalformedSampleException malformed) {
      learner.send(new LearnerEvent.Malformed(at, 0, LearnerSimulation.REFUSED));
    }
  }

  private Sample wrong(Sample sample) {
    if (bug == Bug.LATE_LABELS_ERASE && sample.labelOnly()) {
      return new Sample(sample.id(), new double[2], new int[1], sample.label());
    }
    if (bug == Bug.EQUAL_CONTENTS_ARE_ONE && sample.id().isEmpty()) {
      String content = Long.toHexString(ContentHasher.of(sample).high());
      return new Sample(content, sample.dense(), sample.categorical(), sample.label());
    }
    return sample;
  }

  /** A trained culprit fails with whatever trains with it, so nothing else may happen meanwhile. */
  private void beginUpdate() throws InterruptedException {
    if (reference.counts().pending() == 0) {
      return;
    }
    boolean fails =
        reference.samples().stream()
            .anyMatch(each -> each.pending() && each.value("price").equals(ReferenceEvent.CULPRIT));
    reference.begin();
    began = reference.inTraining();
    learner.send(new LearnerEvent.UpdateRequest(control(), new TreeMap<>()));
    if (fails) {
      finishUpdate();
    }
  }

  private void finishUpdate() throws InterruptedException {
    if (began.isEmpty()) {
      return;
    }
    ReferenceLearner.Counts before = reference.counts();
    long known = before.trained() + before.quarantined();
    learner.pass(UPDATE_MILLIS);
    learner.learner().tick();
    // What is left of a training that failed, or was interrupted, waits for the next request.
    for (int pass = 0; pass < PASSES_MAX && ended(status()) < known + began.size(); pass++) {
      learner.send(new LearnerEvent.UpdateRequest(control(), new TreeMap<>()));
      learner.pass(UPDATE_MILLIS);
      learner.learner().tick();
    }
    reference.accept(began);
    List<Long> trained = began;
    began = List.of();
    reference.pass(clockMillis());
    compareFrequencies(trained);
  }

  private static long ended(Status status) {
    return status.trainedNewSamples() + status.samples().quarantined();
  }

  private void pass(long millis) throws InterruptedException {
    if (began.isEmpty()) {
      learner.pass(millis);
      learner.learner().tick();
      reference.pass(clockMillis());
    }
  }

  private Checkpoint taken() {
    learner.learner().beforeCheckpoint();
    return new Checkpoint(
        learner.state.copy(),
        reference.copy(),
        began,
        read,
        learner.refused.size(),
        learner.position());
  }

  /** The clock of the machine that goes on may be an hour behind. */
  private void crash() throws InterruptedException {
    learner.closeLearner();
    learner.state = checkpoint.state().copy();
    if (bug == Bug.FREQUENCIES_ARE_LOST) {
      forgetFrequencies(learner.state.samples());
    }
    reference = checkpoint.reference().copy();
    read = checkpoint.steps();
    learner.goBackTo(checkpoint.position());
    // No training has killed the process.
    learner.attempts = new FakeAttemptStore(() -> false);
    if (bug == Bug.REDELIVERY_BEGINS_LATE && read < log.size()) {
      read++;
    }
    learner.refused.subList(checkpoint.letters(), learner.refused.size()).clear();
    learner.nowMillis += random.nextInt(4) == 0 ? -3_600_000 : 1;
    learner.open();
    reference.pass(clockMillis());
    began = checkpoint.began().isEmpty() ? List.of() : reference.interrupt(checkpoint.began());
    finishUpdate();
  }

  private static void forgetFrequencies(SampleStore store) {
    Map<Long, SampleMetadata> all = new TreeMap<>();
    store.forEachMetadata(all::put);
    all.forEach(
        (id, metadata) ->
            store.put(
                id,
                store.payloads(new long[] {id}).get(0),
                SampleMetadata.newborn(metadata.identity(), 1, 0)
                    .evaluated(metadata.stage(), metadata.measures(), 0, 1)));
  }

  private Status status() throws InterruptedException {
    learner.send(new LearnerEvent.Explain(control(), "#1"));
    return learner.last().status();
  }

  private void compare(String history) throws InterruptedException {
    Status status = status();
    Status.Samples found = status.samples();
    ReferenceLearner.Counts expected = reference.counts();
    boolean idle = began.isEmpty();
    ReferenceLearner.Counts counts =
        new ReferenceLearner.Counts(
            found.received(),
            found.malformed(),
            found.unlabeled(),
            found.duplicates(),
            found.merged(),
            found.labelsGivenUp(),
            found.labelsWaiting(),
            idle ? status.decision().pending() : expected.pending(),
            found.quarantined(),
            status.trainedNewSamples(),
            found.changed(),
            found.joined(),
            found.revived(),
            found.stored(),
            found.evicted());
    assertThat(counts).as(history).isEqualTo(expected);
    if (idle) {
      assertThat(expected.accounted()).as(history).isEqualTo(expected.received());
    }
    assertThat(learner.refused.stream().filter(ReferenceHistory::ofLabel).map(DeadLetter::offset))
        .as(history)
        .containsExactlyElementsOf(reference.givenUpRecords());
  }

  private static boolean ofLabel(DeadLetter letter) {
    return letter.reason().startsWith("id: no event with the id");
  }

  /** Each sample of an update knows how often its content has arrived. */
  private void compareFrequencies(List<Long> trained) throws InterruptedException {
    for (ReferenceLearner.Stored each : reference.samples()) {
      if (trained.contains(each.number) && each.stage == ReferenceLearner.Stage.TRAINED) {
        learner.send(new LearnerEvent.Explain(control(), "#" + each.number));
        assertThat(learner.last().sample().facts())
            .as("sample %d with %s of %s", each.number, each.content(), log)
            .containsEntry("frequency", (double) each.frequency);
      }
    }
  }

  /** What is stored, and how often each sample was trained as new. */
  private void compareSamples() throws MalformedSampleException {
    List<String> found = new ArrayList<>();
    SampleStore store = learner.state.samples();
    Map<Long, SampleMetadata> all = new TreeMap<>();
    store.forEachMetadata(all::put);
    for (Map.Entry<Long, SampleMetadata> each : all.entrySet()) {
      byte[] payload = store.payloads(new long[] {each.getKey()}).get(0);
      boolean early = each.getValue().identity().labelOnly();
      Sample sample = codec.decode(early ? StoredLabels.sample(payload) : payload);
      boolean labelled = early || each.getValue().labeled();
      found.add(shown(each.getKey(), labelled ? sample : sample.withLabel(Sample.NO_LABEL)));
    }
    List<String> expected = new ArrayList<>();
    for (ReferenceLearner.Stored each : reference.samples()) {
      ReferenceEvent whole = new ReferenceEvent(each.id, each.features, each.label, false);
      byte[] json = whole.json().getBytes(StandardCharsets.UTF_8);
      expected.add(shown(each.number, decoder.decode(json)));
    }
    assertThat(found).as("stored after %s", log).containsExactlyInAnyOrderElementsOf(expected);
    Map<Long, Integer> trainings = new TreeMap<>();
    var model = LearnerWorld.accepted(learner.state);
    if (model != null) {
      FakeLineageTrainer.read(model.artifact()).forEach(id -> trainings.merge(id, 1, Integer::sum));
    }
    assertThat(trainings).as("trained after %s", log).isEqualTo(reference.trainings());
  }

  private static String shown(long number, Sample sample) {
    return number
        + sample.id()
        + Arrays.toString(sample.dense())
        + Arrays.toString(sample.categorical())
        + sample.label();
  }

  @Override
  public void close() {
    learner.close();
  }

  /** A model that finds both classes equally likely. */
  private static final class Guess implements TaskModel {
    @Override
    public double[][] predict(List<Sample> samples) {
      double[][] rows = new double[samples.size()][];
      Arrays.fill(rows, new double[] {0.5, 0.5});
      return rows;
    }

    @Override
    public float[] losses(List<Sample> samples, double[][] predictions) {
      float[] losses = new float[samples.size()];
      Arrays.fill(losses, (float) Math.log(2));
      return losses;
    }

    @Override
    public void close() {}
  }
}
