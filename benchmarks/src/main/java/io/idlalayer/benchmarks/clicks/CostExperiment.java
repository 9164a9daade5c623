package io.idlalayer.benchmarks.clicks;

import io.idlalayer.middleware.embedding.InMemoryRowStore;
import io.idlalayer.middleware.embedding.RowBatch;
import io.idlalayer.middleware.embedding.RowSettings;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Whether the number of different rows that an update uses helps to predict the seconds of its
 * training: relative errors of predictions made before each of a series of trainings, by the
 * product's regression and by least squares with one factor and with two.
 */
@CommandLine.Command(name = "CostExperiment", mixinStandardHelpOptions = true)
public final class CostExperiment implements Callable<Integer> {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double FORGETTING = 0.95;
  private static final int PASSED_OVER = 20;
  private static final double RIDGE = 1e-9;

  @Option(names = "--data", description = "directory with the folder ctr")
  private Path data = Path.of("../shared/data");

  @Option(names = "--logs", split = ",", description = "criteo, movielens, avazu")
  private List<String> logs = List.of("criteo", "movielens", "avazu");

  @Option(names = "--models", split = ",", description = "dlrm, wide_and_deep, mlp")
  private List<String> models = List.of("dlrm", "wide_and_deep", "mlp");

  @Option(names = "--updates", description = "trainings of a series")
  private int updates = 150;

  @Option(names = "--least", description = "samples of the smallest update")
  private int least = 64;

  @Option(names = "--most", description = "samples of the largest update")
  private int most = 2048;

  @Option(names = "--seed", description = "of sizes and replayed samples")
  private long seed = 1;

