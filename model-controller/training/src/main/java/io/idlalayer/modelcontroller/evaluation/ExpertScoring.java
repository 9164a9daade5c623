package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Scores each expert of a model alone. */
final class ExpertScoring {
  private ExpertScoring() {}

  /**
   * Returns the scores of the experts of a mixture.
   *
   * @param network what the network alone predicts for the samples
   */
  static ExpertScores scores(
      TaskModel model, ServedMixture mixture, List<Sample> samples, double[][] network) {
    List<Expert> experts = mixture.experts();
    double[] predicted = new double[samples.size() * experts.size()];
    float[] losses = new float[predicted.length];
    List<String> names = new ArrayList<>();
    for (int i = 0; i < experts.size(); i++) {
      names.add(name(experts.get(i)));
      double[][] predictions = predictions(experts.get(i), network);
      float[] each = model.losses(samples, predictions);
      for (int sample = 0; sample < each.length; sample++) {
        int at = sample * experts.size() + i;
        losses[at] = each[sample];
        predicted[at] = ScoredBatch.predicted(predictions[sample]);
      }
    }
    return new ExpertScores(names, predicted, losses);
  }

  private static String name(Expert expert) {
    return switch (expert.kind()) {
      case NETWORK -> ExpertScores.NETWORK;
      case PRIOR -> ExpertScores.PRIOR;
    };
  }

  private static double[][] predictions(Expert expert, double[][] network) {
    double[] values = expert.values();
    if (values == null) {
      return network;
    }
    double[][] constant = new double[network.length][];
    Arrays.fill(constant, values);
    return constant;
  }
}
