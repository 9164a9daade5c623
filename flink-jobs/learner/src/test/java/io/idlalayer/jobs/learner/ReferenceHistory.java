package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.update.FakeAttemptStore;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.modelloader.serve.TaskModel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A random history that the product's learner and the {@link ReferenceLearner} live through, side
 * by side: events in any order, labels taken back, units that change, updates during which other
 * events come, time that passes, and restarts from checkpoints, after which events are delivered
 * again. {@link ReferenceComparison} compares them after each step.
 */
final class ReferenceHistory implements AutoCloseable {
  private static final long TASK_MILLIS = 1_000;
  private static final long UPDATE_MILLIS = 12_000;
  private static final int PASSES_MAX = 20;
  private static final int MOST_PENDING = 20;

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
      Map<Long, ReferenceSample> began,
      Map<Long, String> replayable,
      int steps,
      int letters,
      long position) {}

  private final SplittableRandom random;
  private final ReferenceBug bug;
  private final ReferenceProducer producer;
  private final JsonSampleDecoder decoder;
  private final VirtualTimeLearner learner;
  private final RememberedPredictions predictions = new RememberedPredictions();
  private final List<TrainingRow> trained = new ArrayList<>();
  private final ReferenceComparison comparison;

  private final List<Step> log = new ArrayList<>();
  private ReferenceLearner reference;

  /** What the update that runs began with; empty if none runs. */
  private Map<Long, ReferenceSample> began = Map.of();

  /** What that update could train again. */
  private Map<Long, String> replayable = Map.of();

  private Checkpoint checkpoint;
  private int read;

  /** Events that the learner does not get, by a seeded bug. */
  private int undelivered;

  private long controls;

  ReferenceHistory(long seed, ReferenceBug bug) throws InterruptedException {
    random = new SplittableRandom(seed);
    this.bug = bug;
    ReferenceForm form = ReferenceForm.draw(random);
    producer = new ReferenceProducer(form, random);
    decoder = new JsonSampleDecoder(form.schema(), EventEncoding.UTF_8, EventParts.JOINED);
    reference = new ReferenceLearner(form);
    learner =
        VirtualTimeLearner.of(
                form.settings(),
                () -> new ReferenceTrainer(trained),
                artifact -> new Guess(form.targets()))
            .taskMillis(TASK_MILLIS);
    learner.predictions = predictions;
    learner.open();
    comparison = new ReferenceComparison(form, decoder);
    checkpoint = taken();
  }

  /** Lives through a number of steps, and compares after each of them. */
  void live(int steps) throws Exception {
    for (int step = 0; step < steps; step++) {
      step();
      compare("step %d: %s".formatted(step, log));
    }
    finishUpdate();
    compare("end: " + log);
    learner.learner().beforeCheckpoint();
    comparison.compareStored(reference, learner.state);
    comparison.compareLabels(reference, predictions.rows, status().prequential());
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
      pass(random.nextBoolean() ? 1_000L : ReferenceForm.LABEL_WAIT_MILLIS / 3);
    } else if (dice == 6) {
      producer.changeUnit();
    } else {
      if (read == log.size()) {
        log.add(new Step(producer.next(), dice < 10 ? producer.id() : ""));
      }
      play(log.get(read), read);
      read++;
    }
    if (began.isEmpty() && reference.counts().pending() > MOST_PENDING) {
      beginUpdate();
    }
  }

  private long clockMillis() {
    return learner.clock.now().millis();
  }

  private InputPosition control() {
    return new InputPosition("control", 0, controls++);
  }

  private void play(Step step, int at) throws InterruptedException {
    // Nothing happens at one time, so that it has an order.
    learner.nowMillis++;
    if (!step.retracted().isEmpty()) {
      if (bug.retracts()) {
        learner.send(
            new LearnerEvent.RetractionRequest(control(), step.retracted(), new TreeMap<>()));
      }
      reference.retract(step.retracted(), clockMillis());
      return;
    }
    ReferenceEvent event = step.event();
    InputPosition position = learner.next();
    long made = reference.made();
    reference.arrive(event, position.offset(), clockMillis());
    boolean sentBefore =
        !event.id().isEmpty()
            && log.subList(0, at).stream()
                .anyMatch(each -> each.retracted().isEmpty() && each.event().equals(event));
    try {
      Sample sample =
          bug.wrong(decoder.decode(event.json().getBytes(StandardCharsets.UTF_8)), sentBefore);
      if (undelivered > 0) {
        undelivered--;
        return;
      }
      learner.send(learner.arrival(position, 0, sample, ContentHasher.of(sample)));
    } catch (MalformedSampleException malformed) {
      learner.send(new LearnerEvent.Malformed(position, 0, LearnerSimulation.REFUSED));
    }
    if (reference.made() > made && !reference.samples().isEmpty()) {
      numberNewest();
    }
  }

  /** Gives the newest sample the number that the product gave it, which is the largest one. */
  private void numberNewest() {
    long[] number = {0};
    learner.state.samples().forEachMetadata((id, metadata) -> number[0] = Math.max(number[0], id));
    List<ReferenceSample> samples = reference.samples();
    samples.get(samples.size() - 1).number = number[0];
  }

  /** A trained culprit fails with whatever trains with it, so nothing else may happen meanwhile. */
  private void beginUpdate() throws InterruptedException {
    if (reference.counts().pending() == 0) {
      return;
    }
    replayable = comparison.replayable(reference);
    began = reference.begin();
    trained.clear();
    learner.send(new LearnerEvent.UpdateRequest(control(), new TreeMap<>()));
    if (began.values().stream().anyMatch(ReferenceSample::culprit)) {
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
    comparison.compareTraining(began, replayable, trained);
    reference.accept(began, kept(), numbers(false));
    Set<Long> evaluated = new HashSet<>(began.keySet());
    evaluated.addAll(numbers(false));
    began = Map.of();
    reference.pass(clockMillis());
    compareFrequencies(evaluated);
  }

  /** The samples of weight 0 that were trained, because the update had no others. */
  private Set<Long> kept() {
    return numbers(true).stream()
        .filter(number -> began.containsKey(number) && began.get(number).weightless())
        .collect(Collectors.toSet());
  }

  private Set<Long> numbers(boolean fresh) {
    return trained.stream()
        .filter(row -> row.fresh() == fresh)
        .map(TrainingRow::sampleId)
        .collect(Collectors.toSet());
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
        replayable,
        read,
        learner.refused.size(),
        learner.position());
  }

  /** The clock of the machine that goes on may be an hour behind. */
  private void crash() throws InterruptedException {
    learner.closeLearner();
    learner.state = checkpoint.state().copy();
    bug.restarts(learner.state.samples());
    reference = checkpoint.reference().copy();
    read = checkpoint.steps();
    undelivered = bug.undelivered();
    learner.goBackTo(checkpoint.position());
    // No training has killed the process.
    learner.attempts = new FakeAttemptStore(() -> false);
    learner.refused.subList(checkpoint.letters(), learner.refused.size()).clear();
    learner.nowMillis += random.nextInt(4) == 0 ? -3_600_000 : 1;
    trained.clear();
    learner.open();
    reference.pass(clockMillis());
    replayable = checkpoint.replayable();
    began =
        checkpoint.began().isEmpty() ? Map.of() : reference.interrupt(checkpoint.began().keySet());
    finishUpdate();
  }

  private Status status() throws InterruptedException {
    learner.send(new LearnerEvent.Explain(control(), "#1"));
    return learner.last().status();
  }

  private void compare(String history) throws InterruptedException {
    comparison.compareCounts(reference, status(), began.isEmpty(), history);
    List<DeadLetter> letters = learner.refused;
    comparison.compareLetters(reference, letters, history);
  }

  /** Each sample of an update knows how often its content has arrived. */
  private void compareFrequencies(Set<Long> evaluated) throws InterruptedException {
    for (ReferenceSample each : reference.samples()) {
      if (evaluated.contains(each.number) && each.stage == ReferenceSample.Stage.TRAINED) {
        learner.send(new LearnerEvent.Explain(control(), "#" + each.number));
        assertThat(learner.last().sample().facts())
            .as("sample %d with %s of %s", each.number, each.content(), log)
            .containsEntry("frequency", (double) each.frequency);
      }
    }
  }

  @Override
  public void close() {
    learner.close();
  }

  /** A model that finds both classes equally likely, or 0 for each target. */
  private record Guess(boolean targets) implements TaskModel {
    @Override
    public double[][] predict(List<Sample> samples) {
      double[][] rows = new double[samples.size()][];
      Arrays.fill(rows, targets ? new double[] {0} : new double[] {0.5, 0.5});
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
