package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DIFF_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_backward_desc_init;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_elu_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_forward_desc_init;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_logistic_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_relu_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_eltwise_tanh_use_dst_for_bwd;
import static org.bytedeco.dnnl.global.dnnl.dnnl_forward_training;
import static org.bytedeco.dnnl.global.dnnl.dnnl_x;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.bytedeco.dnnl.dnnl_eltwise_desc_t;
import org.bytedeco.dnnl.dnnl_memory_desc_t;

/**
 * Creates oneDNN's kernels for activations, which work in place and take the slope from the output.
 */
final class OneDnnActivation {
  private OneDnnActivation() {}

  static RepeatableKernel forward(OneDnnEngine engine, Activation function, Tensor values) {
    dnnl_memory_desc_t form = OneDnnEngine.form(dnnl_x, values.length());
    return forwardPrimitive(engine, function, form)
        .with(DNNL_ARG_SRC, values, form)
        .with(DNNL_ARG_DST, values, form);
  }

  private static OneDnnPrimitive forwardPrimitive(
      OneDnnEngine engine, Activation function, dnnl_memory_desc_t form) {
    dnnl_eltwise_desc_t operation = new dnnl_eltwise_desc_t();
    OneDnnEngine.check(
        dnnl_eltwise_forward_desc_init(
            operation, dnnl_forward_training, algorithm(function), form, function.alpha(), 0),
        "dnnl_eltwise_forward_desc_init");
    return new OneDnnPrimitive(engine, operation, null);
  }

  static TapeKernel backward(
      OneDnnEngine engine, Activation function, Tensor outputs, Tensor errors) {
    dnnl_memory_desc_t form = OneDnnEngine.form(dnnl_x, outputs.length());
    dnnl_eltwise_desc_t operation = new dnnl_eltwise_desc_t();
    OneDnnEngine.check(
        dnnl_eltwise_backward_desc_init(
            operation, algorithm(function), form, form, function.alpha(), 0),
        "dnnl_eltwise_backward_desc_init");
    try (OneDnnPrimitive hint = forwardPrimitive(engine, function, form)) {
      return new OneDnnPrimitive(engine, operation, hint)
          .with(DNNL_ARG_DST, outputs, form)
          .with(DNNL_ARG_DIFF_DST, errors, form)
          .with(DNNL_ARG_DIFF_SRC, errors, form);
    }
  }

  private static int algorithm(Activation function) {
    return switch (function.kind()) {
      case RELU -> dnnl_eltwise_relu_use_dst_for_bwd;
      case TANH -> dnnl_eltwise_tanh_use_dst_for_bwd;
      case SIGMOID -> dnnl_eltwise_logistic_use_dst_for_bwd;
      case ELU -> dnnl_eltwise_elu_use_dst_for_bwd;
      case IDENTITY -> throw new IllegalArgumentException("the identity needs no primitive");
    };
  }
}
