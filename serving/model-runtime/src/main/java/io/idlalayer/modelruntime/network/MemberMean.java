package io.idlalayer.modelruntime.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * Averages the outputs of a network's members. The members give a probability for each class
 * independently, so the means need not add up to 1; they are therefore divided by their sum. If
 * some members use a context, there are three means: of the members without context, of all
 * members, and of the members with context.
 *
 * @param outputs outputs of a member
 * @param members number of members; their outputs follow each other in a row
 * @param plain number of members that take no context, the first ones
 * @param probabilities whether the outputs are probabilities of classes
 */
public record MemberMean(int outputs, int members, int plain, boolean probabilities)
    implements NetworkStep {
  /** Place of the mean of the members that take no context, among the means of a row. */
  public static final int WITHOUT_CONTEXT = 0;

  /** Place of the mean of all members. */
  public static final int ALL = 1;

  /** Place of the mean of the members that take a context. */
  public static final int IN_CONTEXT = 2;

  private static final int MEANS = 3;

  /** Added to each mean, so that classes are equally probable if all have the probability 0. */
  public static final float LEAST = 1e-12f;

  /** Returns the step that follows the network of a specification with several members. */
  public static MemberMean of(ModelSpec spec) {
    boolean classes = spec.schema().label().task() == SampleSchema.Task.CLASSIFICATION;
    return new MemberMean(spec.outputWidth(), spec.members(), spec.plainMembers(), classes);
  }

  /** Returns whether some members take a context, so that there are three means. */
  public boolean takesContext() {
    return plain < members;
  }

  /** Returns the number of values of a row: the outputs of its one mean, or of its three. */
  @Override
  public int width() {
    return takesContext() ? MEANS * outputs : outputs;
  }

  /**
   * @param sources one: the outputs of all members
   */
  @Override
  public void run(float[][] sources, int rows, float[] out) {
    for (int row = 0; row < rows; row++) {
      row(sources[0], row, out, row * width());
    }
  }

  /**
   * Averages the outputs of one row.
   *
   * @param given outputs of all members; shape [rows, members, outputs]
   * @param out where to, from index {@code at}
   */
  public void row(float[] given, int row, float[] out, int at) {
    mean(given, row, 0, plain, out, at);
    if (takesContext()) {
      mean(given, row, 0, members, out, at + ALL * outputs);
      mean(given, row, plain, members, out, at + IN_CONTEXT * outputs);
    }
  }

  private void mean(float[] given, int row, int from, int to, float[] out, int at) {
    double sum = 0;
    double[] means = new double[outputs];
    for (int k = 0; k < outputs; k++) {
      for (int member = from; member < to; member++) {
        means[k] += given[(row * members + member) * outputs + k];
      }
      means[k] = means[k] / (to - from) + (probabilities ? LEAST : 0);
      sum += means[k];
    }
    for (int k = 0; k < outputs; k++) {
      out[at + k] = (float) (probabilities ? means[k] / sum : means[k]);
    }
  }
}
