package io.idlalayer.modelloader.serve;

import io.idlalayer.modelloader.network.Elu;
import io.idlalayer.modelloader.network.Gelu;
import io.idlalayer.modelloader.network.HardSigmoid;
import io.idlalayer.modelloader.network.HardSwish;
import io.idlalayer.modelloader.network.LayerNormalization;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.StoredArray;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.recurrent.LastTimeStep;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Random networks over images and time series, as configurations of Deeplearning4j. */
final class RandomLayers {
  private static final Activation[] ACTIVATIONS = {
    Activation.RELU,
    Activation.TANH,
    Activation.SIGMOID,
    Activation.IDENTITY,
    Activation.LEAKYRELU,
    Activation.SELU,
    Activation.SOFTPLUS,
    Activation.SOFTSIGN,
    Activation.SWISH,
    Activation.MISH,
    Activation.RELU6,
    Activation.THRESHOLDEDRELU,
    Activation.HARDSIGMOID
  };

  private static final IActivation[] OWN = {
    new Gelu("none"), new Gelu("tanh"), new Elu(0.3), new HardSigmoid(0.4), new HardSwish()
  };

  private final Random random;
  private final int outputs;

  /** Lines and columns of the images so far. */
  private int[] size = {1, 1};

  private int channels = 1;

  /** Whether there is a layer that turns rows of numbers into images. */
  private boolean images;

  /**
   * @param outputs classes, or 1 for a target
   */
  RandomLayers(Random random, int outputs) {
    this.random = random;
    this.outputs = outputs;
  }

  private IActivation activation() {
    int drawn = random.nextInt(ACTIVATIONS.length + OWN.length);
    return drawn < ACTIVATIONS.length
        ? ACTIVATIONS[drawn].getActivationFunction()
        : OWN[drawn - ACTIVATIONS.length];
  }

  private OutputLayer output(int inputs) {
    OutputLayer.Builder layer =
        new OutputLayer.Builder(outputs == 1 ? LossFunction.MSE : LossFunction.MCXENT)
            .nOut(outputs)
            .activation(outputs == 1 ? Activation.IDENTITY : Activation.SOFTMAX);
    return inputs == 0 ? layer.build() : layer.nIn(inputs).build();
  }

  /** Convolutions, pooling and normalization, in a stack or a graph. */
  ModelSpec.Network images(int height, int width, int depth) {
    InputType input = InputType.convolutionalFlat(height, width, depth);
    channels = depth;
    size = pair(height, width);
    return new ModelSpec.Network.Dl4jJson(random.nextBoolean() ? stack(input) : graph(input));
  }

