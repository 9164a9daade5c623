package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.network.InputRows;
import io.idlalayer.modelruntime.network.PlainNetwork;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.deeplearning4j.exception.DL4JException;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Windows of all small sizes and strides, over images of all small sizes. */
@Tag("natives")
final class PlainWindowsTest {
  private static final long MOST_BYTES = 1 << 20;
  private static final int COLUMNS = 3;
  private static final int[] NO_PADDING = {0, 0};
  private static final Offset<Float> ROUNDING = Offset.offset(1e-5f);

  /** Layers with windows. */
  enum Kind {
    MAX,
    MEAN,
    MEAN_WITH_BORDER,
    FILTERS
  }

  private final Random random = new Random(1);

  @ParameterizedTest
  @EnumSource(Kind.class)
  void windows_withTheirOwnBorder_areThoseOfDeeplearning4j(Kind kind) throws Exception {
    for (int lines = 1; lines <= 7; lines++) {
      for (int window = 1; window <= Math.min(lines, 4); window++) {
        for (int stride = 1; stride <= lines + 1; stride++) {
          compare(kind, lines, window, stride);
        }
      }
    }
  }

  private void compare(Kind kind, int lines, int window, int stride) throws Exception {
    String what = "%d lines, windows of %d, stride %d".formatted(lines, window, stride);
    ModelSpec spec = spec(layer(kind, new int[] {window, 2}, new int[] {stride, 1}), lines);
    float[] pixels = new float[lines * COLUMNS];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (float) random.nextGaussian();
    }
    try (ModelNetwork reference = LibraryBuilders.create(spec, 1)) {
      byte[] file = reference.encode();
      float[] expected;
      try {
        expected = reference.output(pixels, 1);
      } catch (IllegalStateException | DL4JException impossible) {
        assertThat(kind).as(what).isEqualTo(Kind.FILTERS);
        assertThatThrownBy(() -> PlainNetwork.decode(spec, file, MOST_BYTES))
            .as(what)
            .isInstanceOf(MalformedModelException.class)
            .hasMessageContaining("strides");
        return;
      }
      assertThat(PlainNetwork.decode(spec, file, MOST_BYTES).output(InputRows.of(pixels, 1)))
          .as(what)
          .containsExactly(expected, ROUNDING);
    }
  }

  private static Layer layer(Kind kind, int[] window, int[] stride) {
    if (kind == Kind.FILTERS) {
      return new ConvolutionLayer.Builder(window, stride, NO_PADDING)
          .convolutionMode(ConvolutionMode.Same)
          .nOut(2)
          .activation(Activation.IDENTITY)
          .build();
    }
    SubsamplingLayer.PoolingType type =
        kind == Kind.MAX ? SubsamplingLayer.PoolingType.MAX : SubsamplingLayer.PoolingType.AVG;
    return new SubsamplingLayer.Builder(type, window, stride, NO_PADDING)
        .convolutionMode(ConvolutionMode.Same)
        .avgPoolIncludePadInDivisor(kind == Kind.MEAN_WITH_BORDER)
        .build();
  }

  private static ModelSpec spec(Layer layer, int lines) {
    String json =
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(layer)
            .layer(
                new OutputLayer.Builder(LossFunction.MSE)
                    .nOut(1)
                    .activation(Activation.IDENTITY)
                    .build())
            .setInputType(InputType.convolutionalFlat(lines, COLUMNS, 1))
            .build()
            .toJson();
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", lines * COLUMNS, 1)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
            null),
        new ModelSpec.Network.Dl4jJson(json),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        false);
  }
}
