package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.Confidence;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loaded model that scores batches of samples, and possibly a rival, a second model that scores
 * the same batches. If the previous model becomes the rival, it is not loaded again. Confined to
 * one thread. Closing this object frees the models.
 */
public final class LoadedModels implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadedModels.class);

  private final Scorer.ModelFactory factory;
  private @Nullable Loaded first;
  private @Nullable Loaded second;
  private long comparison;
  private long model;
  private String broken = "no model in service";

  private record Loaded(ModelArtifact artifact, TaskModel model) {}

  public LoadedModels(Scorer.ModelFactory factory) {
    this.factory = factory;
  }

  /**
   * Loads the model that scores the following batches, and its rival. If the model does not load,
   * every batch fails with the reason; if the rival does not load, there is none.
   */
  public void serve(ModelArtifact artifact, @Nullable Rival rival) {
    Loaded before = first;
    Loaded beside = second;
    first = null;
    second = null;
    if (rival != null) {
      comparison = rival.comparison();
      model = rival.model();
      if (before != null && before.artifact().equals(rival.artifact())) {
        second = before;
        before = null;
      } else if (beside != null && beside.artifact().equals(rival.artifact())) {
        second = beside;
        beside = null;
      }
    }
    free(before);
    free(beside);
    try {
      first = new Loaded(artifact, factory.load(artifact));
    } catch (Exception | Error unreadable) {
      broken = "the model does not load: " + unreadable;
    }
    if (rival != null && second == null) {
      try {
        second = new Loaded(rival.artifact(), factory.load(rival.artifact()));
      } catch (Exception | Error unreadable) {
        LOG.warn("The model to compare with does not load; nothing is compared", unreadable);
      }
    }
  }

  /** Returns the reason why there is no model to score with; null if there is one. */
  public @Nullable String broken() {
    return first == null ? broken : null;
  }

  /** Scores a batch with the model, and with its rival if there is one. */
  public ScoredBatch score(ScoringBatch batch) {
    Loaded serving = first;
    if (serving == null) {
      return ScoredBatch.failed(batch, broken);
    }
    ScoredBatch scored = score(serving.model(), batch, batch.vectors());
    Loaded rival = second;
    IdVectors rivalVectors = batch.rivalVectors();
    if (rival == null || rivalVectors == null) {
      return scored;
    }
    try {
      double[][] predictions = rival.model().predict(batch.samples(), rivalVectors);
      // The labels are converted by the newer model, because only this model knows the present unit
      // of targets.
      float[] losses = serving.model().losses(batch.samples(), predictions);
      return scored.beside(
          new ScoredBatch.Rival(comparison, model, losses, predicted(predictions)));
    } catch (RuntimeException failed) {
      LOG.warn("The model to compare with fails; nothing is compared", failed);
      second = null;
      free(rival);
      return scored;
    }
  }

  private static ScoredBatch score(TaskModel model, ScoringBatch batch, IdVectors vectors) {
    ScoredBatch scored = score(model, batch, batch.samples(), vectors);
    if (batch.samples().stream().noneMatch(sample -> sample.context().known())) {
      return scored;
    }
    List<Sample> bare =
        batch.samples().stream().map(sample -> sample.withContext(KeyContext.NONE)).toList();
    return scored.besideWithoutContext(score(model, batch, bare, vectors));
  }

  private static ScoredBatch score(
      TaskModel model, ScoringBatch batch, List<Sample> samples, IdVectors vectors) {
    List<NetworkPrediction> alone = model.predictAlone(samples, vectors);
    Experts all = model.experts();
    ExpertScores experts = all == null ? null : ExpertScoring.scores(model, all, samples, alone);
    double[][] predictions = new double[samples.size()][];
    for (int i = 0; i < predictions.length; i++) {
      NetworkPrediction network = alone.get(i);
      predictions[i] = all == null ? network.mean() : all.mean(samples.get(i), network);
    }
    float[] losses = model.losses(samples, predictions);
    ScoredBatch scored =
        ScoredBatch.of(
                batch.withNoChange(counted(model, batch.noChange())),
                losses,
                predicted(predictions),
                Confidence.of(samples, predictions))
            .counting(counted(model, samples.stream().mapToDouble(Sample::label).toArray()));
    return experts == null ? scored : scored.by(experts);
  }

  /** Returns the predicted targets or the most probable classes. */
  private static double[] predicted(double[][] predictions) {
    double[] predicted = new double[predictions.length];
    for (int i = 0; i < predicted.length; i++) {
      predicted[i] = ScoredBatch.predicted(predictions[i]);
    }
    return predicted;
  }

  /** Returns labels with the values that the losses of a model use. */
  private static double[] counted(TaskModel model, double[] labels) {
    return Arrays.stream(labels).map(model::counted).toArray();
  }

  private static void free(@Nullable Loaded loaded) {
    if (loaded != null) {
      try {
        loaded.model().close();
      } catch (RuntimeException | Error failed) {
        LOG.warn("A model in service could not free its memory", failed);
      }
    }
  }

  @Override
  public void close() {
    free(first);
    free(second);
    first = null;
    second = null;
  }
}
