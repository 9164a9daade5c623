package io.idlalayer.benchmarks.forgetting;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Measures what it costs the product's learner to forget samples, against training all logged
 * updates again, and whether the loss of a forgotten sample tells that it was trained. The events
 * are noisy, so that a network must learn them by heart. The learner runs in virtual time on the
 * calling thread, whose processor time is measured.
 */
@CommandLine.Command(name = "ForgetExperiment", mixinStandardHelpOptions = true)
public final class ForgetExperiment implements Callable<Integer> {
  private static final int FEATURES = 16;
  private static final long WITHIN_MILLIS = 40_000;
  private static final int RESAMPLINGS = 2_000;
  private static final int REPEATS = 5;

  @Option(names = "--updates", description = "updates of the log (default: ${DEFAULT-VALUE})")
  private int updates = 256;

  @Option(names = "--samples", description = "new samples of an update (${DEFAULT-VALUE})")
  private int samples = 32;

  @Option(
      names = "--requests",
      description = "samples that are forgotten, each alone (${DEFAULT-VALUE})")
  private int requests = 40;

  @Option(names = "--anchors", split = ",", description = "anchors that are tried")
  private List<Integer> anchors = List.of(4, 8, 16, 32);

  @Option(names = "--members", description = "samples of the membership test (${DEFAULT-VALUE})")
  private int members = 800;

  @Option(names = "--seed", description = "seed of events and choices (${DEFAULT-VALUE})")
  private long seed = 1;

  private int trained;

  ForgetExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new ForgetExperiment(), args);
  }

  /** Counts the trainings. */
  private final class Counting implements Trainer {
    private final Trainer trainer;

    Counting(Trainer trainer) {
      this.trainer = trainer;
    }

    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      trained++;
      return trainer.train(request);
    }

    @Override
    public void close() {
      trainer.close();
    }
  }

  private ApplicationSettings settings(DataSettings data, int epochs) {
    List<String> columns = new ArrayList<>(List.of("label", "id"));
    List<SampleSchema.DenseFeature> features = new ArrayList<>();
    for (int i = 0; i < FEATURES; i++) {
      columns.add("x" + i);
      features.add(SampleSchema.DenseFeature.of("x" + i));
    }
    SampleSchema schema =
        new SampleSchema(
            columns,
            features,
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            "id");
    return VirtualApplication.of(
        new ModelSpec(
            schema,
            new ModelSpec.Network.Mlp(List.of(128, 64)),
            new ModelSpec.Fit(32, epochs, ModelSpec.Updater.ADAM, 0.001, 0),
            true),
        EngineName.AUTO,
        seed,
        UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 1_000),
        data,
        GateSettings.off(Metric.ACCURACY));
  }

  /** An event whose label is wrong three times in ten. */
  private static Sample event(String id, Random random) {
    double[] x = random.doubles(FEATURES, -1, 1).toArray();
    boolean one = x[0] * x[1] + 0.5 * x[2] > 0;
    return new Sample(id, x, new int[0], one ^ random.nextInt(10) < 3 ? 1 : 0);
  }

  private VirtualTimeLearner learner(ApplicationSettings settings, EngineChoice choice)
      throws InterruptedException {
    return VirtualTimeLearner.of(
            settings,
            () -> new Counting(choice.trainer("forget", false)),
            choice.testedModels()::load)
        .silent()
        .open();
  }

  private List<Sample> learn(VirtualTimeLearner learner, Random random, int count)
      throws Exception {
    List<Sample> events = new ArrayList<>();
    for (int update = 0; update < count; update++) {
      for (int i = 0; i < samples; i++) {
        Sample next = event("s" + events.size(), random);
        events.add(next);
        learner.arrive(next, ContentHasher.of(next));
      }
      learner.train();
      learner.pass(100);
    }
    return events;
  }

  private static double cpuSeconds() {
    return CpuTime.nanos() / 1e9;
  }

  @Override
  public Integer call() throws Exception {
    // The first run compiles the code.
    learning(ForgetSettings.NONE);
    double without = Double.MAX_VALUE;
    double with = Double.MAX_VALUE;
    ForgetSettings on = new ForgetSettings(WITHIN_MILLIS, ForgetSettings.DEFAULT_ANCHORS);
    for (int i = 0; i < REPEATS; i++) {
      without = Math.min(without, learning(ForgetSettings.NONE));
      with = Math.min(with, learning(on));
    }
    System.out.printf(
        Locale.ROOT,
        "learning %d updates: %.2f s of processor time without selection.forget, %.2f s with it%n",
        updates,
        without,
        with);
    System.out.println(
        "anchors,part,requests,all_updates,all_seconds,mean_updates,mean_seconds,updates_ratio,"
            + "seconds_ratio,median_ratio,share_5x");
    for (int most : anchors) {
      costs(most);
    }
    membership();
    return 0;
  }

  private double learning(ForgetSettings forget) throws Exception {
    ApplicationSettings settings = settings(DataSettings.defaults().with(forget), 2);
    EngineChoice choice = EngineChoice.of(settings.engine(), settings.model(), null);
    try (VirtualTimeLearner learner = learner(settings, choice)) {
      double begun = cpuSeconds();
      learn(learner, new Random(seed), updates);
      return cpuSeconds() - begun;
    }
  }

  /** What one request costs. */
  private record Cost(int updates, double seconds) {}

  private Cost forget(VirtualTimeLearner learner, List<String> ids) throws InterruptedException {
    int before = trained;
    double begun = cpuSeconds();
    for (String id : ids) {
      learner.forget(id);
    }
    learner.pass(WITHIN_MILLIS);
    return new Cost(trained - before, cpuSeconds() - begun);
  }

  private void costs(int most) throws Exception {
    ApplicationSettings settings =
        settings(DataSettings.defaults().with(new ForgetSettings(WITHIN_MILLIS, most)), 2);
    EngineChoice choice = EngineChoice.of(settings.engine(), settings.model(), null);
    Random random = new Random(seed);
    try (VirtualTimeLearner learner = learner(settings, choice)) {
      int count = learn(learner, random, updates).size();
      List<Cost> whole = new ArrayList<>();
      for (int i = 0; i < REPEATS; i++) {
        whole.add(forget(learner, List.of("s" + i)));
      }
      whole.sort(Comparator.comparingDouble(Cost::seconds));
      Cost all = whole.get(REPEATS / 2);
      print(most, "last half", all, each(learner, random, count / 2, count));
      print(most, "last tenth", all, each(learner, random, count - count / 10, count));
      print(most, "all", all, each(learner, random, samples, count));
      List<String> together = new ArrayList<>();
      random.ints(32, count / 2, count).forEach(id -> together.add("s" + id));
      print(most, "32 of the last half together", all, List.of(forget(learner, together)));
    }
  }

  private List<Cost> each(VirtualTimeLearner learner, Random random, int from, int to)
      throws InterruptedException {
    List<Cost> costs = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      costs.add(forget(learner, List.of("s" + random.nextInt(from, to))));
    }
    // A sample that was drawn twice was forgotten before.
    costs.removeIf(each -> each.updates() == 0);
    return costs;
  }

  private static void print(int most, String part, Cost all, List<Cost> costs) {
    double[] seconds = costs.stream().mapToDouble(Cost::seconds).sorted().toArray();
    double mean = Arrays.stream(seconds).average().orElseThrow();
    double median = seconds[seconds.length / 2];
    double meanUpdates = costs.stream().mapToInt(Cost::updates).average().orElseThrow();
    System.out.printf(
        Locale.ROOT,
        "%d,%s,%d,%d,%.3f,%.1f,%.3f,%.2f,%.2f,%.2f,%.2f%n",
        most,
        part,
        costs.size(),
        all.updates(),
        all.seconds(),
        meanUpdates,
        mean,
        all.updates() / meanUpdates,
        all.seconds() / mean,
        all.seconds() / median,
        Arrays.stream(seconds).filter(each -> 5 * each <= all.seconds()).count()
            / (double) seconds.length);
  }

  /**
   * Tells trained samples from samples that the learner never saw by their losses. The share of
   * pairs in which the trained one has the smaller loss is 0.5 if nothing tells them apart. A
   * quarter of the updates replays so many samples that the network learns them by heart.
   */
  private void membership() throws Exception {
    DataSettings defaults = DataSettings.defaults();
    ApplicationSettings settings =
        settings(
            new DataSettings(
                    defaults.staging(),
                    DataSettings.Replay.of(
                        DataSettings.Policy.UNIFORM, defaults.replay().ratios(), false, 1_000),
                    defaults.maxSamples(),
                    defaults.maxBytes(),
                    defaults.maxUnlabeled())
                .with(new ForgetSettings(WITHIN_MILLIS, ForgetSettings.DEFAULT_ANCHORS)),
            4);
    EngineChoice choice = EngineChoice.of(settings.engine(), settings.model(), null);
    Random random = new Random(seed);
    try (VirtualTimeLearner learner = learner(settings, choice)) {
      List<Sample> events = learn(learner, random, updates / 4);
      List<Sample> chosen =
          random.ints(0, events.size()).distinct().limit(members).mapToObj(events::get).toList();
      List<Sample> unseen =
          IntStream.range(0, members).mapToObj(i -> event("u" + i, random)).toList();
      System.out.println("membership,samples,share_of_pairs,from,to");
      pairs("trained", choice, learner, chosen, unseen);
      forget(learner, chosen.stream().map(Sample::id).toList());
      pairs("forgotten", choice, learner, chosen, unseen);
    }
  }

  private void pairs(
      String what,
      EngineChoice choice,
      VirtualTimeLearner learner,
      List<Sample> chosen,
      List<Sample> unseen)
      throws Exception {
    ModelArtifact artifact = Objects.requireNonNull(learner.model());
    try (TaskModel model = choice.testedModels().load(artifact)) {
      float[] in = model.losses(chosen, model.predict(chosen));
      float[] out = model.losses(unseen, model.predict(unseen));
      Random random = new Random(seed);
      double[] resampled = new double[RESAMPLINGS];
      for (int i = 0; i < RESAMPLINGS; i++) {
        resampled[i] = share(resampled(in, random), resampled(out, random));
      }
      Arrays.sort(resampled);
      System.out.printf(
          Locale.ROOT,
          "%s,%d,%.4f,%.4f,%.4f%n",
          what,
          in.length,
          share(in, out),
          resampled[RESAMPLINGS / 40],
          resampled[RESAMPLINGS - 1 - RESAMPLINGS / 40]);
    }
  }

  private static float[] resampled(float[] losses, Random random) {
    float[] drawn = new float[losses.length];
    for (int i = 0; i < drawn.length; i++) {
      drawn[i] = losses[random.nextInt(losses.length)];
    }
    return drawn;
  }

  /** Share of pairs in which the first has the smaller loss; equal ones count half. */
  private static double share(float[] first, float[] second) {
    float[] sorted = second.clone();
    Arrays.sort(sorted);
    double sum = 0;
    for (float each : first) {
      int low = lower(sorted, each, false);
      int high = lower(sorted, each, true);
      sum += sorted.length - high + (high - low) / 2.0;
    }
    return sum / first.length / second.length;
  }

  /** Number of losses below one, or at most it. */
  private static int lower(float[] sorted, float loss, boolean orEqual) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < loss || (orEqual && sorted[middle] == loss)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
