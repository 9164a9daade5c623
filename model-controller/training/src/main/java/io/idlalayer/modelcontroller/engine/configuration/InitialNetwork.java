package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.engine.compile.GraphOrder;
import io.idlalayer.modelcontroller.engine.compile.NetworkConfiguration;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;

/** Makes the configurations of new networks. */
public final class InitialNetwork {
  private InitialNetwork() {}

  /**
   * Returns the configuration of a new network in the form that Deeplearning4j writes after it has
   * initialised the network: with seeds, and with the order of the vertices of a graph.
   *
   * @throws UncompilableException if the configuration that the user provides is malformed
   * @throws IllegalArgumentException if the network does not fit the features
   */
  public static ObjectNode configuration(ModelSpec spec, long seed) throws UncompilableException {
    ObjectNode configuration =
        spec.network() instanceof ModelSpec.Network.Dl4jJson own
            ? ConfigurationJson.parse(own.json())
            : SpecifiedNetworks.of(spec);
    if (NetworkConfiguration.isGraph(configuration)) {
      order(configuration);
    }
    LayerTrees.seed(configuration, seed);
    return configuration;
  }

  private static void order(ObjectNode configuration) throws UncompilableException {
    List<String> numbered = new ArrayList<>();
    for (JsonNode input : configuration.path("networkInputs")) {
      numbered.add(input.asText());
    }
    List<String> order = GraphOrder.of(configuration, numbered);
    configuration.path("vertices").fieldNames().forEachRemaining(numbered::add);
    ArrayNode numbers = configuration.putArray("topologicalOrder");
    ArrayNode names = configuration.putArray("topologicalOrderStr");
    for (String name : order) {
      numbers.add(numbered.indexOf(name));
      names.add(name);
    }
  }
}
