package io.idlalayer.benchmarks.serving;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Predictions in plain Java while versions are swapped. Threads ask at a fixed rate, each request
 * with a lease of its own; a request's time counts from when it was due. They sleep until then, as
 * threads of a server do: the scheduler makes one that spins wait for whole time slices. Runs
 * without and with a version each second alternate. Every number of every answer is kept and
 * compared afterwards, to the bit, with what the version that it names says.
 */
@CommandLine.Command(name = "PredictExperiment", mixinStandardHelpOptions = true)
public final class PredictExperiment implements Callable<Integer> {
  private static final int FEATURES = 32;
  private static final List<Integer> HIDDEN = List.of(64, 32);
  private static final int SAMPLES = 256;
  private static final int OUTPUTS = 2;
  private static final int WARM_UP_SECONDS = 15;
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int FULL_EVERY = 10;

  @Option(names = "--seconds", description = "of each run")
  private int seconds = 60;

  @Option(names = "--runs", description = "runs without swaps, and as many with")
  private int runs = 2;

  @Option(names = "--rate", description = "predictions per second, of all threads")
  private int rate = 20_000;

  @Option(names = "--threads", description = "threads that ask")
  private int threads = 1;

  @Option(names = "--batch", description = "samples of a request")
  private int batch = 1;

  @Option(
      names = "--tables",
      description = "a network of 10 MB, 100,000 changed rows a version, each tenth all")
  private boolean tables;

  @Option(names = "--rows-folder", description = "rows in mapped files in this folder")
  private @Nullable Path rowsFolder;

  @Option(names = "--folder", description = "for the versions")
  private @Nullable Path folder;

  private List<Sample> samples = List.of();
  private PlainModelLoader loader = new PlainModelLoader();

  public static void main(String[] args) {
    Experiment.run(new PredictExperiment(), args);
  }

  @Override
  public Integer call() throws Exception {
    samples = tables ? SizedModels.samples(SAMPLES, 1) : samples();
    if (rowsFolder != null) {
      loader = loader.mappingRowsIn(RowsFolder.open(rowsFolder));
    }
    System.out.printf(
        "%,d predictions/s by %d threads, %d samples a request, %s, %d s a run%n%n",
        rate, threads, batch, tables ? "10 MB and tables" : "network 32-64-32-2", seconds);
    System.out.println(
        "| versions swapped | predictions per minute | failed | of no one version | p50 us | p99 us"
            + " | p99.9 us | max ms | p99 near swaps us | p99.9 near swaps us | requests > 5 ms:"
            + " GC, loading, neither |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|");
    run(WARM_UP_SECONDS, true, true);
    for (int i = 0; i < runs; i++) {
      run(seconds, false, false);
      run(seconds, true, false);
    }
    return 0;
  }

