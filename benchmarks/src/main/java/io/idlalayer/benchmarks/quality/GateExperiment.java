package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Fit;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network;
import io.idlalayer.modelruntime.artifact.ModelSpec.Updater;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Measures the effect of the release gate on serving processes: the accuracy of the version in
 * service on several streams, with and without a gate. The labels are correct, or a stretch of them
 * is wrong, or the stream is shuffled. In a shuffled stream, no model should ever be called worse.
 *
 * <p>The last columns describe harmful versions that a rollback has undone: first their number.
 * Then follow the median and the maximum of the number of versions between the publication of a
 * harmful version and the rollback, and the same for the milliseconds; -1 if there are none.
 */
@CommandLine.Command(name = "GateExperiment", mixinStandardHelpOptions = true)
public final class GateExperiment implements Callable<Integer> {
  private static final int HIDDEN = 32;
  private static final int MILLIS_BETWEEN = 1;
  private static final int TRUSTED_SAMPLES = 1_000;
  private static final String GAVE_WAY = "a newer one takes its place";

  /**
   * Share of the stream after which labels begin to be wrong. Synthetic streams do not change at
   * this point.
   */
  private static final double START = 0.55;

  @Option(names = "--data", description = "directory with the folder drift")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "names of streams")
  private List<String> streams = DriftStreams.names();

  @Option(names = "--rows", description = "most rows of a stream")
  private int rows = 40_000;

  @Option(names = "--seeds", description = "how many seeds, from 1")
  private int seeds = 3;

  @Option(names = "--wrong", description = "events with wrong labels, in the second half")
  private int wrong = 100;

  @Option(
      names = "--after",
      description = "events of accuracy_after, from the first wrong label on")
  private int after = 1_000;

  @Option(
      names = "--guards",
      split = ",",
      description = "none, roll_back, hold, ... (default: all)")
  private List<Guard> guards = List.of(Guard.values());

  @Option(names = "--labels", split = ",", description = "true, wrong, shuffled (default: all)")
  private List<Labels> kinds = List.of(Labels.values());

  GateExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new GateExperiment(), args);
  }

  /** The changes of the labels or of the stream. */
  private enum Labels {
    TRUE,
    WRONG,
    SHUFFLED
  }

  /** The ways to keep bad models out of service. */
  private enum Guard {
    NONE(Action.OFF, AfterPublishing.OFF, ContinueFrom.NEWEST),
    ROLL_BACK(Action.OFF, AfterPublishing.ROLL_BACK, ContinueFrom.NEWEST),
    HOLD(Action.HOLD, AfterPublishing.ROLL_BACK, ContinueFrom.NEWEST),
    HOLD_IN_SERVICE(Action.HOLD, AfterPublishing.ROLL_BACK, ContinueFrom.IN_SERVICE),
    /**
     * {@link #HOLD}, but compares models on trusted events. These are events from before the wrong
     * labels, and they were trained too.
     */
    TRUSTED(Action.HOLD, AfterPublishing.ROLL_BACK, ContinueFrom.NEWEST),
    /** {@link #ROLL_BACK}, but compares models on the trusted events of {@link #TRUSTED}. */
    TRUSTED_ROLL_BACK(Action.OFF, AfterPublishing.ROLL_BACK, ContinueFrom.NEWEST);

    private final Action action;
    private final AfterPublishing afterPublishing;
    private final ContinueFrom continueFrom;

    Guard(Action action, AfterPublishing afterPublishing, ContinueFrom continueFrom) {
      this.action = action;
      this.afterPublishing = afterPublishing;
      this.continueFrom = continueFrom;
    }

    GateSettings settings() {
      GateSettings standard = GateSettings.off(Metric.ACCURACY);
      return new GateSettings(
          action,
          afterPublishing,
          standard.metric(),
          standard.margin(),
          standard.samples(),
          standard.waitSeconds(),
          continueFrom,
          null);
    }

    boolean trusts() {
      return this == TRUSTED || this == TRUSTED_ROLL_BACK;
    }

    String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Counts the learner's decisions to hold a model. */
  private static final class Counted implements LearnerOutput {
    private int refused;
    private int gaveWay;

    @Override
    public void decision(DecisionEvent event) {
      if (event.type() == DecisionEvent.Type.HELD) {
        boolean newer = event.message().endsWith(GAVE_WAY);
        gaveWay += newer ? 1 : 0;
        refused += newer ? 0 : 1;
      }
    }

    @Override
    public void refused(DeadLetter letter) {
      throw new IllegalStateException("an event of the stream was refused: " + letter.reason());
    }

    @Override
    public void notice(ModelNotice notice) {}
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(
        "stream,labels,guard,seed,events,accuracy,accuracy_after,published,harmful,refused,gave_way,rolled_back"
            + ",rightly,rightly_next,harmful_undone,updates_until,updates_most,millis_until,millis_most");
    for (String name : streams) {
      DriftStream stream = DriftStreams.read(data, name, rows);
      for (Labels labels : kinds) {
        for (int seed = 1; seed <= seeds; seed++) {
          for (Guard guard : guards) {
            System.out.println(run(stream, labels, guard, seed));
          }
        }
      }
    }
    return 0;
  }

  private String run(DriftStream stream, Labels labels, Guard guard, int seed) throws Exception {
    Sample[] samples = stream.samples().clone();
    if (labels == Labels.SHUFFLED) {
      shuffle(samples, seed);
    }
    int[] trueLabels = Arrays.stream(samples).mapToInt(each -> (int) each.label()).toArray();
    int start = (int) (START * samples.length);
    if (labels == Labels.WRONG) {
      for (int i = start; i < start + wrong; i++) {
        samples[i] = mislabelled(samples[i], stream.classes());
      }
    }
    ModelSpec spec =
        new ModelSpec(
            stream.schema(),
            new Network.Mlp(List.of(HIDDEN)),
            new Fit(32, 2, Updater.ADAM, 0.01, 0),
            true);
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, null);
    Counted counted = new Counted();
    try (ServedModels served =
        new ServedModels(
            choice.testedModels(), List.of(samples), trueLabels, guard.settings().margin())) {
      VirtualTimeLearner setup =
          VirtualTimeLearner.of(
                  VirtualApplication.of(
                      spec,
                      EngineName.ONEDNN,
                      seed,
                      UpdateSettings.defaults(),
                      DataSettings.defaults(),
                      guard.settings()),
                  () -> choice.trainer("gate", false),
                  choice.testedModels()::load)
              .published(served)
              .trusted(guard.trusts() ? before(samples, start) : List.of())
              .output(counted);
      try (VirtualTimeLearner learner = setup.open()) {
        for (int i = 0; i < samples.length; i++) {
          served.arrived(samples[i]);
          learner.arrive(samples[i], new ContentHash(i, ~i));
          learner.pass(MILLIS_BETWEEN);
        }
      }
      served.finish();
      List<ServedModels.Undone> undone = served.undone();
      int[] updates = undone.stream().mapToInt(ServedModels.Undone::updates).sorted().toArray();
      int[] millis =
          undone.stream().mapToInt(each -> each.events() * MILLIS_BETWEEN).sorted().toArray();
      return String.format(
          Locale.ROOT,
          "%s,%s,%s,%d,%d,%.4f,%.4f,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d",
          stream.name(),
          labels.name().toLowerCase(Locale.ROOT),
          guard.key(),
          seed,
          samples.length,
          served.accuracy(0, samples.length),
          served.accuracy(start, Math.min(samples.length, start + after)),
          served.published(),
          served.harmful(),
          counted.refused,
          counted.gaveWay,
          served.rollbacks(),
          served.rightlyOnAll(),
          served.rightlyOnNext(),
          undone.size(),
          median(updates),
          most(updates),
          median(millis),
          most(millis));
    }
  }

  /**
   * Returns the median, of an even number of values the lower of the two middle values; -1 if there
   * are no values.
   */
  private static int median(int[] sorted) {
    return sorted.length == 0 ? -1 : sorted[(sorted.length - 1) / 2];
  }

  /** Returns the largest number; -1 if there is none. */
  private static int most(int[] sorted) {
    return sorted.length == 0 ? -1 : sorted[sorted.length - 1];
  }

  /** Returns every tenth of the last events before an event. */
  private static List<Sample> before(Sample[] samples, int start) {
    List<Sample> some = new ArrayList<>();
    for (int i = Math.max(0, start - 10 * TRUSTED_SAMPLES); i < start; i += 10) {
      some.add(samples[i]);
    }
    return some;
  }

  private static Sample mislabelled(Sample sample, int classes) {
    int label = ((int) sample.label() + 1) % classes;
    return new Sample(sample.id(), sample.dense(), sample.categorical(), label);
  }

  private static void shuffle(Sample[] samples, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = samples.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Sample swapped = samples[i];
      samples[i] = samples[other];
      samples[other] = swapped;
    }
  }
}
