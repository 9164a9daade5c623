package io.idlalayer.modelcontroller.quality;

import java.util.List;

/**
 * The scores of the experts whose mean is the prediction of a model. The first expert is the
 * network.
 *
 * @param experts names of the experts
 * @param predicted class index or value that each expert predicts; shape [samples, experts]
 * @param losses loss of each expert, computed like the losses of the model; shape [samples,
 *     experts]
 */
public record ExpertScores(List<String> experts, double[] predicted, float[] losses) {
  /** Returns the losses of the network alone, in the order of the samples. */
  public float[] networkLosses() {
    float[] network = new float[losses.length / experts.size()];
    for (int i = 0; i < network.length; i++) {
      network[i] = losses[i * experts.size()];
    }
    return network;
  }
}
