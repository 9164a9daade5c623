package io.idlalayer.benchmarks.mixing;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.jobs.cluster.ClusterRun;
import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * A DLRM whose table lies in two processes: two TaskManagers of a cluster on this machine learn one
 * model, with {@code mixing.partition-by}, from events of which most have an id that never came
 * before. Each process has DRAM for fewer bytes than half of the rows. When half of the events are
 * received, both processes are killed as with kill -9, and others take their places. In the end the
 * served model is loaded and asked. REAL: broker, Flink, RocksDB, training and publication run. The
 * heap of a TaskManager is {@code IDLA_TASK_HEAP}.
 */
@CommandLine.Command(name = "LargeTableExperiment", mixinStandardHelpOptions = true)
public final class LargeTableExperiment implements Callable<Integer> {
  private static final String APPLICATION = "large";
  private static final int PARTITIONS = 2;
  private static final int ASKED = 20_000;
  private static final double MIB = 1 << 20;
  private static final double NANOS = 1e9;

  @Option(names = "--events", description = "events (default ${DEFAULT-VALUE})")
  private long events = 2_000_000;

  @Option(names = "--new", description = "share of the events with a new id")
  private double newShare = 0.8;

  @Option(names = "--dim", description = "floats of a row's vector")
  private int dim = 16;

  @Option(names = "--fast", description = "bytes of DRAM for the rows of a learner")
  private String fast = "64MiB";

  @Option(names = "--update", description = "events between two updates of a learner")
  private int update = 8_192;

  @Option(names = "--every", description = "least time between two contributions of a learner")
  private String every = "10s";

  @Option(names = "--seed", description = "seed of the events")
  private long seed = 1;

  @Option(names = "--folder", description = "folder for a new one with all files, deleted")
  private @Nullable Path folder;

  LargeTableExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new LargeTableExperiment(), args);
  }

  private ApplicationSettings settings(Path file) throws Exception {
    return ApplicationFileReader.read(
        Files.writeString(
            file,
            """
            name: large
            partitions: %d
            mixing: {action: average, partition-by: user}
            input: {topic: large, format: json, features: [{name: x, width: 4}], ids: [user], label: y, classes: 2}
            model: {type: dlrm, bottom: [16], top: [16]}
            embeddings: {dim: %d, learning-rate: 0.1}
            training: {mini-batch: 512, epochs: 1}
            update: {rule: count, count: %d}
            selection: {replay-budget: 0, max-samples: 100000}
            publishing: {every: %s, keep: 2}
            memory: {rows: {fast-bytes: %s}}
            """
                .formatted(PARTITIONS, dim, update, every, fast)),
        name -> null);
  }

  @Override
  public Integer call() throws Exception {
    try (WorkFolder work = WorkFolder.in(folder, APPLICATION)) {
      LocalCluster cluster = new LocalCluster(work.path().resolve("work"));
      try {
        measure(work.path(), cluster);
      } finally {
        cluster.stop(text -> {});
      }
    }
    return 0;
  }

  private void measure(Path folder, LocalCluster cluster) throws Exception {
    long begin = System.nanoTime();
    cluster.start(PARTITIONS, Map.of(), text -> {});
    Path file = folder.resolve("large.yaml");
    ApplicationSettings large = settings(file);
    LargeTableWatch watch = new LargeTableWatch(cluster, PARTITIONS, events / 2);
    InputPlan input =
        new InputPlan(
            large, "new ids", () -> new NewIds(seed, events, newShare), Long.MAX_VALUE, 0);
    new ClusterRun(cluster, List.of(large), List.of(file), watch)
        .run(new ClusterRun.Options(input, StartOver.NO, null), () -> false);
    long ids = new NewIds(seed, events, newShare).skipAll();
    List<String> lines = new ArrayList<>();
    lines.add(line("events", events));
    lines.add(line("ids", ids));
    lines.addAll(watch.lines());
    lines.add(line("seconds from the first process to the savepoint", since(begin)));
    Path state = cluster.workDirectory();
    for (String part : List.of("checkpoints", "models", "models/.contributions", "models/.rows")) {
      lines.add(line("MiB in " + part, bytes(state.resolve(part)) / MIB));
    }
    serve(new ModelStore(state.resolve("models"), InstantSource.system()), ids, lines);
    lines.forEach(System.out::println);
  }

  private static double since(long nanos) {
    return (System.nanoTime() - nanos) / NANOS;
  }

  private static String line(String name, double number) {
    return String.format(Locale.ROOT, "%s: %.1f", name, number);
  }

  private static String line(String name, long number) {
    return String.format(Locale.ROOT, "%s: %,d", name, number);
  }

  private static long bytes(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return 0;
    }
    long bytes = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(each);
      }
    }
    return bytes;
  }

  /** Loads the served model as a serving process does, and asks it about ids by chance. */
  private void serve(ModelStore store, long ids, List<String> lines) throws Exception {
    ModelCheckpoint served = store.current(APPLICATION, 0).orElseThrow();
    lines.add(
        line(
            "events in the served model",
            MixedVersion.of(served.manifest()).orElseThrow().contributors().stream()
                .mapToLong(each -> each.trained())
                .sum()));
    long begin = System.nanoTime();
    try (ModelSubscriber<PlainModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, APPLICATION, 0, Duration.ofSeconds(1)),
            new PlainModelLoader(),
            InstantSource.system())) {
      if (!subscriber.refresh()) {
        throw new IOException("no model serves");
      }
      lines.add(line("seconds to load the served model", since(begin)));
      SplittableRandom random = new SplittableRandom(seed + 1);
      long asked = System.nanoTime();
      int right = 0;
      try (ModelLease<PlainModel> lease = subscriber.acquire()) {
        JsonSampleDecoder decoder = new JsonSampleDecoder(lease.model().spec().schema());
        for (int i = 0; i < ASKED; i++) {
          long user = random.nextLong(ids);
          Sample sample =
              decoder.decode(NewIds.event(user, random).getBytes(StandardCharsets.UTF_8));
          double[] answer = lease.model().predict(List.of(sample))[0];
          right += (answer[1] > answer[0]) == NewIds.up(user) ? 1 : 0;
        }
      }
      lines.add(line("predictions a second, one at a time", ASKED / since(asked)));
      lines.add(line("percent of right predictions", 100.0 * right / ASKED));
    }
  }
}
