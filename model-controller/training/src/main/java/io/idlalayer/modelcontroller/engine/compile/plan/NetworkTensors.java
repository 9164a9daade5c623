package io.idlalayer.modelcontroller.engine.compile.plan;

import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tensors of a network that all its tapes share: parameters, gradients and updater state. */
public final class NetworkTensors {
  private final Map<String, Tensor> parameters = new LinkedHashMap<>();
  private final Map<String, Tensor> gradients = new LinkedHashMap<>();
  private final Map<String, List<Tensor>> states = new LinkedHashMap<>();

  public NetworkTensors(NetworkPlan plan) {
    for (NetworkPlan.Parameters each : plan.parameters()) {
      String name = each.name();
      int length = each.length();
      parameters.put(name, new Tensor(name, Tensor.Kind.PARAMETERS, length));
      gradients.put(name, new Tensor(name + ".gradient", Tensor.Kind.GRADIENTS, length));
      List<Tensor> own = new ArrayList<>();
      for (int state = 0; state < each.stateFrom().size(); state++) {
        own.add(new Tensor(name + ".state" + state, Tensor.Kind.UPDATER_STATE, length));
      }
      states.put(name, own);
    }
  }

  public Tensor parameters(String name) {
    return known(parameters.get(name), name);
  }

  public Tensor gradients(String name) {
    return known(gradients.get(name), name);
  }

  /**
   * Returns the state tensors of a parameter array. The updater of the array determines their
   * number.
   */
  public List<Tensor> states(String name) {
    return known(states.get(name), name);
  }

  /**
   * Returns the tensors of the parameters and of the updater state, in the order in which files
   * store them.
   */
  public List<Tensor> lasting() {
    List<Tensor> lasting = new ArrayList<>();
    parameters.forEach(
        (name, values) -> {
          lasting.add(values);
          lasting.addAll(states(name));
        });
    return lasting;
  }

  private static <T> T known(@org.jspecify.annotations.Nullable T found, String name) {
    if (found == null) {
      throw new IllegalArgumentException("the network has no parameters " + name);
    }
    return found;
  }
}
