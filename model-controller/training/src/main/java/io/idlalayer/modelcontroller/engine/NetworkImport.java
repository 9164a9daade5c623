package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelloader.imported.ImportedNetwork;
import io.idlalayer.modelloader.imported.UnimportableException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Converts a network that was trained by another program to the file of a network of a
 * specification. The state of the updater is that of a new network.
 */
public final class NetworkImport {
  private static final long SEED = 1;

  private NetworkImport() {}

  /**
   * The file of a network, and its layers in a few words.
   *
   * @param file file of the network, in Deeplearning4j's format
   */
  public record Imported(byte[] file, String layers) {}

  /**
   * Returns the network of a specification with the weights of an imported network.
   *
   * @throws UnimportableException if the imported network has other layers
   */
  public static Imported of(ImportedNetwork network, ModelSpec spec) throws IOException {
    try {
      StoredNetwork fresh = StoredNetwork.create(spec, SEED, spec.inputWidth());
      NetworkForm form = fresh.form();
      float[] parameters = fresh.values().parameters();
      ImportedParameters.write(network, form.plan(), spec, parameters);
      requireFinite(parameters);
      return imported(form, parameters, spec);
    } catch (UncompilableException unknown) {
      throw new UnimportableException(
          "the application's network is not one of iDlaLayer's engine: " + unknown.getMessage());
    }
  }

  /**
   * Returns the network of a specification with the weights of a network in a file in
   * Deeplearning4j's format, which has its own configuration.
   *
   * @param file content of the zip
   * @param largestBytes largest total size of the unpacked entries, in bytes
   * @throws UnimportableException if the network in the file has other layers
   */
  public static Imported of(byte[] file, ModelSpec spec, long largestBytes) throws IOException {
    try {
      StoredNetwork given =
          StoredNetwork.decode(spec, NetworkForm.entries(file, largestBytes), spec.inputWidth());
      NetworkForm form = StoredNetwork.form(spec, spec.inputWidth());
      NetworkPlan from = given.form().plan();
      if (!sameLayers(from, form.plan())) {
        throw new UnimportableException(
            "the file has %s, and the application asks for %s"
                .formatted(LayerShapes.of(from), LayerShapes.of(form.plan())));
      }
      float[] parameters = given.values().parameters();
      requireFinite(parameters);
      return imported(form, parameters, spec);
    } catch (UncompilableException unknown) {
      throw new UnimportableException(
          "iDlaLayer's engine cannot take its network: " + unknown.getMessage());
    }
  }

  private static void requireFinite(float[] parameters) throws UnimportableException {
    for (float each : parameters) {
      if (!Float.isFinite(each)) {
        throw new UnimportableException(
            "it has the weight "
                + each
                + "; a normalization or a scale that becomes part of a layer may give one, too");
      }
    }
  }

  private static Imported imported(NetworkForm form, float[] parameters, ModelSpec spec)
      throws IOException {
    if (spec.standardize() && !takesScaledNumbers(form.plan())) {
      throw new UnimportableException(
          "numbers are scaled, but the first or the last layer is not a dense layer with a bias,"
              + " which could take over the scale: say 'standardize: false'");
    }
    float[] state = new float[form.plan().stateLength()];
    byte[] file = form.encode(0, NetworkForm.numbers(parameters), NetworkForm.numbers(state));
    return new Imported(file, LayerShapes.of(form.plan()));
  }

  /** Returns whether the scale of the inputs and of the target can be folded into the weights. */
  private static boolean takesScaledNumbers(NetworkPlan plan) {
    List<NetworkPlan.Node> nodes = plan.nodes();
    Set<String> inputs = new HashSet<>(Set.of(NetworkPlan.INPUT));
    for (NetworkPlan.Node node : nodes) {
      if (Collections.disjoint(node.sources(), inputs)) {
        continue;
      }
      if (node.layer() instanceof LayerPlan.Dropped) {
        inputs.add(node.layer().name());
      } else if (!biased(node.layer())) {
        return false;
      }
    }
    return plan.output() instanceof LayerPlan.Output output && output.bias();
  }

  private static boolean biased(LayerPlan layer) {
    return (layer instanceof LayerPlan.Dense dense && dense.bias())
        || (layer instanceof LayerPlan.Output output && output.bias());
  }

  private static boolean sameLayers(NetworkPlan one, NetworkPlan other) {
    if (one.nodes().size() != other.nodes().size()
        || one.parameterLength() != other.parameterLength()
        || one.inputs() != other.inputs()) {
      return false;
    }
    for (int i = 0; i < one.nodes().size(); i++) {
      NetworkPlan.Node first = one.nodes().get(i);
      NetworkPlan.Node second = other.nodes().get(i);
      if (!LayerShapes.of(first.layer()).equals(LayerShapes.of(second.layer()))
          || !places(one, first).equals(places(other, second))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the numbers of the nodes from which a node takes its inputs; -1 stands for the
   * network's input.
   */
  private static List<Integer> places(NetworkPlan plan, NetworkPlan.Node node) {
    List<String> names = plan.nodes().stream().map(each -> each.layer().name()).toList();
    return node.sources().stream().map(names::indexOf).toList();
  }
}
