package io.idlalayer.benchmarks.source;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.util.List;
import java.util.TreeMap;

/**
 * Edges of a graph. The model is the rank of each node; an update adds the new edges and iterates
 * from the ranks of the model before. Earlier edges are in the graph, so none is replayed. Every
 * ten seconds the ranks in service are compared with the true ranks of all edges that have arrived.
 */
final class RankWorkload implements Workload {
  private static final String FILE = "ranks";
  private static final long LOOK_MILLIS = 10_000;

  private final int nodes;
  private final List<Sample> edges;
  private final PageRank all;
  private double[] truth;
  private double[] serving;
  private double distances;
  private int looks;
  private long judgingNanos;

  /**
   * @param edges each with its source and its target as dense values, from 0 to nodes - 1
   */
  RankWorkload(int nodes, List<Sample> edges) {
    this.nodes = nodes;
    this.edges = edges;
    all = new PageRank(nodes);
    truth = PageRank.equal(nodes);
    serving = PageRank.equal(nodes);
  }

  static Sample edge(int source, int target) {
    return new Sample("", new double[] {source, target}, new int[0], 0);
  }

  /** The schema of edges; no network of this specification is ever made. */
  @Override
  public ModelSpec spec() {
    return new ModelSpec(
        new SampleSchema(
            List.of("source", "target", "rank"),
            List.of(DenseFeature.of("source"), DenseFeature.of("target")),
            List.of(),
            new Label("rank", Task.REGRESSION, List.of()),
            null),
        new ModelSpec.Network.Mlp(List.of(1)),
        new ModelSpec.Fit(1, 1, ModelSpec.Updater.SGD, 1, 0),
        false);
  }

  @Override
  public List<Sample> samples() {
    return edges;
  }

  @Override
  public int replayBudget() {
    return 0;
  }

  @Override
  public Trainer trainer() {
    return new RankTrainer(nodes);
  }

  @Override
  public Scorer.ModelFactory models() {
    return artifact -> {
      long start = CpuTime.nanos();
      serving = ranks(artifact);
      judgingNanos += CpuTime.nanos() - start;
      return new NoPrediction();
    };
  }

  @Override
  public void arrived(Sample sample) {
    long start = CpuTime.nanos();
    all.add((int) sample.dense()[0], (int) sample.dense()[1]);
    judgingNanos += CpuTime.nanos() - start;
  }

  @Override
  public void passed(long millis) {
    if (millis < (looks + 1) * LOOK_MILLIS) {
      return;
    }
    long start = CpuTime.nanos();
    truth = all.ranks(truth);
    distances += PageRank.distance(serving, truth);
    looks++;
    judgingNanos += CpuTime.nanos() - start;
  }

  @Override
  public long judgingNanos() {
    return judgingNanos;
  }

  @Override
  public Outcome.Quality quality() {
    return new Outcome.Quality(Double.NaN, distances / looks);
  }

  private static double[] ranks(ModelArtifact model) {
    DoubleBuffer values = ByteBuffer.wrap(model.files().get(FILE)).asDoubleBuffer();
    double[] ranks = new double[values.remaining()];
    values.get(ranks);
    return ranks;
  }

  /** Adds the new edges of an update, and iterates. */
  private static final class RankTrainer implements Trainer {
    private final int nodes;
    private final PageRank graph;

    RankTrainer(int nodes) {
      this.nodes = nodes;
      graph = new PageRank(nodes);
    }

    @Override
    public TrainingResult train(TrainingRequest request) {
      List<TrainingRow> rows = request.batch().rows();
      for (TrainingRow row : rows) {
        graph.add((int) row.sample().dense()[0], (int) row.sample().dense()[1]);
      }
      ModelArtifact base = request.base();
      double[] ranks = graph.ranks(base == null ? PageRank.equal(nodes) : ranks(base));
      ByteBuffer bytes = ByteBuffer.allocate(ranks.length * Double.BYTES);
      bytes.asDoubleBuffer().put(ranks);
      TreeMap<String, byte[]> files = new TreeMap<>();
      files.put(FILE, bytes.array());
      List<Contribution> contributions =
          rows.stream().map(row -> new Contribution(row.sampleId(), 0, 0)).toList();
      return new TrainingResult(
          new ModelArtifact(files), contributions, 0, graph.iterations(), 0, 0, null);
    }

    @Override
    public void close() {}
  }

  /** Ranks predict nothing about an edge. */
  private record NoPrediction() implements TaskModel {
    @Override
    public double[][] predict(List<Sample> samples) {
      return new double[samples.size()][1];
    }

    @Override
    public float[] losses(List<Sample> samples, double[][] predictions) {
      return new float[samples.size()];
    }

    @Override
    public void close() {}
  }
}
