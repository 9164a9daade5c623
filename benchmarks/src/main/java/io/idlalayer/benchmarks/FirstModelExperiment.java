package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.OwnProcess;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.modelcontroller.evaluation.LoadedModels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;

/**
 * How long a new process takes from its first event to its first published model, and how long the
 * model that tests samples takes to be swapped. Each measurement is a process of its own with
 * broker, Flink, learner and producer: the job starts, prepares its engine, and some seconds later
 * events are sent at a fixed rate. The networks take turns.
 *
 * <p>Swaps are timed afterwards in the same process, with the versions that the job published: the
 * first is one after a restart, the others replace a version. Of the longest it is told how long it
 * had the processor, and how long collections took meanwhile; in the rest of its time it waited for
 * the processor.
 */
public final class FirstModelExperiment {
  private static final String APPLICATION = "first-model";
  private static final double EVENTS_PER_SECOND = 1_000;
  private static final long EVENTS = 20_000;

  /** From the submission of the job until events are sent; an empty job is ready before. */
  private static final int SETTLE_SECONDS = 12;

  private static final int MODELS = 4;
  private static final int SWAPS = 60;
  private static final int LIMIT_SECONDS = 120;
  private static final int VALUES = 6;

  /** Model and features of each network. */
  private static final Map<String, String> NETWORKS = new LinkedHashMap<>();

  static {
    NETWORKS.put("mlp", "{type: mlp, hidden: [64, 32]}; [{name: x, width: 6}]");
    NETWORKS.put("large", "{type: mlp, hidden: [1600, 1500]}; [{name: x, width: 6}]");
    NETWORKS.put(
        "cnn",
        "{type: cnn, image: {height: 28, width: 28, channels: 1}, filters: [8, 16], dense: 64};"
            + " [{name: x, width: 784}]");
    NETWORKS.put("lstm", "{type: dl4j-json, file: network.json}; [{name: x, width: 128}]");
    NETWORKS.put(
        "dlrm",
        "{type: dlrm, bottom: [64], top: [64, 32]}; [{name: x, width: 13}];"
            + " [a, b, c, d, e, f, g, h]");
  }

  private FirstModelExperiment() {}

