package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;

/**
 * What predictions depend on in a layer's settings.
 *
 * @param inputs numbers of a row that it takes; 0 for layers without parameters
 * @param outputs numbers of a row that it gives, likewise
 */
record LayerSettings(Kind kind, int inputs, int outputs, boolean hasBias, Activation activation) {
  private static final String LAYERS = "org.deeplearning4j.nn.conf.layers.";
  private static final String ACTIVATIONS = "org.nd4j.linalg.activations.impl.Activation";
  private static final String DROPOUT = "org.deeplearning4j.nn.conf.dropout.Dropout";
  private static final double DEFAULT_LEAKY_SLOPE = 0.01;
  private static final double DEFAULT_ELU = 1;

  /** Layers. */
  enum Kind {
    DENSE,
    OUTPUT,
    LOSS,
    ACTIVATION,
    DROPOUT
  }

  static LayerSettings read(String name, JsonNode configuration)
      throws MalformedModelException, UnsupportedModelException {
    Settings outer = new Settings(name, configuration);
    outer.passOver(
        "cacheMode",
        "dataType",
        "epochCount",
        "iterationCount",
        "layer",
        "maxNumLineSearchIterations",
        "miniBatch",
        "minimize",
        "optimizationAlgo",
        "seed",
        "stepFunction",
        "variables");
    outer.checkAllKnown();
    Settings settings = new Settings(name, configuration.path("layer"));
    String type = settings.text("@class");
    Kind kind =
        switch (type) {
          case LAYERS + "DenseLayer" -> Kind.DENSE;
          case LAYERS + "OutputLayer" -> Kind.OUTPUT;
          case LAYERS + "LossLayer" -> Kind.LOSS;
          case LAYERS + "ActivationLayer" -> Kind.ACTIVATION;
          case LAYERS + "DropoutLayer" -> Kind.DROPOUT;
          default -> throw new UnsupportedModelException("%s, a %s,".formatted(name, type));
        };
    return read(kind, settings);
  }

  private static LayerSettings read(Kind kind, Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    settings.passOver(
        "biasInit",
        "biasUpdater",
        "constraints",
        "gainInit",
        "gradientNormalization",
        "gradientNormalizationThreshold",
        "iupdater",
        "layerName",
        "lossFn",
        "regularization",
        "regularizationBias",
        "weightInitFn");
    settings.checkNull("weightNoise");
    settings.checkNull("timeDistributedFormat");
    checkDropout(settings);
    boolean weighted = kind == Kind.DENSE || kind == Kind.OUTPUT;
    LayerSettings layer;
    if (weighted) {
      if (kind == Kind.DENSE && settings.flag("hasLayerNorm")) {
        throw new UnsupportedModelException("layer normalization of " + settings.owner());
      }
      layer =
          new LayerSettings(
              kind,
              settings.integer("nin"),
              settings.integer("nout"),
              settings.flag("hasBias"),
              activation(settings));
    } else {
      settings.passOver("nin", "nout");
      JsonNode function = settings.take("activationFn");
      Activation activation =
          kind == Kind.DROPOUT || function == null ? Activation.IDENTITY : activation(settings);
      layer = new LayerSettings(kind, 0, 0, false, activation);
    }
    settings.checkAllKnown();
    return layer;
  }

  /** Dropout does nothing when a network predicts; other kinds may. */
  private static void checkDropout(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode dropout = settings.take("idropout");
    if (dropout != null && !dropout.path("@class").asText("").equals(DROPOUT)) {
      settings.checkNull("idropout");
    }
  }

  private static Activation activation(Settings layer)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode function = layer.take("activationFn");
    if (function == null) {
      throw ConfigurationReader.malformed(layer.owner() + " has no activation");
    }
    Settings settings = new Settings("the activation of " + layer.owner(), function);
    String type = settings.text("@class");
    Activation activation =
        switch (type) {
          case ACTIVATIONS + "Identity" -> Activation.IDENTITY;
          case ACTIVATIONS + "ReLU" -> relu(settings);
          case ACTIVATIONS + "LReLU" ->
              new Activation(
                  Activation.Kind.LEAKY_RELU, settings.number("alpha", DEFAULT_LEAKY_SLOPE));
          case ACTIVATIONS + "ELU" ->
              new Activation(Activation.Kind.ELU, settings.number("alpha", DEFAULT_ELU));
          case ACTIVATIONS + "TanH" -> new Activation(Activation.Kind.TANH, 0);
          case ACTIVATIONS + "Sigmoid" -> new Activation(Activation.Kind.SIGMOID, 0);
          case ACTIVATIONS + "Softmax" -> new Activation(Activation.Kind.SOFTMAX, 0);
          default ->
              throw new UnsupportedModelException(
                  "activation %s of %s".formatted(type, layer.owner()));
        };
    settings.checkAllKnown();
    return activation;
  }

  private static Activation relu(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    settings.checkNull("max");
    if (settings.number("threshold", 0) != 0 || settings.number("negativeSlope", 0) != 0) {
      throw new UnsupportedModelException("threshold or slope of " + settings.owner());
    }
    return new Activation(Activation.Kind.RELU, 0);
  }
}
