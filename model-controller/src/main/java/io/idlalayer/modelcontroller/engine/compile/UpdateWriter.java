package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.ParameterUpdate;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Step.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
    Set<String> limited = new HashSet<>();
    for (NetworkPlan.Limit limit : plan.limits()) {
      limited.addAll(limit.parameters());
      limit(limit);
    }
    for (NetworkPlan.Parameters each : plan.parameters()) {
      // A limit divides the gradients itself.
      boolean divided = limited.contains(each.name()) || !each.averaged();
      update(each, divided ? 1 : draft.rows());
    }
  }

  private void limit(NetworkPlan.Limit limit) {
    List<Tensor> gradients = limit.parameters().stream().map(draft.tensors()::gradients).toList();
    Kernel kernel = new GradientLimit(limit.mode(), limit.threshold(), gradients, draft.rows());
    String layer = layerOf(limit.parameters().get(0));
    draft.step(Phase.UPDATE, layer, "limit", kernel, gradients, gradients);
  }

  private void update(NetworkPlan.Parameters each, int divisor) {
    Tensor parameters = draft.tensors().parameters(each.name());
    Tensor gradients = draft.tensors().gradients(each.name());
    List<Tensor> states = draft.tensors().states(each.name());
    ParameterUpdate kernel =
        new ParameterUpdate(
            each.rule(), each.penalty(), draft.progress(), parameters, gradients, states, divisor);
    List<Tensor> writes = new ArrayList<>(states);
    writes.add(parameters);
    String layer = layerOf(each.name());
    draft.step(Phase.UPDATE, layer, "update", kernel, kernel.operands(), writes);
  }

  private static String layerOf(String parameters) {
    return parameters.substring(0, parameters.lastIndexOf('.'));
  }
}
