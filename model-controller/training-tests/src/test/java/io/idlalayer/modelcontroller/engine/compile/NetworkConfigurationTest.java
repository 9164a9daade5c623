package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("natives")
final class NetworkConfigurationTest {
  private static String given() {
    return TestNetworks.ofEveryLayer().stream()
        .map(ModelSpec::network)
        .filter(ModelSpec.Network.Dl4jJson.class::isInstance)
        .map(network -> ((ModelSpec.Network.Dl4jJson) network).json())
        .findFirst()
        .orElseThrow();
  }

  private static void assertRefused(String from, String to, String... words) {
    String changed = given().replace(from, to);
    assertThat(changed).as(from).isNotEqualTo(given());
    assertThatThrownBy(
            () ->
                NetworkCompiler.compile(
                    NetworkConfiguration.read(ConfigurationJson.parse(changed)), 128))
        .isInstanceOf(UncompilableException.class)
        .message()
        .contains(words);
  }

  @Test
  void whatNoTrainerWrites_isRefusedWithItsPlace() {
    assertRefused("\"stride\" : [ 1, 1 ]", "\"stride\" : [ 0, 1 ]", "layer 'first'", "'stride'");
    assertRefused("\"kernelSize\" : [ 3, 3 ]", "\"kernelSize\" : [ 30, 3 ]", "does not fit");
    assertRefused("\"nout\" : 4", "\"nout\" : -4", "layer 'first' has -4 as 'nout'");
    assertRefused("\"hasBias\" : true", "\"hasBias\" : 1", "no true or false 'hasBias'");
    assertRefused("\"numChannels\" : 2", "\"numChannels\" : 2000000000", "is for images of");
    assertRefused("org.deeplearning4j.nn.conf.layers.Batch", "com.example.Batch", "com.example");
    assertRefused("\"first\" : [ \"in\" ]", "\"first\" : [ \"out\" ]", "cycle");
    assertRefused("\"first\" : [ \"in\" ]", "\"first\" : [ \"gone\" ]", "'gone'");
    assertRefused("\"first\" : [ \"in\" ]", "\"first\" : [ ]", "no inputs");
    assertRefused("{\n  \"backprop", "[{\n  \"backprop", "it is not JSON", "line");
  }

  @Test
  void orderOfAGraph_isThatOfDeeplearning4j() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    for (int graph = 0; graph < 30; graph++) {
      ComputationGraphConfiguration configuration = random(random);
      ObjectNode root = ConfigurationJson.parse(configuration.toJson());
      List<String> found = GraphOrder.of(root, List.of("in"));
      new ComputationGraph(configuration).init();
      assertThat(found).isEqualTo(configuration.getTopologicalOrderStr());
    }
  }

  /** Returns a graph of up to 60 layers, each of which takes some of those before it. */
  private static ComputationGraphConfiguration random(SplittableRandom random) {
    ComputationGraphConfiguration.GraphBuilder graph =
        new NeuralNetConfiguration.Builder().graphBuilder().addInputs("in");
    List<String> names = new ArrayList<>(List.of("in"));
    int layers = 3 + random.nextInt(58);
    for (int i = 0; i < layers; i++) {
      // Names in no order.
      String name = Integer.toHexString(random.nextInt()) + "-" + i;
      graph.addLayer(
          name,
          new DenseLayer.Builder().nIn(2).nOut(2).build(),
          names.get(random.nextInt(names.size())));
      names.add(name);
    }
    String[] all = names.subList(1, names.size()).toArray(String[]::new);
    return graph
        .addVertex("all", new MergeVertex(), all)
        .addLayer("out", new OutputLayer.Builder().nIn(2 * layers).nOut(2).build(), "all")
        .setOutputs("out")
        .build();
  }
}
