package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_backward_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_elu_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_forward_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_gelu_erf;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_gelu_tanh;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_logistic_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_relu_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_swish;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_tanh_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_training;
import static org.bytedeco.dnnl.global.dnnl.dnnl_x;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.bytedeco.dnnl.dnnl_memory_desc;

/**
 * Creates oneDNN's kernels for activations. The kernels compute the slope from the output, or from
 * the input if {@link Activation#needsInputs} returns true.
 */
final class OneDnnActivation {
  private OneDnnActivation() {}

  /** Returns whether oneDNN has kernels for a function, which must not be the identity. */
  static boolean knows(Activation function) {
    return switch (function.kind()) {
      case RELU, TANH, SIGMOID, ELU, GELU, GELU_TANH, SWISH -> true;
      case IDENTITY,
          SELU,
          SOFTPLUS,
          SOFTSIGN,
          MISH,
          BOUNDED_RELU,
          THRESHOLDED_RELU,
          HARD_SIGMOID,
          HARD_SWISH ->
          false;
    };
  }

  static RepeatableKernel forward(
      OneDnnEngine engine, Activation function, Tensor inputs, Tensor outputs) {
    try (OneDnnForms forms = new OneDnnForms()) {
      dnnl_memory_desc form = forms.form(dnnl_x, inputs.length());
      return forwardPrimitive(engine, function, form)
          .with(DNNL_ARG_SRC, inputs, form)
          .with(DNNL_ARG_DST, outputs, form);
    }
  }

  private static OneDnnPrimitive forwardPrimitive(
      OneDnnEngine engine, Activation function, dnnl_memory_desc form) {
    return new OneDnnPrimitive(
        engine,
        "dnnl_eltwise_forward_primitive_desc_create",
        (made, handle, attributes) ->
            dnnl_eltwise_forward_primitive_desc_create(
                made,
                handle,
                dnnl_forward_training,
                algorithm(function),
                form,
                form,
                alpha(function),
                0,
                attributes));
  }

  static TapeKernel backward(
      OneDnnEngine engine, Activation function, Tensor known, Tensor errors) {
    try (OneDnnForms forms = new OneDnnForms()) {
      dnnl_memory_desc form = forms.form(dnnl_x, known.length());
      return backwardPrimitive(engine, function, form)
          .with(function.needsInputs() ? DNNL_ARG_SRC : DNNL_ARG_DST, known, form)
          .with(DNNL_ARG_DIFF_DST, errors, form)
          .with(DNNL_ARG_DIFF_SRC, errors, form);
    }
  }

  private static OneDnnPrimitive backwardPrimitive(
      OneDnnEngine engine, Activation function, dnnl_memory_desc form) {
    try (OneDnnPrimitive forward = forwardPrimitive(engine, function, form)) {
      return new OneDnnPrimitive(
          engine,
          "dnnl_eltwise_backward_primitive_desc_create",
          (made, handle, attributes) ->
              dnnl_eltwise_backward_primitive_desc_create(
                  made,
                  handle,
                  algorithm(function),
                  form,
                  form,
                  form,
                  alpha(function),
                  0,
                  forward.description(),
                  attributes));
    }
  }

  private static int algorithm(Activation function) {
    return switch (function.kind()) {
      case RELU -> dnnl_eltwise_relu_use_dst_for_bwd;
      case TANH -> dnnl_eltwise_tanh_use_dst_for_bwd;
      case SIGMOID -> dnnl_eltwise_logistic_use_dst_for_bwd;
      case ELU -> dnnl_eltwise_elu_use_dst_for_bwd;
      case GELU -> dnnl_eltwise_gelu_erf;
      case GELU_TANH -> dnnl_eltwise_gelu_tanh;
      case SWISH -> dnnl_eltwise_swish;
      case IDENTITY,
          SELU,
          SOFTPLUS,
          SOFTSIGN,
          MISH,
          BOUNDED_RELU,
          THRESHOLDED_RELU,
          HARD_SIGMOID,
          HARD_SWISH ->
          throw new IllegalArgumentException("no primitive for " + function.kind());
    };
  }

  /** Returns the parameter of the algorithm. For Swish, this is the factor inside the sigmoid. */
  private static float alpha(Activation function) {
    return function.kind() == Activation.Kind.SWISH ? 1 : function.alpha();
  }
}
