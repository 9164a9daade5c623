package io.idlalayer.modelcontroller.engine.kernel.update;

import io.idlalayer.modelcontroller.engine.tape.DivisibleKernel;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Updates parameters by their gradients, piece by piece: divides the gradients, adds the penalty,
 * applies the update rule, and subtracts the result from the parameters. The tensors of the
 * gradients do not change.
 */
public final class ParameterUpdate implements DivisibleKernel {
  /** Number of parameters per piece: small enough for four pieces in the first-level cache. */
  private static final int PIECE = 1_024;

  private final UpdaterStep rule;
  private final Penalty penalty;
  private final boolean unpenalized;
  private final Progress progress;
  private final List<Tensor> operands;
  private final Floats[] places;
  private final float divisor;
  private final float[] values = new float[PIECE];
  private final float[] updates = new float[PIECE];
  private final float[][] stateValues;

  /**
   * @param states state tensors of the updater; their number depends on the updater
   * @param divisor number by which gradients are divided: the number of rows in their sum
   */
  public ParameterUpdate(
      UpdaterStep rule,
      Penalty penalty,
      Progress progress,
      Tensor parameters,
      Tensor gradients,
      List<Tensor> states,
      int divisor) {
    this.rule = rule;
    this.penalty = penalty;
    unpenalized = penalty.none();
    this.progress = progress;
    List<Tensor> all = new ArrayList<>(states);
    all.add(parameters);
    all.add(gradients);
    operands = List.copyOf(all);
    places = new Floats[all.size()];
    this.divisor = divisor;
    stateValues = new float[states.size()][PIECE];
  }

  /** Returns the tensors of the update: the states, the parameters, and the gradients. */
  @Override
  public List<Tensor> operands() {
    return operands;
  }

  @Override
  public void run() {
    for (int i = 0; i < places.length; i++) {
      places[i] = operands.get(i).floats();
    }
    run(places);
  }

  @Override
  public void run(List<Floats> parts) {
    run(parts.toArray(places));
  }

  private void run(Floats[] parts) {
    int length = parts[0].length();
    for (int from = 0; from < length; from += PIECE) {
      update(parts, from, Math.min(PIECE, length - from));
    }
  }

  private void update(Floats[] parts, int from, int count) {
    int states = stateValues.length;
    Floats parameters = parts[states];
    parameters.get(from, values, 0, count);
    parts[states + 1].get(from, updates, 0, count);
    for (int i = 0; i < states; i++) {
      parts[i].get(from, stateValues[i], 0, count);
    }
    if (unpenalized) {
      rule.update(values, updates, divisor, stateValues, count, progress);
    } else {
      charge(count);
    }
    parameters.put(from, values, 0, count);
    for (int i = 0; i < states; i++) {
      parts[i].put(from, stateValues[i], 0, count);
    }
  }

  /** Applies the penalty and the updater to the first {@code count} parameters of the piece. */
  private void charge(int count) {
    UpdaterStep.divide(updates, divisor, count);
    penalty.addToGradients(values, updates, count, progress);
    rule.replaceByUpdates(updates, stateValues, count, progress);
    penalty.addToUpdates(values, updates, count, rule.rate(progress), progress);
    for (int i = 0; i < count; i++) {
      values[i] -= updates[i];
    }
  }
}