  private static List<Sample> samples() {
    SplittableRandom random = new SplittableRandom(1);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      double[] dense = new double[FEATURES];
      for (int f = 0; f < FEATURES; f++) {
        dense[f] = (float) random.nextDouble(-2, 2);
      }
      samples.add(Sample.of(dense, Sample.NO_LABEL));
    }
    return samples;
  }

  private static SortedMap<String, byte[]> files(long seed) throws IOException {
    List<SampleSchema.DenseFeature> features = new ArrayList<>();
    for (int i = 0; i < FEATURES; i++) {
      features.add(SampleSchema.DenseFeature.of("x" + i));
    }
    ModelSpec spec =
        new ModelSpec(
            new SampleSchema(
                List.of(),
                features,
                List.of(),
                new SampleSchema.Label(
                    "label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
                null),
            new ModelSpec.Network.Mlp(HIDDEN),
            new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
            true);
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(FEATURES, true, false).encode());
    try {
      files.put(ModelArtifact.NETWORK_FILE, EngineNetworks.newFile(spec, seed));
    } catch (UncompilableException impossible) {
      throw new IllegalStateException("the engine knows this network", impossible);
    }
    return files;
  }

  private static ModelDraft small(int number) throws IOException {
    return new ModelDraft(
        "app",
        0,
        1,
        0,
        "",
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        files(number));
  }

  /** Tells when versions were loaded. */
  private static final class TimedLoader implements ModelLoader<PlainModel> {
    private final PlainModelLoader to;
    private final Stalls stalls;

    TimedLoader(PlainModelLoader to, Stalls stalls) {
      this.to = to;
      this.stalls = stalls;
    }

    @Override
    public PlainModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
        throws IOException {
      return to.load(checkpoint, files);
    }

    @Override
    public PlainModel load(LoadRequest<PlainModel> request) throws IOException {
      long from = System.nanoTime();
      PlainModel model = to.load(request);
      stalls.loaded(from, System.nanoTime());
      return model;
    }

    @Override
    public void dispose(PlainModel model) {
      to.dispose(model);
    }
  }

  private void run(int runSeconds, boolean swaps, boolean quiet) throws Exception {
    try (WorkFolder work = WorkFolder.in(folder, "predict-experiment")) {
      SizedModels sized = tables ? new SizedModels(work.path()) : null;
      Drafts drafts =
          sized == null
              ? (before, number) -> small(number)
              : (before, number) -> sized.draft(before, number % FULL_EVERY == 1);
      ModelStore models = new ModelStore(work.path().resolve("models"), InstantSource.system());
      ModelPublisher publisher = models.claim("app", 0);
      ModelCheckpoint first = publisher.publish(drafts.next(null, 1));
      AtomicBoolean ended = new AtomicBoolean();
      Thread publishing =
          new Thread(() -> publishEverySecond(publisher, drafts, first, runSeconds, ended));
      Stalls stalls = new Stalls();
      try (ModelSubscriber<PlainModel> subscriber =
          new ModelSubscriber<>(
              new ModelSubscriber.Subscription(models, "app", 0, Duration.ofMillis(50)),
              new TimedLoader(loader, stalls),
              InstantSource.system())) {
        subscriber.refresh();
        subscriber.start(null, System.err::println);
        long swapsFrom = System.nanoTime();
        if (swaps) {
          publishing.start();
        }
        Asked asked = ask(subscriber, runSeconds);
        ended.set(true);
        publishing.join();
        if (!quiet) {
          long mixed = mixed(models, asked);
          print(asked, mixed, stalls, swapsFrom, runSeconds);
        }
      }
    }
  }

  /** Makes versions. */
  @FunctionalInterface
  private interface Drafts {
    ModelDraft next(@Nullable ModelCheckpoint parent, int number) throws IOException;
  }

  /** Publishes the versions from the second on, one each second. */
  private static void publishEverySecond(
      ModelPublisher publisher,
      Drafts drafts,
      ModelCheckpoint first,
      int most,
      AtomicBoolean ended) {
    try {
      ModelCheckpoint last = first;
      long begin = System.nanoTime();
      for (int i = 1; i <= most && !ended.get(); i++) {
        ModelDraft draft = drafts.next(last, i + 1);
        long due = begin + TimeUnit.SECONDS.toNanos(i);
        LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
        if (!ended.get()) {
          last = publisher.publish(draft);
        }
      }
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /**
   * What was asked and answered: of each request when it was due and how long it took, the version
   * and all numbers of the answer.
   */
  private record Asked(
      long beginNanos, long stepNanos, long[] nanos, long[] versions, double[] answers) {}

  /** Asks for some samples, writes the numbers of the answer and returns its version. */
  private long ask(ModelSubscriber<PlainModel> subscriber, int first, double[] answers, int to) {
    try (ModelLease<PlainModel> lease = subscriber.acquire()) {
      double[][] rows = lease.model().predict(samples.subList(first, first + batch));
      for (int i = 0; i < rows.length; i++) {
        System.arraycopy(rows[i], 0, answers, to + i * OUTPUTS, OUTPUTS);
      }
      return lease.version();
    }
  }

  private Asked ask(ModelSubscriber<PlainModel> subscriber, int runSeconds)
      throws InterruptedException {
    int requests = (int) ((long) runSeconds * rate / batch);
    Asked asked =
        new Asked(
            System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100),
            TimeUnit.SECONDS.toNanos(batch) / rate,
            new long[requests],
            new long[requests],
            new double[requests * batch * OUTPUTS]);
    List<Thread> asking = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int from = i;
      Thread thread = new Thread(() -> askAll(subscriber, asked, from), "asking-" + i);
      thread.start();
      asking.add(thread);
    }
    for (Thread thread : asking) {
      thread.join();
    }
    return asked;
  }

  private void askAll(ModelSubscriber<PlainModel> subscriber, Asked asked, int from) {
    for (int i = from; i < asked.nanos().length; i += threads) {
      long due = asked.beginNanos() + i * asked.stepNanos();
      for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
        LockSupport.parkNanos(early);
      }
      try {
        asked.versions()[i] = ask(subscriber, firstSample(i), asked.answers(), i * batch * OUTPUTS);
      } catch (Exception refused) {
        asked.versions()[i] = -1;
        System.err.printf("request %d failed: %s, %s%n", i, refused, refused.getCause());
      }
      asked.nanos()[i] = System.nanoTime() - due;
    }
  }

  private int firstSample(int request) {
    return (int) ((long) request * batch % (SAMPLES - batch + 1));
  }

  /** Answers of which a number is not, to the bit, what their version says. */
  private long mixed(ModelStore models, Asked asked) throws IOException {
    long mixed = 0;
    int known = 0;
    LoadRequest.Loaded<PlainModel> before = null;
    for (ModelCheckpoint version : models.list("app", 0)) {
      PlainModel model = new PlainModelLoader().load(LoadRequest.of(models, version, before));
      before = new LoadRequest.Loaded<>(version, model);
      double[][] expected = model.predict(samples);
      for (int i = 0; i < asked.versions().length; i++) {
        if (asked.versions()[i] == version.manifest().version()) {
          known++;
          mixed += equal(expected, asked, i) ? 0 : 1;
        }
      }
    }
    long failed = Arrays.stream(asked.versions()).filter(version -> version < 0).count();
    return mixed + asked.versions().length - known - failed;
  }

  private boolean equal(double[][] expected, Asked asked, int request) {
    int first = firstSample(request);
    for (int i = 0; i < batch * OUTPUTS; i++) {
      double wanted = expected[first + i / OUTPUTS][i % OUTPUTS];
      if (asked.answers()[request * batch * OUTPUTS + i] != wanted) {
        return false;
      }
    }
    return true;
  }

  private void print(Asked asked, long mixed, Stalls stalls, long swapsFrom, int runSeconds) {
    List<Stalls.Interval> loads =
        stalls.loads().stream().filter(each -> each.fromNanos() > swapsFrom).toList();
    long[] near = new long[asked.nanos().length];
    int count = 0;
    int[] slow = new int[3];
    for (int i = 0; i < asked.nanos().length; i++) {
      long due = asked.beginNanos() + i * asked.stepNanos();
      long end = due + asked.nanos()[i];
      if (loads.stream()
          .anyMatch(
              each ->
                  due <= each.toNanos() + WINDOW_NANOS && due >= each.toNanos() - WINDOW_NANOS)) {
        near[count++] = asked.nanos()[i];
      }
      if (asked.nanos()[i] > SLOW_NANOS) {
        boolean collected = stalls.collections().stream().anyMatch(it -> it.touches(due, end));
        boolean loading = loads.stream().anyMatch(it -> it.touches(due, end));
        slow[collected ? 0 : loading ? 1 : 2]++;
      }
    }
    long[] nanos = asked.nanos().clone();
    Arrays.sort(nanos);
    Arrays.sort(near, 0, count);
    long failed = Arrays.stream(asked.versions()).filter(version -> version < 0).count();
    System.out.printf(
        "| %d | %,d | %d | %d | %.1f | %.1f | %.1f | %.1f | %s | %s | %d, %d, %d |%n",
        Arrays.stream(asked.versions()).filter(version -> version > 0).distinct().count() - 1,
        (long) asked.nanos().length * batch * 60 / runSeconds,
        failed,
        mixed,
        quantile(nanos, nanos.length, 0.5),
        quantile(nanos, nanos.length, 0.99),
        quantile(nanos, nanos.length, 0.999),
        nanos[nanos.length - 1] / 1e6,
        count == 0 ? "" : "%.1f".formatted(quantile(near, count, 0.99)),
        count == 0 ? "" : "%.1f".formatted(quantile(near, count, 0.999)),
        slow[0],
        slow[1],
        slow[2]);
  }

  /** In microseconds. */
  private static double quantile(long[] sorted, int count, double share) {
    return sorted[(int) (share * (count - 1))] / 1e3;
  }
}