  /**
   * Usage: {@code FirstModelExperiment WORK_FOLDER REPEATS [NETWORK...]}, with {@code mlp}, {@code
   * large} (an mlp of 10 MB of parameters), {@code cnn}, {@code lstm}, {@code dlrm}.
   */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("one")) {
      one(Path.of(args[1]), args[2]);
      System.exit(0);
    }
    Path work = Path.of(args[0]);
    int repeats = Integer.parseInt(args[1]);
    List<String> networks =
        args.length > 2 ? List.of(args).subList(2, args.length) : List.copyOf(NETWORKS.keySet());
    Map<String, double[][]> measured = new LinkedHashMap<>();
    networks.forEach(each -> measured.put(each, new double[VALUES][repeats]));
    for (int i = 0; i < repeats; i++) {
      for (String network : networks) {
        double[] values = inItsOwnProcess(work.resolve(network + i), network);
        double[][] columns = Objects.requireNonNull(measured.get(network));
        for (int k = 0; k < values.length; k++) {
          columns[k][i] = values[k];
        }
      }
    }
    System.out.printf(
        "| network | first event sent to first model published, s, median (min..max) of %d |"
            + " first swap after a restart, ms | later swaps, medians, ms |"
            + " longest of %d later swaps, ms | processor time of that, ms |"
            + " collections in that, ms |%n|---|---|---|---|---|---|---|%n",
        repeats, SWAPS);
    measured.forEach(
        (network, columns) ->
            System.out.printf(
                "| %s | %s | %s | %s | %s | %s | %s |%n",
                network,
                Repeats.of(columns[0]).text("%.2f"),
                Repeats.of(columns[1]).text("%.1f"),
                Repeats.of(columns[2]).text("%.2f"),
                Repeats.of(columns[3]).text("%.2f"),
                Repeats.of(columns[4]).text("%.2f"),
                Repeats.of(columns[5]).text("%.0f")));
  }

  private static double[] inItsOwnProcess(Path work, String network) throws Exception {
    Files.createDirectories(work);
    return OwnProcess.run(
        FirstModelExperiment.class,
        work.resolve("output.txt"),
        LIMIT_SECONDS,
        "one",
        work.toString(),
        network);
  }

  // ---- one measurement --------------------------------------------------------------------------

  private static void one(Path work, String network) throws Exception {
    ApplicationSettings application = application(work, network);
    Watch watch = new Watch(application);
    Path job = work.resolve("job");
    new EmbeddedRun(new EmbeddedRun.Plan(List.of(application), job, null, null), watch)
        .run(() -> watch.published >= MODELS);
    List<Swap> swaps = swaps(application, job.resolve("models"));
    List<Swap> later = swaps.subList(1, swaps.size());
    Swap longest = later.stream().max(Comparator.comparingDouble(Swap::millis)).orElseThrow();
    System.out.printf(
        Locale.ROOT,
        "%nRESULT %.3f %.2f %.3f %.3f %.3f %.0f%n",
        (watch.firstPublishedMillis - watch.firstSentMillis) / 1e3,
        swaps.get(0).millis(),
        Repeats.median(later.stream().mapToDouble(Swap::millis).toArray()),
        longest.millis(),
        longest.processorMillis(),
        longest.collectionMillis());
  }

  /**
   * The duration of a swap.
   *
   * @param processorMillis processor time of its thread
   * @param collectionMillis time of the garbage collector during the swap
   */
  private record Swap(double millis, double processorMillis, double collectionMillis) {}

  private static List<Swap> swaps(ApplicationSettings application, Path folder) throws Exception {
    List<ModelArtifact> versions = new ArrayList<>();
    ModelStore store = new ModelStore(folder, InstantSource.system());
    for (ModelCheckpoint each : store.list(APPLICATION, 0)) {
      versions.add(new ModelArtifact(store.load(each)));
    }
    EngineChoice choice = EngineChoice.of(application.engine(), application.model(), null);
    List<Swap> swaps = new ArrayList<>();
    try (LoadedModels models = new LoadedModels(choice.testedModels()::load)) {
      for (int i = 0; i <= SWAPS; i++) {
        long collections = collectionMillis();
        long processor = CpuTime.nanos();
        long start = System.nanoTime();
        models.serve(versions.get(i % versions.size()), null);
        swaps.add(
            new Swap(
                (System.nanoTime() - start) / 1e6,
                (CpuTime.nanos() - processor) / 1e6,
                collectionMillis() - collections));
        if (models.broken() != null) {
          throw new IOException(models.broken());
        }
      }
    }
    return swaps;
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  /** Sends events when the job is ready, and sees when models are published. */
  private static final class Watch implements RunMonitor {
    private final ApplicationSettings application;
    private int published;
    private long firstPublishedMillis;

    /** Written by the producer's thread. */
    private volatile long firstSentMillis;

    Watch(ApplicationSettings application) {
      this.application = application;
    }

    @Override
    public void submitted(String servers) {
      Thread producer = new Thread(() -> send(servers), "producer");
      producer.setDaemon(true);
      producer.start();
    }

    private void send(String servers) {
      try {
        TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        new InputProducer(application, servers)
            .send(
                InputSource.generated(APPLICATION, () -> new Events(this, application)),
                new InputProducer.Request(EVENTS, EVENTS_PER_SECOND));
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }

    void sent() {
      if (firstSentMillis == 0) {
        firstSentMillis = System.currentTimeMillis();
      }
    }

    @Override
    public void phase(String text) {
      System.out.println(text);
    }

    @Override
    public void tick(RunView view) {}

    @Override
    public void event(RunView view, DecisionEvent event) {
      if (event.type() == DecisionEvent.Type.PUBLISHED) {
        if (published == 0) {
          firstPublishedMillis = event.atMillis();
        }
        published++;
      }
      System.out.println(event.atMillis() - firstSentMillis + " ms: " + event.type());
    }
  }

  /** Made-up events, of which half are of either class. */
  private static final class Events implements RecordReader {
    private final Watch watch;
    private final int width;
    private final List<String> ids;
    private final SplittableRandom random = new SplittableRandom(1);
    private long position;

    Events(Watch watch, ApplicationSettings application) {
      this.watch = watch;
      width = application.model().schema().dense().get(0).width();
      ids = application.model().schema().ids().stream().map(it -> it.name()).toList();
    }

    @Override
    public boolean next() {
      watch.sent();
      return position++ < EVENTS;
    }

    @Override
    public byte[] record() {
      boolean second = random.nextBoolean();
      StringBuilder text = new StringBuilder("{\"x\":[");
      for (int i = 0; i < width; i++) {
        double value = random.nextDouble() + (second && i % 2 == 0 ? 0.5 : 0);
        text.append(i == 0 ? "" : ",").append(String.format(Locale.ROOT, "%.3f", value));
      }
      text.append(']');
      for (String id : ids) {
        text.append(",\"%s\":\"%d\"".formatted(id, random.nextInt(10_000)));
      }
      return text.append(",\"y\":%d}".formatted(second ? 1 : 0))
          .toString()
          .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void close() {}
  }

  private static ApplicationSettings application(Path work, String network) throws Exception {
    @Nullable String described = NETWORKS.get(network);
    if (described == null) {
      throw new IllegalArgumentException(
          "there is no network '%s', only %s".formatted(network, NETWORKS.keySet()));
    }
    String[] parts = described.split("; ", 3);
    Files.createDirectories(work);
    Files.writeString(work.resolve("network.json"), lstm());
    Path file = work.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: %s
        input: {format: json, features: %s, label: y, classes: 2%s}
        model: %s
        %s
        """
            .formatted(
                APPLICATION,
                parts[1],
                parts.length > 2 ? ", ids: " + parts[2] : "",
                parts[0],
                parts.length > 2 ? "embeddings: {dim: 8}" : ""));
    return ApplicationFileReader.read(file, System::getenv);
  }

  /** 16 steps of 8 numbers. */
  private static String lstm() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(1e-3))
        .graphBuilder()
        .addInputs("in")
        .addVertex("series", new ReshapeVertex(-1, 8, 16), "in")
        .addLayer(
            "lstm",
            new LSTM.Builder().nIn(8).nOut(64).activation(Activation.TANH).build(),
            "series")
        .addVertex("last", new LastTimeStepVertex("in"), "lstm")
        .addLayer(
            "out",
            new OutputLayer.Builder().nIn(64).nOut(2).activation(Activation.SOFTMAX).build(),
            "last")
        .setOutputs("out")
        .build()
        .toJson();
  }
}
