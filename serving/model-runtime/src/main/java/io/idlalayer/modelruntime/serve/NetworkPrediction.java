package io.idlalayer.modelruntime.serve;

import org.jspecify.annotations.Nullable;

/**
 * What the network of a model predicts for a sample, without the references beside it: class
 * probabilities, or one target in its own units.
 *
 * @param mean mean of all members that the sample has inputs for
 * @param members means of two kinds of members; null if the sample has no context, or the model
 *     uses none
 */
public record NetworkPrediction(double[] mean, @Nullable Members members) {
  /**
   * The means of the members' predictions: of those without context and of those with it.
   *
   * @param withoutContext mean of the members that use no context
   * @param inContext mean of the members that use the context
   */
  public record Members(double[] withoutContext, double[] inContext) {}
}