  /** A training that was measured. */
  private record Measured(int samples, int rows, double seconds) {}

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new CostExperiment()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    System.out.println(
        "log,model,updates,rows_per_sample_low,rows_per_sample_high,product,samples,"
            + "samples_and_rows,samples_and_estimated_rows");
    for (String name : logs) {
      ClickLog log = ClickLog.valueOf(name.toUpperCase(Locale.ROOT));
      for (String each : models) {
        ClickModel model = ClickModel.valueOf(each.toUpperCase(Locale.ROOT));
        if (model.fits(log)) {
          tell(log, model, measured(log, model));
        }
      }
    }
    return 0;
  }

  private List<Measured> measured(ClickLog log, ClickModel model) throws Exception {
    ModelSpec spec = model.spec(log, 0.001, 0.1, 0.01, 2);
    List<Sample> samples = log.read(data, spec.schema());
    RowTables tables =
        new RowTables(
            EmbeddingPlans.of(spec),
            EmbeddingPlans.rule(spec, 1),
            RowSettings.DEFAULT,
            new InMemoryRowStore());
    SplittableRandom random = new SplittableRandom(seed);
    List<Measured> series = new ArrayList<>();
    @Nullable ModelArtifact base = null;
    int next = 0;
    try (Trainer trainer =
        EngineChoice.of(EngineName.ONEDNN, spec, null).trainer("clicks", false)) {
      for (int update = 1; update <= updates; update++) {
        int fresh = (int) (least * Math.pow((double) most / least, random.nextDouble()));
        int replayed = random.nextInt(2) * random.nextInt(fresh);
        List<TrainingRow> rows = new ArrayList<>();
        for (int i = 0; i < fresh + replayed; i++) {
          boolean isFresh = i < fresh;
          int at = isFresh ? (next + i) % samples.size() : random.nextInt(Math.max(1, next));
          Sample sample = samples.get(at % samples.size());
          rows.add(new TrainingRow(i, sample, 1, Float.NaN, isFresh));
        }
        next += fresh;
        RowBatch gathered = tables.gatherToTrain(ids(rows, true), ids(rows, false));
        int distinct = gathered.size();
        long start = THREADS.getCurrentThreadCpuTime();
        TrainingResult result =
            trainer.train(
                new TrainingRequest(base, new TrainingBatch(update, rows), update, gathered));
        double seconds = (THREADS.getCurrentThreadCpuTime() - start) / NANOS_PER_SECOND;
        base = result.model();
        RowBatch trained = result.rows();
        if (trained != null) {
          tables.commit(trained, update);
        }
        series.add(new Measured(rows.size(), distinct, seconds));
      }
    }
    return series;
  }

  private static List<IdLists> ids(List<TrainingRow> rows, boolean fresh) {
    return rows.stream()
        .filter(row -> row.fresh() == fresh)
        .map(row -> row.sample().ids())
        .toList();
  }

  private static void tell(ClickLog log, ClickModel model, List<Measured> series) {
    TrainingCostModel product = new TrainingCostModel();
    double[][] errors = new double[4][series.size() - PASSED_OVER];
    double rate = Double.NaN;
    double[] estimatedRows = new double[series.size()];
    for (int i = 0; i < series.size(); i++) {
      Measured now = series.get(i);
      double share = (double) now.rows() / now.samples();
      estimatedRows[i] = (i == 0 ? share : rate) * now.samples();
      if (i >= PASSED_OVER) {
        int at = i - PASSED_OVER;
        double[] predicted = {
          product.estimate().seconds(now.samples()),
          predict(series, i, estimatedRows, 0),
          predict(series, i, estimatedRows, 1),
          predict(series, i, estimatedRows, 2)
        };
        for (int k = 0; k < errors.length; k++) {
          errors[k][at] = Math.abs(predicted[k] - now.seconds()) / now.seconds();
        }
      }
      product.observe(now.samples(), now.seconds());
      rate = i == 0 ? share : 0.9 * rate + 0.1 * share;
    }
    double[] shares =
        series.stream()
            .mapToDouble(each -> (double) each.rows() / each.samples())
            .sorted()
            .toArray();
    System.out.printf(
        Locale.ROOT,
        "%s,%s,%d,%.2f,%.2f,%.4f,%.4f,%.4f,%.4f%n",
        log,
        model,
        series.size(),
        shares[shares.length / 10],
        shares[shares.length * 9 / 10],
        median(errors[0]),
        median(errors[1]),
        median(errors[2]),
        median(errors[3]));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /**
   * Least squares of relative errors, with forgetting.
   *
   * @param until the training that is predicted, from those before it
   * @param factor 0 for samples only, 1 with the rows that were used, 2 with those estimated
   */
  private static double predict(
      List<Measured> series, int until, double[] estimatedRows, int factor) {
    int width = factor == 0 ? 2 : 3;
    double[][] matrix = new double[width][width + 1];
    for (int i = 2; i < until; i++) {
      double[] x = factors(series.get(i), estimatedRows[i], factor);
      double seconds = series.get(i).seconds();
      double weight = Math.pow(FORGETTING, until - 1 - i) / (seconds * seconds);
      for (int row = 0; row < width; row++) {
        for (int column = 0; column < width; column++) {
          matrix[row][column] += weight * x[row] * x[column];
        }
        matrix[row][width] += weight * x[row] * seconds;
      }
    }
    double[] solution = solve(matrix);
    double[] x = factors(series.get(until), estimatedRows[until], factor);
    double sum = 0;
    for (int k = 0; k < width; k++) {
      sum += solution[k] * x[k];
    }
    return sum;
  }

  private static double[] factors(Measured of, double estimated, int factor) {
    return switch (factor) {
      case 0 -> new double[] {1, of.samples()};
      case 1 -> new double[] {1, of.samples(), of.rows()};
      default -> new double[] {1, of.samples(), estimated};
    };
  }

  /** Gaussian elimination, on a matrix that is positive definite. */
  private static double[] solve(double[][] matrix) {
    int width = matrix.length;
    for (int k = 0; k < width; k++) {
      matrix[k][k] *= 1 + RIDGE;
    }
    for (int k = 0; k < width; k++) {
      for (int row = k + 1; row < width; row++) {
        double share = matrix[row][k] / matrix[k][k];
        for (int column = k; column <= width; column++) {
          matrix[row][column] -= share * matrix[k][column];
        }
      }
    }
    double[] solution = new double[width];
    for (int k = width - 1; k >= 0; k--) {
      double rest = matrix[k][width];
      for (int column = k + 1; column < width; column++) {
        rest -= matrix[k][column] * solution[column];
      }
      solution[k] = rest / matrix[k][k];
    }
    return solution;
  }
}
