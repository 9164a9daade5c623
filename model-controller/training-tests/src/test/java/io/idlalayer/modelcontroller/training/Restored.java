package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.network.LibraryNetworks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A model's file, a stack of layers or a graph, as Deeplearning4j itself restores it. */
record Restored(Model network) implements AutoCloseable {
  static Restored of(byte[] zip) throws IOException {
    ByteArrayInputStream bytes = new ByteArrayInputStream(zip);
    return new Restored(
        isGraph(zip)
            ? ModelSerializer.restoreComputationGraph(bytes, true)
            : ModelSerializer.restoreMultiLayerNetwork(bytes, true));
  }

  private static boolean isGraph(byte[] zip) throws IOException {
    try (ZipInputStream entries = new ZipInputStream(new ByteArrayInputStream(zip))) {
      for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        if (entry.getName().equals("configuration.json")) {
          String json = new String(entries.readAllBytes(), StandardCharsets.UTF_8);
          return json.contains("\"vertices\"");
        }
      }
    }
    throw new IOException("the file has no configuration");
  }

  INDArray parameters() {
    return network.params();
  }

  float[] parameterValues() {
    return network.params().data().asFloat();
  }

  /** Updater state; empty if there is none. */
  float[] stateValues() {
    INDArray state =
        network instanceof ComputationGraph graph
            ? graph.getUpdater().getStateViewArray()
            : ((MultiLayerNetwork) network).getUpdater().getStateViewArray();
    return state == null ? new float[0] : state.data().asFloat();
  }

  String configuration() {
    return network instanceof ComputationGraph graph
        ? graph.getConfiguration().toJson()
        : ((MultiLayerNetwork) network).getLayerWiseConfigurations().toJson();
  }

  byte[] written() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ModelSerializer.writeModel(network, bytes, true);
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    if (network instanceof ComputationGraph graph) {
      LibraryNetworks.free(graph);
    } else {
      LibraryNetworks.free((MultiLayerNetwork) network);
    }
  }
}
