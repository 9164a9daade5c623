package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_BIAS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_BIAS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_WEIGHTS;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_WEIGHTS;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_backward_data_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_backward_weights_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_direct;
import static org.bytedeco.dnnl.global.dnnl.dnnl_convolution_forward_primitive_desc_create;
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

import io.idlalayer.modelcontroller.engine.kernel.Convolution;
import io.idlalayer.modelcontroller.engine.kernel.KernelStep;
import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.UnfinishedKernels;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.jspecify.annotations.Nullable;

/**
 * Creates the steps of one convolution, forward and backward, from primitives of oneDNN. Tensors
 * between layers have the plain memory format. oneDNN chooses the formats in which it computes. If
 * its format is not the plain one, the inputs are copied to its format before the convolution, and
 * the outputs are copied back afterwards. If one layer's format were passed to the next layer,
 * oneDNN would use its slow reference code where formats do not match. Each copy is a separate
 * step, so that a plain tensor and its copy need not be in memory together during the convolution.
 * Each object creates the steps of one convolution only.
 */
final class OneDnnConvolution {
  /** Zeros: oneDNN expresses dilation as the number of skipped pixels. */
  private static final long[] NO_DILATION = {0, 0};

  private final OneDnnEngine engine;
  private final OneDnnForms forms;
  private final String name;
  private final long[] strides;
  private final long[] before;
  private final long[] after;
  private final long[] inputShape;
  private final long[] weightShape;
  private final long[] outputShape;
  private final @Nullable dnnl_memory_desc biasForm;
  private final List<KernelStep> steps = new ArrayList<>();
  private final List<Tensor> reads = new ArrayList<>();
  private final List<Tensor> writes = new ArrayList<>();

  OneDnnConvolution(
      OneDnnEngine engine,
      OneDnnForms forms,
      String name,
      Convolution shape,
      int images,
      boolean withBias) {
    this.engine = engine;
    this.forms = forms;
    this.name = name;
    KernelWindow window = shape.window();
    strides = new long[] {window.down(), window.right()};
    before = new long[] {window.top(), window.left()};
    after = new long[] {window.bottom(), window.rightPadding()};
    inputShape = new long[] {images, window.channels(), window.height(), window.width()};
    weightShape = new long[] {shape.filters(), window.channels(), window.rows(), window.columns()};
    outputShape = new long[] {images, shape.filters(), window.outputHeight(), window.outputWidth()};
    biasForm = withBias ? forms.form(dnnl_x, shape.filters()) : null;
  }

  private dnnl_memory_desc any(long[] shape) {
    return forms.form(dnnl_format_tag_any, shape);
  }

  private dnnl_memory_desc biasOrNone() {
    return biasForm == null ? OneDnnForms.none() : biasForm;
  }

  private OneDnnPrimitive forward() {
    return new OneDnnPrimitive(
        engine,
        "dnnl_convolution_forward_primitive_desc_create",
        (made, handle, attributes) ->
            dnnl_convolution_forward_primitive_desc_create(
                made,
                handle,
                dnnl_forward_training,
                dnnl_convolution_direct,
                any(inputShape),
                any(weightShape),
                biasOrNone(),
                any(outputShape),
                strides,
                NO_DILATION,
                before,
                after,
                attributes));
  }

  private OneDnnPrimitive backwardWeights() {
    try (OneDnnPrimitive forward = forward()) {
      return new OneDnnPrimitive(
          engine,
          "dnnl_convolution_backward_weights_primitive_desc_create",
          (made, handle, attributes) ->
              dnnl_convolution_backward_weights_primitive_desc_create(
                  made,
                  handle,
                  dnnl_convolution_direct,
                  any(inputShape),
                  any(weightShape),
                  biasOrNone(),
                  any(outputShape),
                  strides,
                  NO_DILATION,
                  before,
                  after,
                  forward.description(),
                  attributes));
    }
  }

  private OneDnnPrimitive backwardData() {
    try (OneDnnPrimitive forward = forward()) {
      return new OneDnnPrimitive(
          engine,
          "dnnl_convolution_backward_data_primitive_desc_create",
          (made, handle, attributes) ->
              dnnl_convolution_backward_data_primitive_desc_create(
                  made,
                  handle,
                  dnnl_convolution_direct,
                  any(inputShape),
                  any(weightShape),
                  any(outputShape),
                  strides,
                  NO_DILATION,
                  before,
                  after,
                  forward.description(),
                  attributes));
    }
  }

