package io.idlalayer.modelcontroller.mixing;

import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The positions of the running statistics of a batch normalization among the parameters of a
 * network.
 *
 * @param means index of the first running mean
 * @param variances index of the first running variance
 * @param length number of means, and of variances
 */
public record Normalization(int means, int variances, int length) {
  /** The class name of a batch normalization in configurations. */
  private static final String LAYER = "BatchNormalization";

  private static final String MEANS = ".mean";
  private static final String VARIANCES = ".var";

  /**
   * Returns the batch normalizations of a network; an empty list if the network has none.
   *
   * @param file the network's file
   * @throws MalformedModelException if the network has batch normalizations and the engine does not
   *     know the network
   */
  static List<Normalization> of(ModelSpec spec, NetworkFile read, byte[] file)
      throws MalformedModelException {
    if (!new String(read.configuration(), StandardCharsets.UTF_8).contains(LAYER)) {
      return List.of();
    }
    try {
      return of(EngineNetworks.plan(spec, file));
    } catch (UncompilableException unknown) {
      throw new MalformedModelException(
          "a network with batch normalization is mixed only if iDlaLayer's engine knows it: "
              + unknown.getMessage(),
          unknown);
    }
  }

  static List<Normalization> of(NetworkPlan plan) {
    Map<String, NetworkPlan.Parameters> variances = new HashMap<>();
    for (NetworkPlan.Parameters each : plan.parameters()) {
      if (each.name().endsWith(VARIANCES)) {
        variances.put(layer(each.name(), VARIANCES), each);
      }
    }
    List<Normalization> found = new ArrayList<>();
    for (NetworkPlan.Parameters each : plan.parameters()) {
      NetworkPlan.Parameters variance =
          each.name().endsWith(MEANS) ? variances.get(layer(each.name(), MEANS)) : null;
      if (variance != null) {
        found.add(new Normalization(each.from(), variance.from(), each.length()));
      }
    }
    return found;
  }

  private static String layer(String name, String array) {
    return name.substring(0, name.length() - array.length());
  }
}
