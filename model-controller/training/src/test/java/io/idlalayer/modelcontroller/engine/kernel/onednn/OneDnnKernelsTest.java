package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibraryContract;
import io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException;
import io.idlalayer.modelcontroller.engine.kernel.KernelStep;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("natives")
final class OneDnnKernelsTest extends KernelLibraryContract {
  private static final KernelLibrary LIBRARY = new OneDnnKernels();
  private static final int IMAGES = 2;
  private static final int CHANNELS = 16;
  private static final int SIZE = 8;
  private static final int IMAGE_FLOATS = IMAGES * CHANNELS * SIZE * SIZE;

  /** 3 x 3, and the outputs are as large as the inputs. */
  private static final KernelWindow WINDOW =
      new KernelWindow(CHANNELS, SIZE, SIZE, 3, 3, 1, 1, 1, 1, SIZE, SIZE);

  private static final Convolution SHAPE = new Convolution(WINDOW, CHANNELS);

  private final Tensor images = ofLength(IMAGE_FLOATS);
  private final Tensor weights = ofLength(CHANNELS * CHANNELS * 9);
  private final Tensor tooShort = ofLength(1);

  @Override
  protected KernelLibrary library() {
    return LIBRARY;
  }

  private static Tensor ofLength(int length) {
    return new Tensor("t", Tensor.Kind.ACTIVATIONS, length);
  }

  @Test
  void convolution_inSteps_readsCopiesInsteadOfWhatTheyAreOf() {
    Tensor outputs = ofLength(IMAGE_FLOATS);
    List<KernelStep> steps =
        LIBRARY.convolution("c", SHAPE, IMAGES, images, weights, null, outputs);
    try {
      int main = steps.stream().map(KernelStep::name).toList().indexOf("convolution");
      assertThat(main).isNotNegative();
      KernelStep convolution = steps.get(main);
      for (KernelStep copy : steps.subList(0, main)) {
        assertThat(copy.reads()).hasSize(1).isSubsetOf(images, weights);
        assertThat(convolution.reads())
            .containsAll(copy.writes())
            .doesNotContainAnyElementsOf(copy.reads());
      }
      assertThat(steps.get(steps.size() - 1).writes()).contains(outputs);
    } finally {
      steps.forEach(step -> step.kernel().close());
    }
  }

  @Test
  void implementation_isThatOfTheLibrary() {
    int outputSize = SIZE + 6;
    KernelWindow padded =
        new KernelWindow(CHANNELS, SIZE, SIZE, 5, 5, 1, 1, 5, 5, outputSize, outputSize);
    assertThat(implementation(SHAPE)).startsWith("jit");
    assertThat(implementation(new Convolution(padded, 1)))
        .as("the padding is as wide as the window, and there is one filter")
        .isEqualTo("ref:any");
  }

  @Test
  void dotProducts_ofAnySize_areNoReferenceCode() {
    for (DotProducts shape :
        List.of(new DotProducts(List.of(1, 26), 16), new DotProducts(List.of(1, 1), 1))) {
      assertThat(dotProducts(shape)).isNotEmpty().doesNotContain("ref");
    }
  }

  private static String dotProducts(DotProducts shape) {
    int rows = 3;
    List<Tensor> inputs =
        shape.counts().stream().map(count -> ofLength(rows * count * shape.dim())).toList();
    Tensor outputs = ofLength(rows * shape.pairs());
    try (TapeKernel kernel = LIBRARY.dotProducts("dots", shape, rows, inputs, outputs).kernel()) {
      return kernel.implementation();
    }
  }

  private static String implementation(Convolution shape) {
    KernelWindow window = shape.window();
    Tensor weights = ofLength(CHANNELS * shape.filters() * window.rows() * window.columns());
    Tensor inputs = ofLength(IMAGE_FLOATS);
    Tensor outputs = ofLength(IMAGES * shape.filters() * window.outputPixels());
    List<KernelStep> steps =
        LIBRARY.convolution("c", shape, IMAGES, inputs, weights, null, outputs);
    try {
      return steps.stream()
          .filter(step -> step.name().equals("convolution"))
          .map(step -> step.kernel().implementation())
          .reduce("", String::concat);
    } finally {
      steps.forEach(step -> step.kernel().close());
    }
  }

