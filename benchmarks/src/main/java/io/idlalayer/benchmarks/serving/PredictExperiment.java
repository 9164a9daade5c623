package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Predictions in plain Java while versions are swapped: {@code PredictExperiment [SECONDS [RATE]]}.
 * One thread asks at a fixed rate, one sample at a time, each with a lease of its own; a request's
 * time counts from when it was due. First no version is published, then one each second. Every
 * answer is kept and compared afterwards with what the version that it names says.
 */
public final class PredictExperiment {
  private static final int SECONDS = 60;
  private static final int RATE = 20_000;
  private static final int FEATURES = 32;
  private static final List<Integer> HIDDEN = List.of(64, 32);
  private static final int SAMPLES = 1_024;
  private static final int WARM_UP_SECONDS = 10;

  private final List<Sample> samples = samples();
  private final int rate;

  private PredictExperiment(int rate) {
    this.rate = rate;
  }

  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    int seconds = args.length > 0 ? Integer.parseInt(args[0]) : SECONDS;
    int rate = args.length > 1 ? Integer.parseInt(args[1]) : RATE;
    System.out.printf(
        "%,d requests/s of one sample for %d s; network %d-%s-2%n%n",
        rate, seconds, FEATURES, HIDDEN);
    System.out.println(
        "| versions swapped | requests | per minute | failed | of no one version | p50 us | p99 us |"
            + " p99.9 us | max ms |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    PredictExperiment experiment = new PredictExperiment(rate);
    experiment.run(WARM_UP_SECONDS, true, true);
    experiment.run(seconds, false, false);
    experiment.run(seconds, true, false);
    experiment.run(seconds, false, false);
    experiment.run(seconds, true, false);
  }

  private static List<Sample> samples() {
    SplittableRandom random = new SplittableRandom(1);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      float[] dense = new float[FEATURES];
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
    try (ModelNetwork network = NetworkFactory.create(spec, seed)) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    return files;
  }

  private static ModelCheckpoint publish(ModelPublisher publisher, SortedMap<String, byte[]> files)
      throws IOException {
    return publisher.publish(
        new ModelDraft(
            "app",
            0,
            1,
            0,
            "",
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            files));
  }

  /** What was answered: the version and the first number of each answer. */
  private record Answers(long[] versions, float[] first, int failed, long[] nanos) {}

  private void run(int seconds, boolean swaps, boolean quiet) throws Exception {
    Path folder = Files.createTempDirectory("predict-experiment");
    try {
      List<SortedMap<String, byte[]>> drafts = new ArrayList<>();
      for (int i = 0; i <= seconds; i++) {
        drafts.add(files(i + 1));
      }
      ModelStore models = new ModelStore(folder, InstantSource.system());
      ModelPublisher publisher = models.claim("app", 0);
      publish(publisher, drafts.get(0));
      AtomicBoolean ended = new AtomicBoolean();
      Thread publishing = new Thread(() -> publishEverySecond(publisher, drafts, ended));
      try (ModelSubscriber<PlainModel> subscriber =
          new ModelSubscriber<>(
              new ModelSubscriber.Subscription(models, "app", 0, Duration.ofMillis(50)),
              new PlainModelLoader(),
              InstantSource.system())) {
        subscriber.refresh();
        subscriber.start(null, System.err::println);
        if (swaps) {
          publishing.start();
        }
        Answers answers = ask(subscriber, seconds * rate);
        ended.set(true);
        publishing.join();
        if (!quiet) {
          print(swaps, seconds, answers, mixed(models, answers));
        }
      }
    } finally {
      delete(folder);
    }
  }

  private static void publishEverySecond(
      ModelPublisher publisher, List<SortedMap<String, byte[]>> drafts, AtomicBoolean ended) {
    try {
      for (int i = 1; i < drafts.size() && !ended.get(); i++) {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        publish(publisher, drafts.get(i));
      }
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private Answers ask(ModelSubscriber<PlainModel> subscriber, int requests) {
    Answers answers = new Answers(new long[requests], new float[requests], 0, new long[requests]);
    int failed = 0;
    long step = TimeUnit.SECONDS.toNanos(1) / rate;
    long begin = System.nanoTime();
    for (int i = 0; i < requests; i++) {
      long due = begin + i * step;
      while (System.nanoTime() < due) {
        Thread.onSpinWait();
      }
      try (ModelLease<PlainModel> lease = subscriber.acquire()) {
        float[] answer = lease.model().predict(samples.get(i % SAMPLES));
        answers.versions()[i] = lease.version();
        answers.first()[i] = answer[0];
      } catch (RuntimeException refused) {
        failed++;
      }
      answers.nanos()[i] = System.nanoTime() - due;
    }
    return new Answers(answers.versions(), answers.first(), failed, answers.nanos());
  }

  /** Answers that are not, to the bit, what their version says. */
  private static long mixed(ModelStore models, Answers answers) throws IOException {
    PredictExperiment offline = new PredictExperiment(1);
    Map<Long, float[][]> expected = new TreeMap<>();
    for (ModelCheckpoint version : models.list("app", 0)) {
      PlainModel model = new PlainModelLoader().load(models, version);
      expected.put(version.manifest().version(), model.predict(offline.samples));
    }
    long mixed = 0;
    for (int i = 0; i < answers.versions().length; i++) {
      float[][] rows = expected.get(answers.versions()[i]);
      if (rows == null || rows[i % SAMPLES][0] != answers.first()[i]) {
        mixed++;
      }
    }
    return mixed;
  }

  private static void print(boolean swaps, int seconds, Answers answers, long mixed) {
    long versions = Arrays.stream(answers.versions()).distinct().count();
    long[] nanos = answers.nanos().clone();
    Arrays.sort(nanos);
    System.out.printf(
        "| %d | %,d | %,d | %d | %d | %.1f | %.1f | %.1f | %.1f |%n",
        swaps ? versions - 1 : 0,
        answers.versions().length,
        answers.versions().length * 60L / seconds,
        answers.failed(),
        mixed,
        nanos[(int) (0.5 * (nanos.length - 1))] / 1e3,
        nanos[(int) (0.99 * (nanos.length - 1))] / 1e3,
        nanos[(int) (0.999 * (nanos.length - 1))] / 1e3,
        nanos[nanos.length - 1] / 1e6);
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
