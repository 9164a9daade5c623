package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.update.ParameterUpdate;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the steps that change the parameters by their gradients. */
final class UpdateWriter {
  private final NetworkPlan plan;
  private final TapeDraft draft;

  UpdateWriter(NetworkPlan plan, TapeDraft draft) {
    this.plan = plan;
    this.draft = draft;
  }

  void write() {
    Map<String, NetworkPlan.Parameters> named = new HashMap<>();
    plan.parameters().forEach(it -> named.put(it.name(), it));
    Set<String> limited = new HashSet<>();
    for (NetworkPlan.Limit limit : plan.limits()) {
      limited.addAll(limit.parameters());
      limit(limit, limit.parameters().stream().map(named::get).toList());
    }
    for (NetworkPlan.Parameters each : plan.parameters()) {
      // A gradient limit divides the gradients itself, so the update must not divide them again.
      boolean divided = limited.contains(each.name());
      update(each, divided ? 1 : divisor(each));
    }
  }

  /**
   * Returns the number of rows over which the gradient of a parameter array is summed; the update
   * divides by it.
   */
  private int divisor(NetworkPlan.Parameters of) {
    return of.averaged() ? draft.rows() : 1;
  }

  private void limit(NetworkPlan.Limit limit, List<NetworkPlan.Parameters> limited) {
    List<GradientLimit.Gradient> divided =
        limited.stream().map(it -> new GradientLimit.Gradient(gradients(it), divisor(it))).toList();
    TapeKernel kernel = new GradientLimit(limit.mode(), limit.threshold(), divided);
    List<Tensor> gradients = divided.stream().map(GradientLimit.Gradient::tensor).toList();
    String layer = layerOf(limit.parameters().get(0));
    draft.step(Phase.UPDATE, layer, "limit", kernel, gradients, gradients);
  }

  private void update(NetworkPlan.Parameters each, int divisor) {
    Tensor parameters = draft.tensors().parameters(each.name());
    Tensor gradients = gradients(each);
    List<Tensor> states = draft.tensors().states(each.name());
    ParameterUpdate kernel =
        new ParameterUpdate(
            each.rule(), each.penalty(), draft.progress(), parameters, gradients, states, divisor);
    List<Tensor> writes = new ArrayList<>(states);
    writes.add(parameters);
    String layer = layerOf(each.name());
    draft.step(Phase.UPDATE, layer, "update", kernel, kernel.operands(), writes);
  }

  private Tensor gradients(NetworkPlan.Parameters of) {
    return draft.tensors().gradients(of.name());
  }

  private static String layerOf(String parameters) {
    return parameters.substring(0, parameters.lastIndexOf('.'));
  }
}
