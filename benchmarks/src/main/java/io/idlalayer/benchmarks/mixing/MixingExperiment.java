package io.idlalayer.benchmarks.mixing;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.mixing.MixedLearners;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares one learner with several that learn one model together, in virtual time: an event each
 * millisecond, dealt to the learners by chance, and an update each so many events of the stream.
 * One learner is a mix of one, whose versions are its own models. Prints one line for each run:
 * accuracy and log loss of predictions before training, over the learners by their samples.
 */
@CommandLine.Command(name = "MixingExperiment", mixinStandardHelpOptions = true)
public final class MixingExperiment implements Callable<Integer> {
  private static final double SECONDS_PER_UPDATE = 0.005;
  private static final double SECONDS_PER_ROW = 0.00002;

  @Option(names = "--data", description = "directory with the streams")
  private Path data = Path.of("../shared/data/drift");

  @Option(names = "--streams", split = ",", description = "${COMPLETION-CANDIDATES}")
  private List<StreamFile> streams = List.of(StreamFile.values());

  @Option(names = "--learners", split = ",", description = "numbers of learners")
  private List<Integer> counts = List.of(1, 2, 4);

  @Option(names = "--seeds", description = "number of seeds")
  private int seeds = 3;

  @Option(names = "--rows", description = "most events of a stream")
  private int rows = 20_000;

  @Option(names = "--update-rows", description = "events of the stream between two updates")
  private int updateRows = 256;

  @Option(names = "--mini-batch", description = "rows of a mini-batch")
  private int miniBatch = 32;

  @Option(names = "--round-millis", description = "virtual milliseconds that a round takes")
  private long roundMillis = 100;

  MixingExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new MixingExperiment(), args);
  }

  /** A file of a stream whose columns are numbers, but for the last one. */
  enum StreamFile {
    SINE("sine_0123_abrupto.csv.gz", "[X1..X2, class]", "X1..X2", 2),
    SEA("sea_4concepts_50k.csv.gz", "[x1..x3, class]", "x1..x3", 2),
    RBF("interchanging_rbf_200k.csv.gz", "[x1..x2, class]", "x1..x2", 15);

    private final String file;
    private final String columns;
    private final String features;
    private final int classes;

    StreamFile(String file, String columns, String features, int classes) {
      this.file = file;
      this.columns = columns;
      this.features = features;
      this.classes = classes;
    }
  }

  @Override
  public Integer call() throws Exception {
    System.out.println("stream,learners,seed,events,accuracy,log_loss,versions,seconds");
    for (StreamFile stream : streams) {
      for (int seed = 1; seed <= seeds; seed++) {
        for (int count : counts) {
          run(stream, count, seed);
        }
      }
    }
    return 0;
  }

  private ApplicationSettings settings(StreamFile stream, int count, int seed) throws Exception {
    String text =
        """
        name: mixed
        seed: %d
        partitions: %d
        mixing: {action: average}
        input: {format: csv, header: true, columns: %s, features: [%s], label: class, classes: %d}
        training: {mini-batch: %d}
        update: {rule: count, count: %d}
        """
            .formatted(
                seed,
                Math.max(2, count),
                stream.columns,
                stream.features,
                stream.classes,
                miniBatch,
                updateRows / count);
    Path file = Files.createTempFile("mixing-experiment", ".yaml");
    try {
      return ApplicationFileReader.read(Files.writeString(file, text), name -> null);
    } finally {
      Files.delete(file);
    }
  }

  private void run(StreamFile stream, int count, int seed) throws Exception {
    ApplicationSettings settings = settings(stream, count, seed);
    SampleDecoder decoder = SampleDecoders.of(settings.input());
    long start = System.nanoTime();
    int arrived = 0;
    // Dealt by chance, because some streams alternate between classes.
    SplittableRandom dealt = new SplittableRandom(seed);
    try (RecordReader reader = Inputs.open(data.resolve(stream.file), settings);
        MixedLearners learners =
            new MixedLearners(settings, SECONDS_PER_UPDATE, SECONDS_PER_ROW, roundMillis)) {
      while (arrived < rows && reader.next()) {
        Sample sample = decoder.decode(reader.record());
        learners.arrive(dealt.nextInt(count), sample);
        learners.pass(1);
        arrived++;
      }
      double tested = 0;
      double right = 0;
      double loss = 0;
      for (int p = 0; p < count; p++) {
        Status status = Objects.requireNonNull(learners.status(p), "no status");
        PrequentialSummary.Classification quality =
            Objects.requireNonNull(status.prequential().classification(), "no classes");
        double part = status.trainedNewSamples();
        tested += part;
        right += part * quality.accuracy();
        loss += part * quality.logLoss();
      }
      System.out.printf(
          Locale.ROOT,
          "%s,%d,%d,%d,%.4f,%.4f,%d,%.1f%n",
          stream.name().toLowerCase(Locale.ROOT),
          count,
          seed,
          arrived,
          right / tested,
          loss / tested,
          learners.versions(),
          (System.nanoTime() - start) / 1e9);
    }
  }
}
