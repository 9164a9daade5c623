package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.CsvFile;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Fit;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network.Mlp;
import io.idlalayer.modelruntime.artifact.ModelSpec.Updater;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares one network with the average of several networks, on the drifting streams, with the
 * product's learner in virtual time. Appends one line for each run to a CSV file: stream, network,
 * seed, accuracy and log loss of predictions before training, and processor seconds.
 */
@CommandLine.Command(name = "EnsembleExperiment", mixinStandardHelpOptions = true)
public final class EnsembleExperiment implements Callable<Integer> {
  private static final int MINI_BATCH = 32;
  private static final int EPOCHS = 2;
  private static final int WARM_UP_ROWS = 3_000;

  @Option(names = "--data", description = "directory with the folder drift")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "names of streams")
  private List<String> streams = List.of("elec", "covtype", "sine", "rbf", "sea", "sea_gradual");

  @Option(names = "--networks", split = ",", description = "networks: ${COMPLETION-CANDIDATES}")
  private List<Contestant> networks = List.of(Contestant.values());

  @Option(names = "--references", split = ",", description = "references: ${COMPLETION-CANDIDATES}")
  private List<MoaReference> references = List.of();

  @Option(names = "--seeds", split = ",", description = "seeds of networks and choices")
  private List<Integer> seeds = List.of(1, 2, 3, 4, 5);

  @Option(
      names = "--late",
      split = ",",
      description = "numbers of events after which the label of an event comes")
  private List<Integer> late = List.of(0);

  @Option(names = "--rows", description = "most rows of a stream")
  private int rows = 60_000;

  @Option(names = "--out", required = true, description = "CSV file to append to")
  private Path out = Path.of("");

  private boolean warm;

  EnsembleExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new EnsembleExperiment(), args);
  }

  /** A network and the settings of its training. */
  enum Contestant {
    /** The former default network of application files, with an update for each 32 samples. */
    DEFAULT(List.of(64, 32), 1, 0.001, 32, 256, 0.25),
    /** {@link #DEFAULT}, trained twice as often. */
    DEFAULT_16(List.of(64, 32), 1, 0.001, 16, 256, 0.25),
    /** {@link #DEFAULT}, but always replays its whole budget. */
    DEFAULT_STEADY(List.of(64, 32), 1, 0.001, 32, 256, 1),
    /**
     * {@link #DEFAULT} with the update size and the replay of {@link #MEMBERS_16}, and half of its
     * learning rate.
     */
    WIDE_16(List.of(64, 32), 1, 0.005, 16, 128, 1),
    /** One small network with the settings of {@link #MEMBERS_16}. */
    ONE_16(List.of(32), 1, 0.01, 16, 128, 1),
    /** Four small networks, of which two take encoded numbers. */
    MEMBERS_16(List.of(32), 4, 0.01, 16, 128, 1),
    /** {@link #MEMBERS_16} with about a third of the learning rate. */
    MEMBERS_16_SLOW(List.of(32), 4, 0.003, 16, 128, 1),
    /** {@link #MEMBERS_16}, but replays by the trend of the loss. */
    MEMBERS_16_TREND(List.of(32), 4, 0.01, 16, 256, 0.25),
    /** {@link #MEMBERS_16}, but trains twice as often and replays half as much each time. */
    MEMBERS_8(List.of(32), 4, 0.01, 8, 64, 1),
    /** Four small networks that train as often as the default. */
    MEMBERS_32(List.of(32), 4, 0.01, 32, 256, 1),
    /** {@link #MEMBERS_32}, but replays by the trend of the loss. */
    MEMBERS_32_TREND(List.of(32), 4, 0.01, 32, 256, 0.25),
    /**
     * {@link #MEMBERS_32} and two more networks that take the last label and the changes of
     * numbers.
     */
    HISTORY_32(MEMBERS_32),
    /** {@link #MEMBERS_16} and the two additional networks of {@link #HISTORY_32}. */
    HISTORY_16(MEMBERS_16),
    /**
     * {@link #DEFAULT} and one more network that takes the last label and the changes of numbers.
     */
    DEFAULT_HISTORY(DEFAULT);

    private static final SampleSchema.History LAST_LABEL =
        new SampleSchema.History(null, 1, true, 1);

    private final List<Integer> hidden;
    private final int members;
    private final double learningRate;
    private final int updateSamples;
    private final int replayBudget;
    private final double steadyShare;
    private final boolean history;

    Contestant(Contestant withoutHistory) {
      hidden = withoutHistory.hidden;
      members = withoutHistory.members;
      learningRate = withoutHistory.learningRate;
      updateSamples = withoutHistory.updateSamples;
      replayBudget = withoutHistory.replayBudget;
      steadyShare = withoutHistory.steadyShare;
      history = true;
    }

    Contestant(
        List<Integer> hidden,
        int members,
        double learningRate,
        int updateSamples,
        int replayBudget,
        double steadyShare) {
      this.hidden = hidden;
      this.members = members;
      this.learningRate = learningRate;
      this.updateSamples = updateSamples;
      this.replayBudget = replayBudget;
      this.steadyShare = steadyShare;
      history = false;
    }

    QualityRun run(DriftStream plain, int lateBy, long seed) throws InterruptedException {
      DriftStream stream = history ? plain.with(LAST_LABEL) : plain;
      DataSettings defaults = DataSettings.defaults();
      Replay replay =
          new Replay(
              DataSettings.Policy.FUZZY,
              defaults.replay().ratios(),
              defaults.replay().search(),
              replayBudget,
              steadyShare,
              defaults.replay().newborns());
      return new QualityRun(
          EngineName.ONEDNN,
          stream,
          lateBy,
          new ModelSpec(
              stream.schema(),
              new Mlp(hidden, members),
              new Fit(MINI_BATCH, EPOCHS, Updater.ADAM, learningRate, 0),
              true),
          UpdateSettings.of(RuleName.COUNT, UpdateSettings.defaults().weight())
              .with(Tuning.defaults().withCount(updateSamples)),
          new DataSettings(
              defaults.staging(),
              replay,
              defaults.maxSamples(),
              defaults.maxBytes(),
              defaults.maxUnlabeled()),
          seed);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CsvFile lines =
        new CsvFile(
            out,
            "stream,network,seed,accuracy,log_loss,training_cpu_seconds,scoring_cpu_seconds,"
                + "choice_cpu_seconds,updates,rows,labels_late_by");
    for (int seed : seeds) {
      for (String name : streams) {
        DriftStream stream = DriftStreams.read(data, name, rows);
        for (int lateBy : late) {
          for (Contestant network : networks) {
            lines.append(run(stream, lateBy, network, seed));
          }
          for (MoaReference reference : references) {
            MoaReference.Measured run = reference.measured(stream, lateBy, seed);
            lines.append(
                line(
                    stream, lateBy, reference.key(), seed, run.outcome(), run.scoringCpuSeconds()));
          }
        }
      }
    }
    return 0;
  }

  private String run(DriftStream stream, int lateBy, Contestant network, long seed)
      throws IOException, InterruptedException {
    if (!warm) {
      // The first trainings of a process cost far more than all later ones.
      warm = true;
      DriftStream some =
          DriftStream.clean(
              "warm-up",
              stream.schema(),
              Arrays.copyOf(stream.samples(), Math.min(WARM_UP_ROWS, stream.size())));
      for (Contestant each : networks) {
        try (QualityRun run = each.run(some, 0, 1)) {
          run.run();
        }
      }
    }
    try (QualityRun run = network.run(stream, lateBy, seed)) {
      RunOutcome outcome = run.run();
      String name = network.name().toLowerCase(Locale.ROOT);
      return line(stream, lateBy, name, seed, outcome, run.scoringCpuSeconds());
    }
  }

  private static String line(
      DriftStream stream,
      int lateBy,
      String network,
      long seed,
      RunOutcome outcome,
      double scoringCpuSeconds) {
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%.5f,%.5f,%.2f,%.2f,%.2f,%d,%d,%d",
        stream.name(),
        network,
        seed,
        outcome.quality().trueAccuracy(),
        outcome.quality().trueLogLoss(),
        outcome.costs().trainCpuSeconds(),
        scoringCpuSeconds,
        outcome.costs().choiceCpuSeconds(),
        outcome.costs().updates(),
        outcome.costs().trainedRows(),
        lateBy);
  }
}
