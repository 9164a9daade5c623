package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_cpu;
import static org.bytedeco.dnnl.global.dnnl.dnnl_engine_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_invalid_arguments;
import static org.bytedeco.dnnl.global.dnnl.dnnl_out_of_memory;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_attr_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_attr_set_scratchpad_mode;
import static org.bytedeco.dnnl.global.dnnl.dnnl_scratchpad_mode_user;
import static org.bytedeco.dnnl.global.dnnl.dnnl_stream_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_stream_default_flags;
import static org.bytedeco.dnnl.global.dnnl.dnnl_success;
import static org.bytedeco.dnnl.global.dnnl.dnnl_unimplemented;

import io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException;
import org.bytedeco.dnnl.dnnl_engine;
import org.bytedeco.dnnl.dnnl_primitive_attr;
import org.bytedeco.dnnl.dnnl_stream;

/** The handle of oneDNN's engine, the processor. The handle is never freed. */
final class OneDnnEngine {
  private final dnnl_engine engine = new dnnl_engine();

  private final dnnl_primitive_attr scratchpadByUser = new dnnl_primitive_attr();

  OneDnnEngine() {
    check(dnnl_engine_create(engine, dnnl_cpu, 0), "dnnl_engine_create");
    check(dnnl_primitive_attr_create(scratchpadByUser), "dnnl_primitive_attr_create");
    check(
        dnnl_primitive_attr_set_scratchpad_mode(scratchpadByUser, dnnl_scratchpad_mode_user),
        "dnnl_primitive_attr_set_scratchpad_mode");
  }

  /** Returns the attribute with which a primitive takes its scratchpad as an argument. */
  dnnl_primitive_attr scratchpadByUser() {
    return scratchpadByUser;
  }

  dnnl_engine handle() {
    return engine;
  }

  /** Creates a stream, which the caller destroys. */
  dnnl_stream stream() {
    dnnl_stream stream = new dnnl_stream();
    check(dnnl_stream_create(stream, engine, dnnl_stream_default_flags), "dnnl_stream_create");
    return stream;
  }

  /**
   * Checks the status that a call of oneDNN returned.
   *
   * @throws KernelRefusedException if the library does not support the call
   * @throws IllegalStateException if the call failed for another reason, such as too little memory
   */
  static void check(int status, String call) {
    switch (status) {
      case dnnl_success -> {}
      case dnnl_invalid_arguments ->
          throw new KernelRefusedException(failed(call, status, "invalid arguments"));
      case dnnl_unimplemented ->
          throw new KernelRefusedException(failed(call, status, "not implemented"));
      case dnnl_out_of_memory ->
          throw new IllegalStateException(failed(call, status, "out of memory"));
      default -> throw new IllegalStateException(failed(call, status, "see its documentation"));
    }
  }

  private static String failed(String call, int status, String meaning) {
    return "%s of oneDNN failed with status %d (%s)".formatted(call, status, meaning);
  }
}
