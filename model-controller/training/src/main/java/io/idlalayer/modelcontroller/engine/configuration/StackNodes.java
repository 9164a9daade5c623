package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A stack of layers under construction. Not thread-safe. */
final class StackNodes {
  private static final String PREPROCESSORS = "org.deeplearning4j.nn.conf.preprocessor.";

  private final List<ObjectNode> layers = new ArrayList<>();
  private final Map<Integer, ObjectNode> preprocessors = new TreeMap<>();

  /** Returns the name of the next layer. */
  String nextName() {
    return "layer" + layers.size();
  }

  void add(ObjectNode layer) {
    layers.add(layer);
  }

  /** Makes the next layer read rows as images. */
  void toImages(int channels, int height, int width) {
    preprocessors.put(
        layers.size(),
        LayerNodes.typed(PREPROCESSORS + "FeedForwardToCnnPreProcessor")
            .put("inputHeight", height)
            .put("inputWidth", width)
            .put("numChannels", channels));
  }

  /** Makes the next layer read images as rows. */
  void toRows(int channels, int height, int width) {
    preprocessors.put(
        layers.size(),
        LayerNodes.typed(PREPROCESSORS + "CnnToFeedForwardPreProcessor")
            .put("format", "NCHW")
            .put("inputHeight", height)
            .put("inputWidth", width)
            .put("numChannels", channels));
  }

  ObjectNode build() {
    ObjectNode root = ConfigurationJson.object();
    GraphNodes.begin(root);
    root.putArray("confs").addAll(layers);
    root.put("dataType", "FLOAT").put("epochCount", 0).put("inferenceWorkspaceMode", "ENABLED");
    ObjectNode before = root.putObject("inputPreProcessors");
    preprocessors.forEach((layer, preprocessor) -> before.set(layer.toString(), preprocessor));
    root.put("iterationCount", 0);
    GraphNodes.lengths(root);
    return GraphNodes.end(root);
  }
}