  private String stack(InputType input) {
    NeuralNetConfiguration.ListBuilder layers = new NeuralNetConfiguration.Builder().list();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      layers.layer(image());
    }
    if (random.nextBoolean()) {
      layers.layer(new DenseLayer.Builder().nOut(1 + random.nextInt(9)).build());
      layers.layer(
          random.nextBoolean() ? normalization() : new LayerNormalization.Builder().build());
    } else if (random.nextBoolean()) {
      layers.layer(
          new GlobalPoolingLayer(random.nextBoolean() ? PoolingType.AVG : PoolingType.MAX));
    }
    return layers.layer(output(0)).setInputType(input).build().toJson();
  }

  private Layer image() {
    return switch (random.nextInt(6)) {
      case 0, 1 -> convolution(1 + random.nextInt(6));
      case 2 -> normalization();
      case 3 -> pooling();
      case 4 -> images ? rectified() : convolution(1 + random.nextInt(6));
      default -> new ActivationLayer.Builder().activation(activation()).build();
    };
  }

  /** Slopes of the channels, or of all numbers. */
  private PReLULayer rectified() {
    PReLULayer.Builder layer = new PReLULayer.Builder().inputShape(channels, size[0], size[1]);
    return random.nextBoolean()
        ? layer.sharedAxes(1, 2, 3).build()
        : layer.sharedAxes(2, 3).build();
  }

  private static int[] pair(int one, int other) {
    return new int[] {one, other};
  }

  /** No larger than the images. */
  private int[] window() {
    return pair(1 + random.nextInt(Math.min(6, size[0])), 1 + random.nextInt(Math.min(6, size[1])));
  }

  private int[] stride() {
    return random.nextBoolean() ? pair(1, 1) : pair(1 + random.nextInt(3), 1 + random.nextInt(3));
  }

  /** Deeplearning4j refuses padding where it chooses it itself. */
  private int[] padding(int[] window, ConvolutionMode mode) {
    return mode == ConvolutionMode.Same || random.nextBoolean()
        ? pair(0, 0)
        : pair(random.nextInt(window[0]), random.nextInt(window[1]));
  }

  /** The images become as large as windows have places. */
  private void shrink(int[] window, int[] stride, int[] padding, ConvolutionMode mode) {
    for (int i = 0; i < 2; i++) {
      size[i] =
          mode == ConvolutionMode.Same
              ? (size[i] + stride[i] - 1) / stride[i]
              : (size[i] + 2 * padding[i] - window[i]) / stride[i] + 1;
    }
  }

  private ConvolutionMode mode() {
    return random.nextBoolean() ? ConvolutionMode.Same : ConvolutionMode.Truncate;
  }

  private ConvolutionLayer convolution(int filters) {
    int[] window = window();
    int[] stride = stride();
    ConvolutionMode mode = mode();
    int[] padding = padding(window, mode);
    shrink(window, stride, padding, mode);
    images = true;
    channels = filters;
    return new ConvolutionLayer.Builder(window, stride, padding)
        .convolutionMode(mode)
        .nOut(filters)
        .hasBias(random.nextInt(4) > 0)
        .activation(activation())
        .build();
  }

  private SubsamplingLayer pooling() {
    int[] window = window();
    int[] stride = stride();
    ConvolutionMode mode = mode();
    int[] padding = padding(window, mode);
    shrink(window, stride, padding, mode);
    images = true;
    return new SubsamplingLayer.Builder(
            random.nextBoolean()
                ? SubsamplingLayer.PoolingType.MAX
                : SubsamplingLayer.PoolingType.AVG,
            window,
            stride,
            padding)
        .convolutionMode(mode)
        .avgPoolIncludePadInDivisor(random.nextBoolean())
        .build();
  }

  private BatchNormalization normalization() {
    return new BatchNormalization.Builder().useLogStd(random.nextBoolean()).build();
  }

  private String graph(InputType input) {
    int filters = 1 + random.nextInt(4);
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(input)
            .addLayer("first", same(filters), "in")
            .addLayer("second", same(filters), "first")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "first", "second")
            .addVertex("merged", new MergeVertex(), "sum", "first")
            .addLayer("normal", normalization(), "merged")
            .addLayer("pooled", pooling(), "normal");
    String last = "pooled";
    if (random.nextBoolean()) {
      graph.addLayer("all", new GlobalPoolingLayer(PoolingType.AVG), last);
      last = "all";
    }
    return graph.addLayer("out", output(0), last).setOutputs("out").build().toJson();
  }

  private ConvolutionLayer same(int filters) {
    return new ConvolutionLayer.Builder(window())
        .convolutionMode(ConvolutionMode.Same)
        .nOut(filters)
        .activation(activation())
        .build();
  }

  /** Long short-term memory over the numbers of a row. */
  ModelSpec.Network series(int size, int steps) {
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .graphBuilder()
            .addInputs("in")
            .addVertex("series", new ReshapeVertex(-1, size, steps), "in");
    if (random.nextBoolean()) {
      graph.setInputTypes(InputType.feedForward((long) size * steps));
    }
    String last = "series";
    int width = size;
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      int units = 1 + random.nextInt(9);
      graph.addLayer("lstm" + i, lstm(width, units), last);
      last = "lstm" + i;
      width = units;
      // Deeplearning4j normalizes no series of one number.
      if (width > 1 && random.nextInt(3) == 0) {
        BatchNormalization normal = normalization();
        normal.setNIn(width);
        normal.setNOut(width);
        graph.addLayer("normal" + i, normal, last);
        last = "normal" + i;
      }
    }
    switch (random.nextInt(4)) {
      case 0 -> graph.addVertex("end", new LastTimeStepVertex("in"), last);
      case 1 -> graph.addLayer("end", new GlobalPoolingLayer(PoolingType.AVG), last);
      case 2 -> graph.addLayer("end", new GlobalPoolingLayer(PoolingType.MAX), last);
      default -> graph.addLayer("end", new LastTimeStep(lstm(width, width)), last);
    }
    return new ModelSpec.Network.Dl4jJson(
        graph.addLayer("out", output(width), "end").setOutputs("out").build().toJson());
  }

  private LSTM lstm(int inputs, int units) {
    return new LSTM.Builder()
        .nIn(inputs)
        .nOut(units)
        .activation(random.nextBoolean() ? Activation.TANH : Activation.SIGMOID)
        .gateActivationFunction(Activation.SIGMOID)
        .build();
  }

  /** The file with other parameters, as after a training: none is 0 or 1 any more. */
  static byte[] shaken(byte[] file, Random random) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(file));
        ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        byte[] content = in.readAllBytes();
        if (entry.getName().equals(ModelArtifact.COEFFICIENTS_ENTRY)) {
          shake(content, random);
        }
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(content);
      }
    }
    return bytes.toByteArray();
  }

  /** The numbers are the last ones of the file. */
  private static void shake(byte[] content, Random random) throws IOException {
    float[] values =
        Objects.requireNonNull(StoredArray.read(ByteBuffer.wrap(content), "parameters").floats());
    ByteBuffer last = ByteBuffer.wrap(content);
    int from = content.length - Float.BYTES * values.length;
    for (int i = 0; i < values.length; i++) {
      if (last.getFloat(from + Float.BYTES * i) != values[i]) {
        throw new IOException("the numbers are not where they were expected");
      }
      last.putFloat(from + Float.BYTES * i, values[i] + (float) random.nextGaussian() * 0.1f);
    }
  }
}