  @Test
  void kernelsThatCannotBeMade_freeWhatTheyHaveMade() {
    assertNothingIsLeft(
        () -> LIBRARY.convolution("c", SHAPE, IMAGES, images, weights, null, tooShort));
    assertNothingIsLeft(
        () -> LIBRARY.convolution("c", SHAPE, IMAGES, images, weights, tooShort, images));
    assertNothingIsLeft(
        () -> LIBRARY.convolution("c", SHAPE, IMAGES, images, tooShort, null, images));
    assertNothingIsLeft(
        () -> LIBRARY.convolutionGradients("c", SHAPE, IMAGES, images, images, tooShort, null));
    assertNothingIsLeft(
        () -> LIBRARY.convolutionErrors("c", SHAPE, IMAGES, weights, images, tooShort));
    Pooling pooling = new Pooling(WINDOW, Pooling.Kind.MAX);
    assertNothingIsLeft(() -> LIBRARY.pooling("p", pooling, IMAGES, images, tooShort, true));
    assertNothingIsLeft(() -> LIBRARY.activationBackward(Activation.RELU, images, tooShort));
  }

  @Test
  void pooling_withPaddingAsLargeAsTheKernel_isRefused() {
    KernelWindow padded = new KernelWindow(CHANNELS, SIZE, SIZE, 2, 2, 2, 2, 2, 2, 6, 6);
    Tensor outputs = ofLength(IMAGES * CHANNELS * 36);
    Pooling pooling = new Pooling(padded, Pooling.Kind.MEAN);
    long before = OneDnnPrimitive.live();
    assertThatThrownBy(() -> LIBRARY.pooling("p", pooling, IMAGES, images, outputs, true))
        .isInstanceOf(KernelRefusedException.class)
        .hasMessage(
            "dnnl_pooling_forward_primitive_desc_create of oneDNN failed with status 2 (invalid"
                + " arguments)");
    assertThat(OneDnnPrimitive.live()).isEqualTo(before);
  }

  private static void assertNothingIsLeft(ThrowingCallable making) {
    long before = OneDnnPrimitive.live();
    long forms = OneDnnForms.live();
    assertThatThrownBy(making)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too short");
    assertThat(OneDnnPrimitive.live()).isEqualTo(before);
    assertThat(OneDnnForms.live()).isEqualTo(forms);
  }

  @Test
  void kernelsThatWereMade_keepNoForms() {
    long before = OneDnnForms.live();
    List<TapeKernel> kernels = new ArrayList<>();
    try {
      LIBRARY
          .convolutionGradients("c", SHAPE, IMAGES, images, images, weights, null)
          .forEach(step -> kernels.add(step.kernel()));
      Pooling pooling = new Pooling(WINDOW, Pooling.Kind.MAX);
      PlannedKernel forward = LIBRARY.pooling("p", pooling, IMAGES, images, images, true);
      kernels.add(forward.kernel());
      kernels.add(LIBRARY.poolingErrors("p", pooling, IMAGES, forward, images, images).kernel());
      kernels.add(LIBRARY.activation(Activation.RELU, images, images));
      kernels.add(LIBRARY.activationBackward(Activation.RELU, images, images));
      DotProducts shape = new DotProducts(List.of(1, 1), 1);
      Tensor inputs = ofLength(1);
      kernels.add(LIBRARY.dotProducts("d", shape, 1, List.of(inputs, inputs), inputs).kernel());
      assertThat(OneDnnForms.live()).isEqualTo(before);
    } finally {
      kernels.forEach(TapeKernel::close);
    }
  }
}
