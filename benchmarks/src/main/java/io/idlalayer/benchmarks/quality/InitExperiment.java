package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.proposal.Proposer;
import io.idlalayer.jobs.proposal.Wishes;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.training.EngineChoice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares application files that {@code idla init} proposes with files that people wrote. The
 * product's learner runs in virtual time with the settings of each file, and an event comes each
 * millisecond. Prints one line for each run: accuracy and log loss, or the errors, of predictions
 * before training.
 */
@CommandLine.Command(name = "InitExperiment", mixinStandardHelpOptions = true)
public final class InitExperiment implements Callable<Integer> {
  private static final double SECONDS_PER_UPDATE = 0.001;
  private static final double SECONDS_PER_ROW = 0.000002;

  @Option(names = "--data", description = "directory with the folders drift and ctr")
  private Path data = Path.of("../shared/data");

  @Option(names = "--examples", description = "directory of applications that people wrote")
  private Path examples = Path.of("examples");

  @Option(names = "--inputs", split = ",", description = "${COMPLETION-CANDIDATES}")
  private List<Input> inputs = List.of(Input.values());

  @Option(names = "--rows", description = "most events of an input")
  private int rows = 20_000;

  InitExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new InitExperiment(), args);
  }

  /** A file of events, with the application file that people wrote for it. */
  enum Input {
    ELEC("drift/elec.csv.gz", null, "electricity.yaml"),
    BIKES("drift/toulouse_bikes.csv.gz", "bikes", "toulouse-bikes.yaml"),
    AVAZU("ctr/avazu_14102100_rows1-7500.csv.gz", null, "avazu.yaml"),
    CRITEO("ctr/criteo_kaggle_head_rows1-6000.tsv.gz", null, "criteo.yaml"),
    MOVIELENS("ctr/movielens100k_by_time_rows1-80000.tsv.gz", "f3", "movielens.yaml"),
    COVTYPE("drift/covtype_first20k.csv.gz", null, "[f1..f54, class]", "f1..f54", 7),
    SEA("drift/sea_4concepts_50k.csv.gz", null, "[x1..x3, class]", "x1..x3", 2),
    SEA_GRADUAL("drift/sea_0123_gradual_noise_0.2.csv.gz", null, "[X1..X3, class]", "X1..X3", 2),
    SINE("drift/sine_0123_abrupto.csv.gz", null, "[X1..X2, class]", "X1..X2", 2),
    RBF("drift/interchanging_rbf_200k.csv.gz", null, "[x1..x2, class]", "x1..x2", 15);

    private final String file;
    private final @Nullable String label;
    private final @Nullable String example;
    private final String plain;

    Input(String file, @Nullable String label, String example) {
      this.file = file;
      this.label = label;
      this.example = example;
      plain = "";
    }

    /**
     * Creates an input for which people wrote no application file: all columns are numbers, and all
     * settings have their defaults.
     */
    Input(String file, @Nullable String label, String columns, String features, int classes) {
      this.file = file;
      this.label = label;
      example = null;
      boolean covtype = classes == 7;
      plain =
          "name: plain%ninput: {format: csv, header: %s, columns: %s, features: [%s], label: class, classes: %s}%n"
              .formatted(
                  !covtype,
                  columns,
                  features,
                  covtype ? "[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\"]" : classes);
    }
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(
        "input,application,events,accuracy,log_loss,mean_absolute_error,rmse,updates,seconds");
    Path folder = Files.createTempDirectory("init-experiment");
    Path proposed = folder.resolve("proposed.yaml");
    try {
      for (Input input : inputs) {
        Path file = data.resolve(input.file);
        // The example predicts the number of stars as a number. Otherwise the numbers of stars
        // would be proposed as classes.
        Task task = input == Input.MOVIELENS ? Task.REGRESSION : null;
        Wishes wishes = new Wishes("proposed", input.label, task, null, null, 10_000);
        Files.writeString(proposed, Proposer.ofFile(file, wishes).yaml());
        run(input, "proposed", file, proposed);
        if (input.example != null) {
          run(input, "written", file, examples.resolve(input.example));
        } else {
          run(
              input,
              "defaults",
              file,
              Files.writeString(folder.resolve("plain.yaml"), input.plain));
        }
      }
    } finally {
      Files.deleteIfExists(proposed);
      Files.deleteIfExists(folder.resolve("plain.yaml"));
      Files.deleteIfExists(folder);
    }
    return 0;
  }

  private void run(Input input, String what, Path events, Path application) throws Exception {
    ApplicationSettings settings = ApplicationFileReader.read(application, name -> null);
    EngineChoice choice = EngineChoice.of(settings.engine(), settings.model(), null);
    SampleDecoder decoder = SampleDecoders.of(settings.input());
    Heard heard = new Heard();
    long start = System.nanoTime();
    int arrived = 0;
    try (RecordReader reader = Inputs.open(events, settings);
        VirtualTimeLearner learner =
            VirtualTimeLearner.of(
                    settings, () -> choice.trainer("init", false), choice.testedModels()::load)
                .trainingSeconds(SECONDS_PER_UPDATE, SECONDS_PER_ROW)
                .output(heard)
                .open()) {
      while (arrived < rows && reader.next()) {
        try {
          Sample sample = decoder.decode(reader.record());
          arrived++;
          learner.arrive(sample, ContentHasher.of(sample));
          learner.pass(1);
        } catch (MalformedSampleException refused) {
          System.out.println("refused: " + refused.getMessage());
        }
      }
    }
    Status status = heard.last;
    if (status == null) {
      throw new IllegalStateException("no status of " + input);
    }
    PrequentialSummary quality = status.prequential();
    PrequentialSummary.Classification classes = quality.classification();
    PrequentialSummary.Regression targets = quality.regression();
    System.out.printf(
        Locale.ROOT,
        "%s,%s,%d,%s,%s,%d,%.1f%n",
        input.name().toLowerCase(Locale.ROOT),
        what,
        arrived,
        classes == null
            ? ","
            : String.format(Locale.ROOT, "%.4f,%.4f", classes.accuracy(), classes.logLoss()),
        targets == null
            ? ","
            : String.format(
                Locale.ROOT,
                "%.4f,%.4f",
                targets.meanAbsoluteError(),
                targets.rootMeanSquaredError()),
        status.updates(),
        (System.nanoTime() - start) / 1e9);
  }

  /** Remembers the last status that a learner has sent. */
  private static final class Heard implements LearnerOutput {
    private @Nullable Status last;

    @Override
    public void decision(DecisionEvent event) {
      Status status = event.status();
      last = status == null ? last : status;
    }

    @Override
    public void refused(DeadLetter letter) {}

    @Override
    public void notice(ModelNotice notice) {}
  }
}
