package io.idlalayer.modelcontroller.engine.kernel;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_BIAS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_BIAS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_WEIGHTS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_WEIGHTS;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_backward_data_desc_init;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_backward_weights_desc_init;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_direct;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_forward_desc_init;
import static org.bytedeco.dnnl.global.dnnl.dnnl_format_tag_any;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_training;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_equal;
import static org.bytedeco.dnnl.global.dnnl.dnnl_nchw;
import static org.bytedeco.dnnl.global.dnnl.dnnl_oihw;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_diff_dst_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_diff_src_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_diff_weights_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_dst_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_src_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_weights_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_x;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.dnnl.dnnl_convolution_desc_t;
import org.bytedeco.dnnl.dnnl_memory_desc_t;
import org.jspecify.annotations.Nullable;

/**
 * The primitives of one convolution. Tensors between layers are plain; oneDNN chooses the forms in
 * which it computes, and arguments of another form are copied before and after. To hand one layer's
 * form to the next would make oneDNN fall back to its reference code where the forms do not match.
 */
final class OneDnnConvolution {
  private final OneDnnEngine engine;
  private final String name;
  private final long[] strides;
  private final long[] before;
  private final long[] after;
  private final long[] inputShape;
  private final long[] weightShape;
  private final long[] outputShape;
  private final @Nullable dnnl_memory_desc_t biasForm;
  private final List<OneDnnPrimitive> primitives = new ArrayList<>();
  private final List<Tensor> workspaces = new ArrayList<>();

  OneDnnConvolution(
      OneDnnEngine engine, String name, Convolution shape, int images, boolean withBias) {
    this.engine = engine;
    this.name = name;
    Window window = shape.window();
    strides = new long[] {window.down(), window.right()};
    before = new long[] {window.top(), window.left()};
    after = new long[] {window.bottom(), window.rightPadding()};
    inputShape = new long[] {images, window.channels(), window.height(), window.width()};
    weightShape = new long[] {shape.filters(), window.channels(), window.rows(), window.columns()};
    outputShape = new long[] {images, shape.filters(), window.outputHeight(), window.outputWidth()};
    biasForm = withBias ? OneDnnEngine.form(dnnl_x, shape.filters()) : null;
  }

  private static dnnl_memory_desc_t any(long[] shape) {
    return OneDnnEngine.form(dnnl_format_tag_any, shape);
  }

  private OneDnnPrimitive forward() {
    dnnl_convolution_desc_t operation = new dnnl_convolution_desc_t();
    OneDnnEngine.check(
        dnnl_convolution_forward_desc_init(
            operation,
            dnnl_forward_training,
            dnnl_convolution_direct,
            any(inputShape),
            any(weightShape),
            biasForm == null ? new dnnl_memory_desc_t() : biasForm,
            any(outputShape),
            strides,
            before,
            after),
        "dnnl_convolution_forward_desc_init");
    return new OneDnnPrimitive(engine, operation, null);
  }

  PlannedKernel forward(Tensor inputs, Tensor weights, @Nullable Tensor bias, Tensor outputs) {
    OneDnnPrimitive primitive = forward();
    reads(primitive, DNNL_ARG_SRC, dnnl_query_src_md, "inputs", inputs, dnnl_nchw, inputShape);
    reads(primitive, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, "W", weights, dnnl_oihw, weightShape);
    if (bias != null && biasForm != null) {
      primitive.with(DNNL_ARG_BIAS, bias, biasForm);
    }
    OneDnnPrimitive copied =
        writes(
            primitive, DNNL_ARG_DST, dnnl_query_dst_md, "outputs", outputs, dnnl_nchw, outputShape);
    return planned(primitive, copied);
  }

  PlannedKernel gradients(
      Tensor inputs, Tensor errors, Tensor gradient, @Nullable Tensor biasGradient) {
    dnnl_convolution_desc_t operation = new dnnl_convolution_desc_t();
    OneDnnEngine.check(
        dnnl_convolution_backward_weights_desc_init(
            operation,
            dnnl_convolution_direct,
            any(inputShape),
            any(weightShape),
            biasForm == null ? new dnnl_memory_desc_t() : biasForm,
            any(outputShape),
            strides,
            before,
            after),
        "dnnl_convolution_backward_weights_desc_init");
    OneDnnPrimitive primitive = backward(operation);
    reads(primitive, DNNL_ARG_SRC, dnnl_query_src_md, "inputs", inputs, dnnl_nchw, inputShape);
    reads(
        primitive,
        DNNL_ARG_DIFF_DST,
        dnnl_query_diff_dst_md,
        "errors",
        errors,
        dnnl_nchw,
        outputShape);
    if (biasGradient != null && biasForm != null) {
      primitive.with(DNNL_ARG_DIFF_BIAS, biasGradient, biasForm);
    }
    OneDnnPrimitive copied =
        writes(
            primitive,
            DNNL_ARG_DIFF_WEIGHTS,
            dnnl_query_diff_weights_md,
            "gradient",
            gradient,
            dnnl_oihw,
            weightShape);
    return planned(primitive, copied);
  }

