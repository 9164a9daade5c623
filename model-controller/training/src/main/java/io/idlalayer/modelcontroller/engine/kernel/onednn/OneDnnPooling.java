package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_WORKSPACE;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_inference;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_training;
import static org.bytedeco.dnnl.global.dnnl.dnnl_nchw;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_avg_exclude_padding;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_avg_include_padding;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_backward_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_forward_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_max;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_workspace_md;

import io.idlalayer.modelcontroller.engine.kernel.KernelWindow;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.Pooling;
import io.idlalayer.modelcontroller.engine.kernel.UnfinishedKernels;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.dnnl.dnnl_memory_desc;

/** Creates the kernels of one pooling of plain tensors from primitives of oneDNN. */
final class OneDnnPooling {
  /** Zeros: oneDNN expresses dilation as the number of skipped pixels. */
  private static final long[] NO_DILATION = {0, 0};

  private final OneDnnEngine engine;
  private final String name;
  private final int algorithm;
  private final long[] strides;
  private final long[] window;
  private final long[] before;
  private final long[] after;
  private final dnnl_memory_desc inputForm;
  private final dnnl_memory_desc outputForm;

  OneDnnPooling(OneDnnEngine engine, OneDnnForms forms, String name, Pooling shape, int images) {
    this.engine = engine;
    this.name = name;
    KernelWindow moved = shape.window();
    strides = new long[] {moved.down(), moved.right()};
    window = new long[] {moved.rows(), moved.columns()};
    before = new long[] {moved.top(), moved.left()};
    after = new long[] {moved.bottom(), moved.rightPadding()};
    inputForm = forms.form(dnnl_nchw, images, moved.channels(), moved.height(), moved.width());
    outputForm =
        forms.form(dnnl_nchw, images, moved.channels(), moved.outputHeight(), moved.outputWidth());
    algorithm =
        switch (shape.kind()) {
          case MAX -> dnnl_pooling_max;
          case MEAN -> dnnl_pooling_avg_exclude_padding;
          case MEAN_WITH_PADDING -> dnnl_pooling_avg_include_padding;
        };
  }

  private OneDnnPrimitive forward(boolean training) {
    return new OneDnnPrimitive(
        engine,
        "dnnl_pooling_forward_primitive_desc_create",
        (made, handle, attributes) ->
            dnnl_pooling_forward_primitive_desc_create(
                made,
                handle,
                training ? dnnl_forward_training : dnnl_forward_inference,
                algorithm,
                inputForm,
                outputForm,
                strides,
                window,
                NO_DILATION,
                before,
                after,
                attributes));
  }

  PlannedKernel forward(Tensor inputs, Tensor outputs, boolean training) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(forward(training));
      primitive.with(DNNL_ARG_SRC, inputs, inputForm).with(DNNL_ARG_DST, outputs, outputForm);
      List<Tensor> workspaces = new ArrayList<>();
      if (training && algorithm == dnnl_pooling_max) {
        dnnl_memory_desc form = primitive.form(dnnl_query_workspace_md);
        Tensor chosen =
            new Tensor(name + ".chosen", Tensor.Kind.WORKSPACE, OneDnnForms.floats(form));
        primitive.with(DNNL_ARG_WORKSPACE, chosen, form);
        workspaces.add(chosen);
      }
      return finished(made, primitive, workspaces);
    }
  }

  PlannedKernel errors(PlannedKernel forward, Tensor errors, Tensor inputErrors) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(backward());
      primitive
          .with(DNNL_ARG_DIFF_DST, errors, outputForm)
          .with(DNNL_ARG_DIFF_SRC, inputErrors, inputForm);
      if (algorithm == dnnl_pooling_max) {
        // The kernel of the forward pass has this workspace as its first.
        primitive.with(
            DNNL_ARG_WORKSPACE,
            forward.workspaces().get(0),
            primitive.form(dnnl_query_workspace_md));
      }
      return finished(made, primitive, new ArrayList<>());
    }
  }

  private OneDnnPrimitive backward() {
    try (OneDnnPrimitive forward = forward(true)) {
      return new OneDnnPrimitive(
          engine,
          "dnnl_pooling_backward_primitive_desc_create",
          (made, handle, attributes) ->
              dnnl_pooling_backward_primitive_desc_create(
                  made,
                  handle,
                  algorithm,
                  inputForm,
                  outputForm,
                  strides,
                  window,
                  NO_DILATION,
                  before,
                  after,
                  forward.description(),
                  attributes));
    }
  }

  private PlannedKernel finished(
      UnfinishedKernels made, OneDnnPrimitive primitive, List<Tensor> workspaces) {
    primitive.withScratchpad(name, workspaces);
    made.finished();
    return new PlannedKernel(primitive, workspaces);
  }
}