  List<KernelStep> forward(Tensor inputs, Tensor weights, @Nullable Tensor bias, Tensor outputs) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(forward());
      reads(made, primitive, DNNL_ARG_SRC, dnnl_query_src_md, "inputs", inputs, inputShape);
      reads(made, primitive, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, "W", weights, weightShape);
      if (bias != null && biasForm != null) {
        primitive.with(DNNL_ARG_BIAS, bias, biasForm);
        reads.add(bias);
      }
      KernelStep copied =
          writes(made, primitive, DNNL_ARG_DST, dnnl_query_dst_md, "outputs", outputs, outputShape);
      return finished("convolution", made, primitive, copied);
    }
  }

  List<KernelStep> gradients(
      Tensor inputs, Tensor errors, Tensor gradient, @Nullable Tensor biasGradient) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(backwardWeights());
      reads(made, primitive, DNNL_ARG_SRC, dnnl_query_src_md, "inputs", inputs, inputShape);
      reads(
          made,
          primitive,
          DNNL_ARG_DIFF_DST,
          dnnl_query_diff_dst_md,
          "errors",
          errors,
          outputShape);
      if (biasGradient != null && biasForm != null) {
        primitive.with(DNNL_ARG_DIFF_BIAS, biasGradient, biasForm);
        writes.add(biasGradient);
      }
      KernelStep copied =
          writes(
              made,
              primitive,
              DNNL_ARG_DIFF_WEIGHTS,
              dnnl_query_diff_weights_md,
              "gradient",
              gradient,
              weightShape);
      return finished("gradients", made, primitive, copied);
    }
  }

  List<KernelStep> errors(Tensor weights, Tensor errors, Tensor inputErrors) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(backwardData());
      reads(made, primitive, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, "W", weights, weightShape);
      reads(
          made,
          primitive,
          DNNL_ARG_DIFF_DST,
          dnnl_query_diff_dst_md,
          "errors",
          errors,
          outputShape);
      KernelStep copied =
          writes(
              made,
              primitive,
              DNNL_ARG_DIFF_SRC,
              dnnl_query_diff_src_md,
              "input errors",
              inputErrors,
              inputShape);
      return finished("errors", made, primitive, copied);
    }
  }

  /** Returns the plain memory format of images or of filters. */
  private dnnl_memory_desc plain(long[] shape) {
    return forms.form(shape == weightShape ? dnnl_oihw : dnnl_nchw, shape);
  }

  /**
   * Binds a plain tensor to an input of the primitive; if oneDNN wants another format, binds a copy
   * that an earlier step makes.
   */
  private void reads(
      UnfinishedKernels made,
      OneDnnPrimitive primitive,
      int role,
      int query,
      String what,
      Tensor tensor,
      long[] shape) {
    dnnl_memory_desc plain = plain(shape);
    dnnl_memory_desc wanted = primitive.form(query);
    if (dnnl_memory_desc_equal(plain, wanted) != 0) {
      primitive.with(role, tensor, plain);
      reads.add(tensor);
      return;
    }
    Tensor copy = copyOf(what, wanted);
    OneDnnPrimitive reorder =
        made.own(OneDnnPrimitive.reorder(engine, tensor, plain, copy, wanted));
    steps.add(new KernelStep("copy of " + what, reorder, List.of(tensor), List.of(copy)));
    primitive.with(role, copy, wanted);
    reads.add(copy);
  }

  /**
   * Binds a plain tensor to an output of the primitive, or a further tensor if oneDNN computes the
   * output in another format.
   *
   * @return the step that copies the other tensor to the plain one; null if there is none
   */
  private @Nullable KernelStep writes(
      UnfinishedKernels made,
      OneDnnPrimitive primitive,
      int role,
      int query,
      String what,
      Tensor tensor,
      long[] shape) {
    dnnl_memory_desc plain = plain(shape);
    dnnl_memory_desc wanted = primitive.form(query);
    if (dnnl_memory_desc_equal(plain, wanted) != 0) {
      primitive.with(role, tensor, plain);
      writes.add(tensor);
      return null;
    }
    Tensor other = copyOf(what, wanted);
    primitive.with(role, other, wanted);
    writes.add(other);
    OneDnnPrimitive reorder =
        made.own(OneDnnPrimitive.reorder(engine, other, wanted, tensor, plain));
    return new KernelStep("copy of " + what, reorder, List.of(other), List.of(tensor));
  }

  private Tensor copyOf(String what, dnnl_memory_desc form) {
    return new Tensor(
        name + "." + what + " in oneDNN's form", Tensor.Kind.WORKSPACE, OneDnnForms.floats(form));
  }

  private List<KernelStep> finished(
      String what, UnfinishedKernels made, OneDnnPrimitive primitive, @Nullable KernelStep copied) {
    primitive.withScratchpad(name, writes);
    steps.add(new KernelStep(what, primitive, reads, writes));
    if (copied != null) {
      steps.add(copied);
    }
    made.finished();
    return List.copyOf(steps);
  }
}