  PlannedKernel errors(Tensor weights, Tensor errors, Tensor inputErrors) {
    dnnl_convolution_desc_t operation = new dnnl_convolution_desc_t();
    OneDnnEngine.check(
        dnnl_convolution_backward_data_desc_init(
            operation,
            dnnl_convolution_direct,
            any(inputShape),
            any(weightShape),
            any(outputShape),
            strides,
            before,
            after),
        "dnnl_convolution_backward_data_desc_init");
    OneDnnPrimitive primitive = backward(operation);
    reads(primitive, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, "W", weights, dnnl_oihw, weightShape);
    reads(
        primitive,
        DNNL_ARG_DIFF_DST,
        dnnl_query_diff_dst_md,
        "errors",
        errors,
        dnnl_nchw,
        outputShape);
    OneDnnPrimitive copied =
        writes(
            primitive,
            DNNL_ARG_DIFF_SRC,
            dnnl_query_diff_src_md,
            "input errors",
            inputErrors,
            dnnl_nchw,
            inputShape);
    return planned(primitive, copied);
  }

  private OneDnnPrimitive backward(dnnl_convolution_desc_t operation) {
    try (OneDnnPrimitive hint = forward()) {
      return new OneDnnPrimitive(engine, operation, hint);
    }
  }

  /** Passes a plain tensor, or a copy of it that is made before. */
  private void reads(
      OneDnnPrimitive primitive,
      int role,
      int query,
      String what,
      Tensor tensor,
      int plainTag,
      long[] shape) {
    dnnl_memory_desc_t plain = OneDnnEngine.form(plainTag, shape);
    dnnl_memory_desc_t wanted = primitive.form(query);
    if (dnnl_memory_desc_equal(plain, wanted) != 0) {
      primitive.with(role, tensor, plain);
      return;
    }
    Tensor copy = workspace(what, wanted);
    primitives.add(OneDnnPrimitive.reorder(engine, tensor, plain, copy, wanted));
    primitive.with(role, copy, wanted);
  }

  /**
   * Lets the primitive write a plain tensor, or another one.
   *
   * @return copies the other one to the plain one; null if there is none
   */
  private @Nullable OneDnnPrimitive writes(
      OneDnnPrimitive primitive,
      int role,
      int query,
      String what,
      Tensor tensor,
      int plainTag,
      long[] shape) {
    dnnl_memory_desc_t plain = OneDnnEngine.form(plainTag, shape);
    dnnl_memory_desc_t wanted = primitive.form(query);
    if (dnnl_memory_desc_equal(plain, wanted) != 0) {
      primitive.with(role, tensor, plain);
      return null;
    }
    Tensor other = workspace(what, wanted);
    primitive.with(role, other, wanted);
    return OneDnnPrimitive.reorder(engine, other, wanted, tensor, plain);
  }

  private Tensor workspace(String what, dnnl_memory_desc_t form) {
    Tensor tensor =
        new Tensor(
            name + "." + what + " in oneDNN's form",
            Tensor.Kind.WORKSPACE,
            OneDnnEngine.floats(form));
    workspaces.add(tensor);
    return tensor;
  }

  private PlannedKernel planned(OneDnnPrimitive primitive, @Nullable OneDnnPrimitive copied) {
    primitive.withScratchpad(name, workspaces);
    primitives.add(primitive);
    if (copied != null) {
      primitives.add(copied);
    }
    return new PlannedKernel(new Sequence(primitives), workspaces);
  }

  /** Primitives one after the other. */
  private record Sequence(List<OneDnnPrimitive> primitives) implements Kernel {
    @Override
    public void run() {
      primitives.forEach(OneDnnPrimitive::run);
    }

    @Override
    public void close() {
      primitives.forEach(OneDnnPrimitive::close);
    }
  }
}
