package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Fit;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network;
import io.idlalayer.modelruntime.artifact.ModelSpec.Updater;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Runs the product's learner on a stream in virtual time. An event comes every millisecond. An
 * update takes no virtual time, so its model serves from the next event on. The learner gets
 * training seconds from a fixed formula, so that they are the same in every run; the real cost of
 * trainings is measured. An instance can run once.
 */
final class QualityRun implements AutoCloseable {
  /** Virtual time between two events, in milliseconds. */
  static final int EVENT_MILLIS = 1;

  private static final int HIDDEN = 32;
  private static final int STAGE_TIMES = 5;
  private static final double SECONDS_PER_UPDATE = 0.001;
  private static final double SECONDS_PER_ROW = 0.000002;

  private final DriftStream stream;
  private final ObservedStore store;
  private final PrequentialMeasure measure;
  private final TrainingMeter meter;
  private final KeyHistories histories;
  private final int lateBy;

  /** Samples in their contexts whose labels have not come yet, the oldest first. */
  private final Deque<Sample> unlabelled = new ArrayDeque<>();

  private final VirtualTimeLearner learner;
  private long choiceCpuNanos;

  /**
   * @param engine engine that trains and tests
   * @param seed seed for the network's first weights, the order of rows, and the choice of samples
   */
  QualityRun(EngineName engine, DriftStream stream, Contender contender, long seed)
      throws InterruptedException {
    this(engine, stream, contender, contender.settings(), seed);
  }

  /**
   * Creates a run with settings of the data controller that differ from the contender's.
   *
   * @param data settings that say which samples are kept, evicted and trained again
   */
  QualityRun(
      EngineName engine, DriftStream stream, Contender contender, DataSettings data, long seed)
      throws InterruptedException {
    this(
        engine,
        stream,
        0,
        spec(stream, contender.fitting()),
        contender.updateSettings(),
        data,
        seed);
  }

  /**
   * Creates a run with any network and any settings.
   *
   * @param lateBy number of events after which the label of an event comes; 0 if the label comes
   *     with the event
   * @param spec network for the stream's schema
   * @param update settings that say when the learner trains
   * @param data settings that say which samples are kept, evicted and trained again
   */
  QualityRun(
      EngineName engine,
      DriftStream stream,
      int lateBy,
      ModelSpec spec,
      UpdateSettings update,
      DataSettings data,
      long seed)
      throws InterruptedException {
    this.stream = stream;
    this.lateBy = lateBy;
    store = new ObservedStore();
    EngineChoice choice = EngineChoice.of(engine, spec, null);
    histories = new KeyHistories(stream.schema());
    measure = new PrequentialMeasure(stream, choice.testedModels());
    meter = new TrainingMeter(new ReplayProfile.Sums(stream, store));
    ApplicationSettings settings =
        VirtualApplication.of(spec, engine, seed, update, data, GateSettings.off(Metric.ACCURACY));
    boolean heldOut = settings.data().needsHeldOutModel();
    learner =
        VirtualTimeLearner.of(
                settings, () -> meter.measured(choice.trainer("quality", heldOut)), measure)
            .samples(store)
            .trainingSeconds(SECONDS_PER_UPDATE, SECONDS_PER_ROW)
            .open();
  }

  /** Returns the specification of a small network, which is the same for every contender. */
  private static ModelSpec spec(DriftStream stream, Contender.Fitting fitting) {
    return new ModelSpec(
        stream.schema(),
        new Network.Mlp(List.of(HIDDEN)),
        new Fit(fitting.miniBatch(), fitting.epochs(), Updater.ADAM, fitting.learningRate(), 0),
        true);
  }

  /** Returns the processor time of loading models and of predicting, in seconds. */
  double scoringCpuSeconds() {
    return measure.cpuNanos() / 1e9;
  }

  /** Runs the whole stream. */
  RunOutcome run() throws InterruptedException {
    int n = stream.size();
    List<StageCounts> stages = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      play(i);
      if (stages.size() < (long) (i + 1) * STAGE_TIMES / n) {
        learner.writeState();
        stages.add(store.stages());
      }
    }
    measure.finish();
    return new RunOutcome(
        n,
        measure.tally().scored(),
        measure.tally().quality(),
        meter.costs(choiceCpuNanos),
        meter.failures(),
        meter.replay(),
        List.copyOf(stages));
  }

  /** Lets an event come, and lets the time until the next event pass. */
  private void play(int event) throws InterruptedException {
    store.at(event);
    Sample sample = stream.samples()[event];
    Sample inContext = histories.inContext(sample);
    histories.remember(lateBy == 0 ? inContext : inContext.withLabel(Sample.NO_LABEL));
    measure.arrived(event, inContext);
    int trainings = meter.trainings();
    long others = meter.cpuNanos() + measure.cpuNanos();
    long start = CpuTime.nanos();
    if (lateBy == 0) {
      learner.arrive(sample, ContentHasher.of(sample));
    } else {
      arriveLate(event, sample, inContext);
    }
    learner.pass(EVENT_MILLIS);
    if (meter.trainings() > trainings) {
      choiceCpuNanos += CpuTime.nanos() - start - (meter.cpuNanos() + measure.cpuNanos() - others);
    }
  }

  /** Lets an event come without its label, and then the label of an earlier event. */
  private void arriveLate(int event, Sample sample, Sample inContext) throws InterruptedException {
    Sample open =
        new Sample(id(event), sample.dense(), sample.categorical(), sample.ids(), Sample.NO_LABEL);
    learner.arrive(open, ContentHasher.of(open));
    unlabelled.add(inContext);
    if (unlabelled.size() > lateBy) {
      Sample labelled = unlabelled.remove();
      histories.changed(labelled);
      Sample label = Sample.labelOf(id(event - lateBy), labelled.label());
      learner.arrive(label, ContentHasher.of(label));
    }
  }

  private static String id(int event) {
    return "event-" + event;
  }

  @Override
  public void close() {
    learner.close();
  }
}
