package io.idlalayer.benchmarks.clicks;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The product's learner on click logs, in virtual time, with tables and with one-hot inputs: log
 * loss and area under the curve on each sample before it trains, and processor seconds of training.
 * An update comes with each 256 new samples, or with as many as {@code --updates} says. Each line
 * is one run; the first run of each model and log is made twice and counts once, as a warm-up.
 */
@CommandLine.Command(name = "ClickExperiment", mixinStandardHelpOptions = true)
public final class ClickExperiment implements Callable<Integer> {
  private static final int BATCH = 256;
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(names = "--data", description = "directory with the folder ctr")
  private Path data = Path.of("../shared/data");

  @Option(names = "--logs", split = ",", description = "criteo, movielens, avazu")
  private List<String> logs = List.of("criteo", "movielens", "avazu");

  @Option(names = "--models", split = ",", description = "dlrm, wide_and_deep, mlp, ...")
  private List<String> models = Arrays.stream(ClickModel.values()).map(ClickModel::name).toList();

  @Option(names = "--rates", split = ",", description = "learning rates of the network")
  private List<Double> rates = List.of(0.0003, 0.001, 0.003);

  @Option(names = "--row-rates", split = ",", description = "learning rates of rows")
  private List<Double> rowRates = List.of(0.02, 0.1);

  @Option(names = "--scales", split = ",", description = "initial scales of rows")
  private List<Double> scales = List.of(0.01);

  @Option(names = "--epochs", split = ",", description = "passes of an update over its rows")
  private List<Integer> epochs = List.of(1);

  @Option(names = "--mini-batch", description = "samples of a step; not in the lines")
  private int miniBatch = 64;

  @Option(names = "--replays", split = ",", description = "earlier samples in an update")
  private List<Integer> replays = List.of(0, 256);

  @Option(names = "--updates", split = ",", description = "new samples of an update")
  private List<Integer> updates = List.of(BATCH);

  @Option(
      names = "--seconds",
      description =
          "budget of training after the first update, spent evenly; for models without tables")
  private @Nullable Double seconds;

  @Option(names = "--seeds", description = "how many seeds, from 1")
  private int seeds = 3;

  /** One configuration. */
  private record Setup(
      ClickLog log,
      ClickModel model,
      double rate,
      double rowRate,
      double scale,
      int epochs,
      int replays,
      int update) {}

  /** Runs it. */
  public static void main(String[] arguments) {
    Experiment.run(new ClickExperiment(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(
        "log,model,rate,row_rate,scale,epochs,replays,update,budget_seconds,seed,scored,trained,log_loss,"
            + "rate_log_loss,auc,train_seconds,seconds_after_first");
    for (String name : logs) {
      ClickLog log = ClickLog.valueOf(name.toUpperCase(Locale.ROOT));
      for (String each : models) {
        ClickModel model = ClickModel.valueOf(each.toUpperCase(Locale.ROOT));
        if (model.tables() && seconds != null) {
          throw new IllegalArgumentException(
              "--seconds: " + model + " has tables; choose --models one_hot,hashed");
        }
        if (model.fits(log)) {
          runs(log, model);
        }
      }
    }
    return 0;
  }

  private void runs(ClickLog log, ClickModel model) throws IOException, InterruptedException {
    boolean warm = false;
    for (Setup setup : setups(log, model)) {
      for (long seed = 1; seed <= seeds; seed++) {
        if (!warm) {
          String unused = run(setup, seed);
          warm = true;
        }
        System.out.println(run(setup, seed));
      }
    }
  }

  private List<Setup> setups(ClickLog log, ClickModel model) {
    List<Setup> setups = new ArrayList<>();
    for (double rate : rates) {
      for (double rowRate : model.tables() ? rowRates : List.of(0.1)) {
        for (double scale : model.tables() ? scales : List.of(0.01)) {
          for (int passes : epochs) {
            for (int again : replays) {
              for (int update : updates) {
                setups.add(new Setup(log, model, rate, rowRate, scale, passes, again, update));
              }
            }
          }
        }
      }
    }
    return setups;
  }

  /** What one run has come to, as a line. */
  private String run(Setup setup, long seed) throws IOException, InterruptedException {
    ModelSpec spec =
        setup
            .model()
            .spec(
                setup.log(),
                setup.rate(),
                setup.rowRate(),
                setup.scale(),
                setup.epochs(),
                miniBatch);
    List<Sample> samples = setup.log().read(data, spec.schema());
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, null);
    ClickMeasure measure = new ClickMeasure(choice.testedModels());
    TrainingBudget budget =
        new TrainingBudget(seconds == null ? Double.POSITIVE_INFINITY : seconds, samples.size());
    double[] trainSeconds = {0};
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings(spec, setup, seed),
                () -> timed(choice.trainer("clicks", false), trainSeconds, budget),
                measure)
            .trainingSeconds(0.001, 0.000002)
            .silent()
            .open()) {
      for (int i = 0; i < samples.size(); i++) {
        // The scored samples do not depend on the size of an update.
        measure.listen(i >= BATCH);
        if (budget.take(i)) {
          learner.arrive(samples.get(i), new ContentHash(i, ~i));
        } else {
          measure.test(samples.get(i));
        }
        learner.pass(1);
      }
    }
    return String.format(
        Locale.ROOT,
        "%s,%s,%s,%s,%s,%d,%d,%d,%s,%d,%d,%d,%.5f,%.5f,%.5f,%.3f,%.3f",
        setup.log(),
        setup.model(),
        setup.rate(),
        setup.model().tables() ? setup.rowRate() : "",
        setup.model().tables() ? setup.scale() : "",
        setup.epochs(),
        setup.replays(),
        setup.update(),
        seconds == null ? "" : seconds,
        seed,
        measure.predictions().count(),
        budget.trained(),
        measure.predictions().logLoss(),
        measure.predictions().rateLogLoss(),
        measure.predictions().auc(),
        trainSeconds[0],
        budget.countedSeconds());
  }

  private static ApplicationSettings settings(ModelSpec spec, Setup setup, long seed) {
    DataSettings defaults = DataSettings.defaults();
    DataSettings data =
        new DataSettings(
            defaults.staging(),
            setup.replays() == 0
                ? DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(0, 0, 0), false, 0)
                : DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM,
                    new DataSettings.Ratios(1, 1, 1),
                    false,
                    setup.replays()),
            defaults.maxSamples(),
            defaults.maxBytes(),
            defaults.maxUnlabeled());
    return VirtualApplication.of(
        spec,
        EngineName.ONEDNN,
        seed,
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(setup.update())),
        data,
        GateSettings.off(Metric.ACCURACY));
  }

  /** Adds up the processor time that trainings take, and tells the budget. */
  private static Trainer timed(Trainer trainer, double[] seconds, TrainingBudget budget) {
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        long start = CpuTime.nanos();
        TrainingResult result = trainer.train(request);
        double spent = (CpuTime.nanos() - start) / NANOS_PER_SECOND;
        seconds[0] += spent;
        budget.spent(spent);
        return result;
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }
}
