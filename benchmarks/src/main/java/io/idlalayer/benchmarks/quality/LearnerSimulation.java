package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.api.TrainingSession;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.Dl4jTrainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import io.idlalayer.modelloader.artifact.ModelSpec;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.TaskModel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A learner on one thread without engine and broker, in the order of the job: an event is scored by
 * the model in service, stored, and then maybe an update trains. Time is the number of the event; a
 * training takes none of it, so its model serves from the next event on. One run for each instance.
 */
final class LearnerSimulation implements AutoCloseable {
  private static final int MICRO_BATCH = 256;
  private static final int FAILURES_BEFORE_QUARANTINE = 3;
  private static final int STAGE_TIMES = 5;
  private static final long NO_SAMPLE = -1;

  /** What the controller is told that a training took: the same in every run, unlike a clock. */
  private static final double SECONDS_PER_UPDATE = 0.001;

  private static final double SECONDS_PER_ROW = 0.00002;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final DriftStream stream;
  private final Contender contender;
  private final long seed;
  private final TracedStore store;
  private final DataController data;
  private final Dl4jTrainer trainer;
  private final SplittableRandom random;
  private final Tally tally;
  private final SampleCodec codec = new SampleCodec();
  private final ReplayProfile.Sums replay = new ReplayProfile.Sums();

  private final List<Integer> waitingEvents = new ArrayList<>(MICRO_BATCH);
  private final List<Long> waitingIds = new ArrayList<>(MICRO_BATCH);
  private final List<StageCounts> stages = new ArrayList<>();
  private @Nullable ModelArtifact artifact;
  private @Nullable TaskModel model;
  private RunCosts costs = RunCosts.NONE;
  private int failures;
  private int dropped;

  /**
   * @param seed of the network's first weights, the order of rows and the choice of samples
   */
  LearnerSimulation(ModelSpec spec, DriftStream stream, Contender contender, long seed) {
    this.stream = stream;
    this.contender = contender;
    this.seed = seed;
    store = new TracedStore(Math.max(1, stream.scored() / 512));
    data = new DataController(contender.settings(), store, seed);
    trainer = new Dl4jTrainer(spec, contender.settings().needsHeldOutModel());
    random = new SplittableRandom(seed);
    tally = new Tally(stream.classes(), stream.size());
  }

  /** Runs the whole stream. */
  RunOutcome run() throws IOException, InterruptedException {
    int n = stream.size();
    for (int i = 0; i < n; i++) {
      store.at(i);
      arrive(i);
      boolean due =
          switch (contender.rule()) {
            case COUNT -> data.waiting().size() >= contender.batch();
            case PERIODIC -> (i + 1) % contender.batch() == 0 && data.waiting().size() > 0;
          };
      if (due) {
        flush();
        train();
      }
      if (stages.size() < (long) (i + 1) * STAGE_TIMES / n) {
        stages.add(data.usage().stages());
      }
    }
    flush();
    return new RunOutcome(
        n, tally.scored(), tally.quality(), costs, dropped, replay.profile(), List.copyOf(stages));
  }

  /** Stage changes of a few samples: CSV lines of {@link TracedStore#HEADER}. */
  List<String> traces() {
    return store.lines();
  }

  private void arrive(int event) {
    Sample sample = stream.samples()[event];
    ArrivalOutcome arrival = data.arrive(sample, hash(sample, event), codec.encode(sample), event);
    boolean fresh =
        switch (arrival.fate()) {
          case NEWBORN, REVIVED, LABEL_JOINED -> true;
          case DUPLICATE, UNLABELED -> false;
        };
    if (fresh) {
      replay.stored(arrival.sampleId(), sample.label() != stream.trueLabels()[event]);
    }
    waitingEvents.add(event);
    waitingIds.add(fresh ? arrival.sampleId() : NO_SAMPLE);
    if (waitingEvents.size() == MICRO_BATCH) {
      flush();
    }
  }

  /** Scores what is collected with the model that was in service when it came. */
  private void flush() {
    TaskModel serving = model;
    if (serving == null) {
      for (int event : waitingEvents) {
        if (!stream.repeated()[event]) {
          tally.guessed(event);
        }
      }
    } else if (!waitingEvents.isEmpty()) {
      List<Sample> samples = waitingEvents.stream().map(each -> stream.samples()[each]).toList();
      float[][] predictions = serving.predict(samples);
      float[] losses = serving.losses(samples, predictions);
      for (int i = 0; i < losses.length; i++) {
        int event = waitingEvents.get(i);
        if (!stream.repeated()[event]) {
          int given = (int) samples.get(i).label();
          tally.predicted(event, predictions[i], stream.trueLabels()[event], given);
        }
        if (waitingIds.get(i) != NO_SAMPLE) {
          data.scored(waitingIds.get(i), losses[i]);
        }
      }
    }
    waitingEvents.clear();
    waitingIds.clear();
  }

  private void train() throws IOException, InterruptedException {
    long choiceStart = THREADS.getCurrentThreadCpuTime();
    Selection selection = select();
    TrainingSession session = data.begin(selection);
    TrainingBatch batch = session.load(codec::decode);
    long start = THREADS.getCurrentThreadCpuTime();
    long startWall = System.nanoTime();
    TrainingResult result;
    try {
      long updateSeed = seed * 0x9E3779B97F4A7C15L + selection.updateNumber() * 0xBF58476D1CE4E5B9L;
      result = trainer.train(new TrainingRequest(artifact, batch, updateSeed));
    } catch (TrainingFailedException failed) {
      drop(session);
      return;
    }
    long end = THREADS.getCurrentThreadCpuTime();
    double wallSeconds = (System.nanoTime() - startWall) / 1e9;
    failures = 0;
    double virtualSeconds = SECONDS_PER_UPDATE + SECONDS_PER_ROW * batch.rows().size();
    session.accept(result.contributions(), virtualSeconds);
    long choiceNanos = start - choiceStart + THREADS.getCurrentThreadCpuTime() - end;
    book(batch, (end - start) / 1e9, wallSeconds, choiceNanos / 1e9);
    replay.trained(batch, result);
    serve(result.model());
  }

  private ContentHash hash(Sample sample, int event) {
    return contender.coalesces() ? ContentHasher.of(sample) : new ContentHash(event, ~event);
  }

  private Selection select() {
    Selection own = data.select(costs.updates() + 1, data.waiting().size());
    Contender.Draw draw = contender.draw();
    return draw == null
        ? own
        : new Selection(
            own.updateNumber(), own.newIds(), store.draw(draw, contender.replayBudget(), random));
  }

  private void drop(TrainingSession session) {
    dropped++;
    failures++;
    if (failures >= FAILURES_BEFORE_QUARANTINE) {
      session.quarantine();
      failures = 0;
    } else {
      session.abandon();
    }
  }

  private void book(TrainingBatch batch, double cpu, double wall, double choice) {
    costs =
        new RunCosts(
            costs.trainCpuSeconds() + cpu,
            costs.trainWallSeconds() + wall,
            costs.choiceCpuSeconds() + choice,
            costs.updates() + 1,
            costs.trainedRows() + batch.rows().size(),
            costs.replayedRows() + batch.replayedCount());
  }

  private void serve(ModelArtifact trained) throws IOException {
    if (model != null) {
      model.close();
    }
    artifact = trained;
    model = Dl4jModel.load(trained);
  }

  @Override
  public void close() {
    if (model != null) {
      model.close();
      model = null;
    }
    trainer.close();
  }
}
