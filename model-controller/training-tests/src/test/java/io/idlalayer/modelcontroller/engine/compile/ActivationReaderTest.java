package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelloader.network.Elu;
import io.idlalayer.modelloader.network.HardSigmoid;
import io.idlalayer.modelloader.network.HardSwish;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationHardSigmoid;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU6;
import org.nd4j.linalg.activations.impl.ActivationThresholdedReLU;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

final class ActivationReaderTest {
  private static Activation read(IActivation function) throws Exception {
    String json = NeuralNetConfiguration.mapper().writeValueAsString(function);
    Settings layer =
        new Settings("a layer", ConfigurationJson.parse("{\"activationFn\": " + json + "}"));
    return ActivationReader.read("first", layer, "activationFn");
  }

  @Test
  void read_eluOfAlphaOne_isKnown() throws Exception {
    assertThat(read(new ActivationELU())).isEqualTo(new Activation(Activation.Kind.ELU, 1));
  }

  @Test
  void read_eluOfAnotherAlpha_isRefusedWithTheAlpha() {
    for (double alpha : new double[] {0.5, 2, 0, -1, Double.NaN}) {
      assertThatThrownBy(() -> read(new ActivationELU(alpha)))
          .isInstanceOf(UncompilableException.class)
          .hasMessageContaining("layer 'first'")
          .hasMessageContaining("ELU with alpha " + alpha)
          .hasMessageContaining("io.idlalayer.modelloader.network.Elu");
    }
  }

  @Test
  void read_functionsWithANumber_haveIt() throws Exception {
    assertThat(read(new Elu(0.5))).isEqualTo(new Activation(Activation.Kind.ELU, 0.5f));
    assertThat(read(new HardSigmoid(0.25)))
        .isEqualTo(new Activation(Activation.Kind.HARD_SIGMOID, 0.25f));
    assertThat(read(new ActivationHardSigmoid()))
        .isEqualTo(new Activation(Activation.Kind.HARD_SIGMOID, 0.2f));
    assertThat(read(new HardSwish())).isEqualTo(new Activation(Activation.Kind.HARD_SWISH, 0));
    assertThat(read(new ActivationReLU6()))
        .isEqualTo(new Activation(Activation.Kind.BOUNDED_RELU, 6));
    assertThat(read(new ActivationReLU(3.0, null, null)))
        .isEqualTo(new Activation(Activation.Kind.BOUNDED_RELU, 3));
    assertThat(read(new ActivationThresholdedReLU(0.75)))
        .isEqualTo(new Activation(Activation.Kind.THRESHOLDED_RELU, 0.75f));
  }

  @Test
  void read_reluThatIsNoneOfThem_isRefused() {
    for (IActivation function :
        new IActivation[] {
          new ActivationReLU(0.0, null, null),
          new ActivationReLU(6.0, 1.0, null),
          new ActivationReLU(null, null, 0.1)
        }) {
      assertThatThrownBy(() -> read(function))
          .isInstanceOf(UncompilableException.class)
          .hasMessageContaining("ReLU with");
    }
  }

  @Test
  void read_leakyReluOfAnyAlpha_isKnown() throws Exception {
    assertThat(read(new ActivationLReLU(0.3)))
        .isEqualTo(new Activation(Activation.Kind.RELU, 0.3f));
  }

  /** If this fails, Deeplearning4j has mended it, and other alphas can be known. */
  @Tag("natives")
  @Test
  void eluOfDeeplearning4j_hasTheSlopeOfAlphaOne() {
    double alpha = 0.5;
    try (INDArray forward = Nd4j.createFromArray(-1f, -0.25f, 2f);
        INDArray backward = forward.dup();
        INDArray errors = Nd4j.createFromArray(1f, 1f, 1f)) {
      float[] values = new ActivationELU(alpha).getActivation(forward, true).data().asFloat();
      float[] slopes =
          new ActivationELU(alpha).backprop(backward, errors).getFirst().data().asFloat();
      assertThat(values[0]).isCloseTo((float) (alpha * Math.expm1(-1)), within(1e-6f));
      assertThat(slopes[0]).isCloseTo((float) Math.exp(-1), within(1e-6f));
      assertThat(slopes[1]).isCloseTo((float) Math.exp(-0.25), within(1e-6f));
      assertThat(slopes[2]).isEqualTo(1);
    }
  }
}
