package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Scores each expert of a model alone. */
final class ExpertScoring {
  private ExpertScoring() {}

  /**
   * Returns the scores of the experts. If any sample has a context, these are the experts for
   * events with context. The loss of an expert that needs a context is NaN for a sample without
   * one.
   *
   * @param alone predictions of the network alone for the samples
   */
  static ExpertScores scores(
      TaskModel model, Experts all, List<Sample> samples, List<NetworkPrediction> alone) {
    List<Expert> experts =
        alone.stream()
            .filter(network -> network.members() != null)
            .findFirst()
            .or(() -> alone.stream().findFirst())
            .map(all::of)
            .orElse(List.of());
    double[] predicted = new double[samples.size() * experts.size()];
    float[] losses = new float[predicted.length];
    List<String> names = new ArrayList<>();
    for (int i = 0; i < experts.size(); i++) {
      Expert expert = experts.get(i);
      names.add(expert.kind().title());
      double[][] predictions = new double[samples.size()][];
      for (int sample = 0; sample < predictions.length; sample++) {
        predictions[sample] = prediction(all, expert, samples.get(sample), alone.get(sample));
      }
      float[] each = model.losses(samples, predictions);
      for (int sample = 0; sample < each.length; sample++) {
        int at = sample * experts.size() + i;
        losses[at] = each[sample];
        predicted[at] = ScoredBatch.predicted(predictions[sample]);
      }
    }
    return new ExpertScores(names, predicted, losses);
  }

  private static double[] prediction(
      Experts all, Expert expert, Sample sample, NetworkPrediction network) {
    boolean lacks =
        switch (expert.kind()) {
          case MEMBERS_WITHOUT_CONTEXT, MEMBERS_IN_CONTEXT -> network.members() == null;
          case NETWORK, PRIOR, NO_CHANGE -> false;
        };
    if (!lacks) {
      return all.prediction(expert, sample, network);
    }
    double[] nothing = new double[network.mean().length];
    Arrays.fill(nothing, Double.NaN);
    return nothing;
  }
}
