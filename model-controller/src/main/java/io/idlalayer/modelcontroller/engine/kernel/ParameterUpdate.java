package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * Updates parameters by their gradients, piece by piece: divides the gradients, adds the penalty,
 * applies the rule, and subtracts. The gradients stay as they are.
 */
public final class ParameterUpdate implements Kernel {
  /** Small enough for four pieces in the first-level cache. */
  private static final int PIECE = 1_024;

  private final UpdateRule rule;
  private final Penalty penalty;
  private final Progress progress;
  private final Tensor parameters;
  private final Tensor gradients;
  private final List<Tensor> states;
  private final float divisor;
  private final float[] values = new float[PIECE];
  private final float[] updates = new float[PIECE];
  private final float[][] stateValues;

  /**
   * @param states as many as the rule asks for
   * @param divisor of the gradients: how many rows they are the sum of
   */
  public ParameterUpdate(
      UpdateRule rule,
      Penalty penalty,
      Progress progress,
      Tensor parameters,
      Tensor gradients,
      List<Tensor> states,
      int divisor) {
    this.rule = rule;
    this.penalty = penalty;
    this.progress = progress;
    this.parameters = parameters;
    this.gradients = gradients;
    this.states = List.copyOf(states);
    this.divisor = divisor;
    stateValues = new float[states.size()][PIECE];
  }

  @Override
  public void run() {
    for (int from = 0; from < parameters.length(); from += PIECE) {
      update(from, Math.min(PIECE, parameters.length() - from));
    }
  }

  private void update(int from, int count) {
    Floats target = parameters.floats();
    target.get(from, values, 0, count);
    gradients.floats().get(from, updates, 0, count);
    for (int i = 0; i < states.size(); i++) {
      states.get(i).floats().get(from, stateValues[i], 0, count);
    }
    if (divisor != 1) {
      for (int i = 0; i < count; i++) {
        updates[i] /= divisor;
      }
    }
    penalty.addToGradients(values, updates, count, progress);
    rule.replaceByUpdates(updates, stateValues, count, progress);
    penalty.addToUpdates(values, updates, count, rule.rate(progress), progress);
    for (int i = 0; i < count; i++) {
      values[i] -= updates[i];
    }
    target.put(from, values, 0, count);
    for (int i = 0; i < states.size(); i++) {
      states.get(i).floats().put(from, stateValues[i], 0, count);
    }
  }
}
