package io.idlalayer.benchmarks.clicks;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
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
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Events whose contents repeat, without ids: each computed as it is, equal rows of a mini-batch
 * computed once with their number as weight (the product), and each content trained once, as it was
 * before. The product's learner in virtual time with its default selection; an update comes with
 * each 256 new samples. Every event is predicted before it trains. For each seed, the contenders
 * run one after the other, in turning order.
 */
@CommandLine.Command(name = "RepetitionExperiment", mixinStandardHelpOptions = true)
public final class RepetitionExperiment implements Callable<Integer> {
  private static final int UPDATE = 256;
  private static final int MINI_BATCH = 64;
  private static final double RATE = 0.001;
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(names = "--data", description = "directory with the folder ctr")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "avazu_few, movielens_items, ...")
  private List<String> streams =
      Arrays.stream(RepetitionStream.values()).map(RepetitionStream::name).toList();

  @Option(names = "--rows", description = "most events of a stream")
  private int rows = 40_000;

  @Option(names = "--seeds", description = "how many seeds, from 1")
  private int seeds = 5;

  /** What trains. */
  private enum Contender {
    EACH_EVENT("each event as it is"),
    WEIGHTED("equal rows with their weight"),
    ONCE("each content once");

    private final String label;

    Contender(String label) {
      this.label = label;
    }
  }

  /**
   * What one run has come to.
   *
   * @param trainSeconds processor time of the trainings
   * @param seconds processor time of everything, predictions included
   */
  private record Outcome(
      double logLoss,
      double rateLogLoss,
      double auc,
      double accuracy,
      double trainSeconds,
      double seconds,
      long stored,
      long storedBytes) {}

  /** Runs it. */
  public static void main(String[] arguments) {
    Experiment.run(new RepetitionExperiment(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(
        "| stream | events | contents | trains | log loss | difference to weights | area under the"
            + " curve | accuracy | training, s | all, s | stored | bytes |\n|"
            + "---|".repeat(12));
    for (String name : streams) {
      compare(RepetitionStream.valueOf(name.toUpperCase(Locale.ROOT)));
    }
    return 0;
  }

  private void compare(RepetitionStream stream) throws IOException, InterruptedException {
    List<Sample> all = stream.log().read(data, stream.schema());
    List<Sample> samples = all.subList(0, Math.min(rows, all.size()));
    Set<ContentHash> contents = new HashSet<>();
    samples.forEach(sample -> contents.add(ContentHasher.of(sample)));
    Map<Contender, List<Outcome>> outcomes = new EnumMap<>(Contender.class);
    Contender[] order = Contender.values();
    // What is loaded and compiled at first counts for none.
    Outcome unused = run(stream, samples, Contender.EACH_EVENT, 0);
    for (int seed = 1; seed <= seeds; seed++) {
      for (int turn = 0; turn < order.length; turn++) {
        Contender contender = order[(turn + seed) % order.length];
        outcomes
            .computeIfAbsent(contender, each -> new ArrayList<>())
            .add(run(stream, samples, contender, seed));
      }
    }
    List<Outcome> weighted = Objects.requireNonNull(outcomes.get(Contender.WEIGHTED));
    for (Contender contender : order) {
      List<Outcome> runs = Objects.requireNonNull(outcomes.get(contender));
      System.out.printf(
          Locale.ROOT,
          "| %s | %d | %d | %s | %s |%n",
          stream.name().toLowerCase(Locale.ROOT),
          samples.size(),
          contents.size(),
          contender.label,
          cells(runs, weighted));
    }
    System.out.printf(
        Locale.ROOT,
        "| | | | predicts the rate so far | %.4f | | | | | | | |%n",
        weighted.get(0).rateLogLoss());
  }

  private static String cells(List<Outcome> runs, List<Outcome> weighted) {
    double[] differences = new double[runs.size()];
    Arrays.setAll(differences, i -> runs.get(i).logLoss() - weighted.get(i).logLoss());
    return String.join(
        " | ",
        text(runs, Outcome::logLoss, "%.4f"),
        Repeats.of(differences).text("%+.5f"),
        text(runs, Outcome::auc, "%.4f"),
        text(runs, Outcome::accuracy, "%.4f"),
        text(runs, Outcome::trainSeconds, "%.2f"),
        text(runs, Outcome::seconds, "%.2f"),
        text(runs, Outcome::stored, "%.0f"),
        text(runs, Outcome::storedBytes, "%.0f"));
  }

  private static String text(List<Outcome> runs, ToDoubleFunction<Outcome> of, String format) {
    Repeats repeats = Repeats.of(runs.stream().mapToDouble(of).toArray());
    return repeats.least() == repeats.most()
        ? String.format(Locale.ROOT, format, repeats.median())
        : repeats.text(format);
  }

  private static Outcome run(
      RepetitionStream stream, List<Sample> samples, Contender contender, long seed)
      throws InterruptedException {
    ModelSpec spec =
        new ModelSpec(
            stream.schema(),
            new ModelSpec.Network.Mlp(List.of(64, 32)),
            new ModelSpec.Fit(MINI_BATCH, 1, ModelSpec.Updater.ADAM, RATE, 0),
            true);
    EngineChoice choice = EngineChoice.of(EngineName.ONEDNN, spec, null);
    ClickMeasure measure = new ClickMeasure(choice.testedModels());
    double[] trainSeconds = {0};
    Set<ContentHash> seen = new HashSet<>();
    long start = CpuTime.nanos();
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings(spec, seed),
                () -> timed(choice.trainer("repetition", false), contender, trainSeconds),
                measure)
            .trainingSeconds(0.001, 0.000002)
            .open()) {
      for (int i = 0; i < samples.size(); i++) {
        measure.listen(i >= UPDATE);
        Sample sample = samples.get(i);
        ContentHash hash = ContentHasher.of(sample);
        if (seen.add(hash) || contender != Contender.ONCE) {
          learner.arrive(sample, hash);
        } else {
          measure.test(sample);
        }
        learner.pass(1);
        learner.events.subList(0, Math.max(0, learner.events.size() - 1)).clear();
      }
      learner.pass(2_000);
      Status.Samples counts = learner.last().status().samples();
      return new Outcome(
          measure.predictions().logLoss(),
          measure.predictions().rateLogLoss(),
          measure.predictions().auc(),
          measure.predictions().accuracy(),
          trainSeconds[0],
          (CpuTime.nanos() - start) / NANOS_PER_SECOND,
          counts.stored(),
          counts.storedBytes());
    }
  }

  private static ApplicationSettings settings(ModelSpec spec, long seed) {
    return VirtualApplication.of(
        spec,
        EngineName.ONEDNN,
        seed,
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(UPDATE)),
        DataSettings.defaults(),
        GateSettings.off(Metric.ACCURACY));
  }

  /** Adds up the processor time of trainings, which compute each row unless rows are weighted. */
  private static Trainer timed(Trainer trainer, Contender contender, double[] seconds) {
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        TrainingRequest given =
            contender == Contender.EACH_EVENT ? withContentsOfTheirOwn(request) : request;
        long start = CpuTime.nanos();
        TrainingResult result = trainer.train(given);
        seconds[0] += (CpuTime.nanos() - start) / NANOS_PER_SECOND;
        return result;
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  /** Returns a request in which no two rows count as equal. */
  private static TrainingRequest withContentsOfTheirOwn(TrainingRequest request) {
    List<TrainingRow> rows =
        request.batch().rows().stream()
            .map(
                row ->
                    new TrainingRow(
                        row.sampleId(),
                        row.sampleId(),
                        row.sample(),
                        row.lossBefore(),
                        row.fresh()))
            .toList();
    return new TrainingRequest(
        request.base(),
        new TrainingBatch(request.batch().updateNumber(), rows),
        request.seed(),
        request.rows());
  }
}
