package io.idlalayer.modelruntime.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * Averages the outputs of a network's members. Each member gives a probability for each class on
 * its own, so their means are divided by their sum, which makes probabilities of them.
 *
 * @param width outputs of a member
 * @param members number of members; their outputs follow each other in a row
 * @param probabilities whether the outputs are probabilities of classes
 */
public record MemberMean(int width, int members, boolean probabilities) implements NetworkStep {
  /** Added to each mean, so that classes of which none seems possible are equally probable. */
  public static final float LEAST = 1e-12f;

  /** Returns the step that follows the network of a specification with several members. */
  public static MemberMean of(ModelSpec spec) {
    boolean classes = spec.schema().label().task() == SampleSchema.Task.CLASSIFICATION;
    return new MemberMean(spec.outputWidth(), spec.members(), classes);
  }

  /**
   * @param sources one: the outputs of all members
   */
  @Override
  public void run(float[][] sources, int rows, float[] out) {
    for (int row = 0; row < rows; row++) {
      row(sources[0], row, out, row * width);
    }
  }

  /**
   * Averages the outputs of one row.
   *
   * @param outputs outputs of all members; shape [rows, members, width]
   * @param out where to, from index {@code at}
   */
  public void row(float[] outputs, int row, float[] out, int at) {
    double sum = 0;
    double[] means = new double[width];
    for (int k = 0; k < width; k++) {
      for (int member = 0; member < members; member++) {
        means[k] += outputs[(row * members + member) * width + k];
      }
      means[k] = means[k] / members + (probabilities ? LEAST : 0);
      sum += means[k];
    }
    for (int k = 0; k < width; k++) {
      out[at + k] = (float) (probabilities ? means[k] / sum : means[k]);
    }
  }
}
