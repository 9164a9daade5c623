package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tensors of a network that outlive a run: parameters, gradients and updater state. */
public final class NetworkTensors {
  private final Map<String, Tensor> parameters = new LinkedHashMap<>();
  private final Map<String, Tensor> gradients = new LinkedHashMap<>();
  private final Map<String, List<Tensor>> states = new LinkedHashMap<>();

  /**
   * Places them.
   *
   * @param parameterMemory of the plan's number of parameters
   * @param gradientMemory likewise
   * @param stateMemory of the plan's numbers of state
   */
  public NetworkTensors(
      NetworkPlan plan,
      FloatMemory parameterMemory,
      FloatMemory gradientMemory,
      FloatMemory stateMemory) {
    for (NetworkPlan.Parameters each : plan.parameters()) {
      String name = each.name();
      parameters.put(
          name, tensor(name, Tensor.Kind.PARAMETERS, parameterMemory, each, each.from()));
      gradients.put(
          name,
          tensor(name + ".gradient", Tensor.Kind.GRADIENTS, gradientMemory, each, each.from()));
      List<Tensor> own = new ArrayList<>();
      for (int from : each.stateFrom()) {
        String stateName = name + ".state" + own.size();
        own.add(tensor(stateName, Tensor.Kind.UPDATER_STATE, stateMemory, each, from));
      }
      states.put(name, own);
    }
  }

  private static Tensor tensor(
      String name, Tensor.Kind kind, FloatMemory memory, NetworkPlan.Parameters of, int from) {
    Tensor tensor = new Tensor(name, kind, of.length());
    tensor.place(memory.part(from, of.length()));
    return tensor;
  }

  Tensor parameters(String name) {
    return known(parameters.get(name), name);
  }

  Tensor gradients(String name) {
    return known(gradients.get(name), name);
  }

  List<Tensor> states(String name) {
    return known(states.get(name), name);
  }

  private static <T> T known(@org.jspecify.annotations.Nullable T found, String name) {
    if (found == null) {
      throw new IllegalArgumentException("the network has no parameters " + name);
    }
    return found;
  }
}
