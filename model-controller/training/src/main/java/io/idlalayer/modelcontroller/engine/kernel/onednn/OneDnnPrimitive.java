package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_FROM;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SCRATCHPAD;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_TO;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_destroy;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_set_data_handle;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_desc_destroy;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_desc_query;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_desc_query_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_destroy;
import static org.bytedeco.dnnl.global.dnnl.dnnl_primitive_execute;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_impl_info_str;
import static org.bytedeco.dnnl.global.dnnl.dnnl_query_scratchpad_md;
import static org.bytedeco.dnnl.global.dnnl.dnnl_reorder_primitive_desc_create;
import static org.bytedeco.dnnl.global.dnnl.dnnl_stream_destroy;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.dnnl.dnnl_engine;
import org.bytedeco.dnnl.dnnl_exec_arg_t;
import org.bytedeco.dnnl.dnnl_memory;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.bytedeco.dnnl.dnnl_primitive;
import org.bytedeco.dnnl.dnnl_primitive_attr;
import org.bytedeco.dnnl.dnnl_primitive_desc;
import org.bytedeco.dnnl.dnnl_stream;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that is one primitive of oneDNN with its arguments. Closing the kernel frees the
 * primitive and the arguments.
 */
final class OneDnnPrimitive implements RepeatableKernel {
  private static final AtomicLong LIVE = new AtomicLong();

  private final OneDnnEngine engine;
  private final dnnl_primitive_desc description;
  private final dnnl_primitive primitive = new dnnl_primitive();
  private final dnnl_stream stream;
  private final List<Argument> arguments = new ArrayList<>();
  private @Nullable dnnl_exec_arg_t passed;
  private boolean closed;

  /** An argument of a primitive, and the address of its tensor at the last run. */
  private static final class Argument {
    final int role;
    final Tensor tensor;
    final dnnl_memory memory = new dnnl_memory();
    @Nullable Floats place;

    Argument(int role, Tensor tensor) {
      this.role = role;
      this.tensor = tensor;
    }
  }

  /** A call of oneDNN that creates the description of a primitive, and returns its status. */
  interface Creation {
    int create(dnnl_primitive_desc description, dnnl_engine engine, dnnl_primitive_attr attributes);
  }

  /**
   * Creates a primitive whose scratchpad is a tensor, made by {@link #withScratchpad}.
   *
   * @param call name of the function that {@code creation} calls
   */
  OneDnnPrimitive(OneDnnEngine engine, String call, Creation creation) {
    this(engine, description(engine, call, creation));
  }

  private static dnnl_primitive_desc description(
      OneDnnEngine engine, String call, Creation creation) {
    dnnl_primitive_desc description = new dnnl_primitive_desc();
    OneDnnEngine.check(
        creation.create(description, engine.handle(), engine.scratchpadByUser()), call);
    return description;
  }

  private OneDnnPrimitive(OneDnnEngine engine, dnnl_primitive_desc description) {
    this.engine = engine;
    this.description = description;
    boolean made = false;
    try {
      OneDnnEngine.check(dnnl_primitive_create(primitive, description), "dnnl_primitive_create");
      made = true;
    } finally {
      if (!made) {
        dnnl_primitive_desc_destroy(description);
      }
    }
    boolean complete = false;
    try {
      stream = engine.stream();
      complete = true;
    } finally {
      if (!complete) {
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(description);
      }
    }
    LIVE.incrementAndGet();
  }

  /** Returns the number of primitives of this process that are not closed. */
  static long live() {
    return LIVE.get();
  }

  /** Returns a primitive that copies a tensor to a second tensor with another memory format. */
  static OneDnnPrimitive reorder(
      OneDnnEngine engine,
      Tensor from,
      dnnl_memory_desc fromForm,
      Tensor to,
      dnnl_memory_desc toForm) {
    return new OneDnnPrimitive(
            engine,
            "dnnl_reorder_primitive_desc_create",
            (made, handle, attributes) ->
                dnnl_reorder_primitive_desc_create(
                    made, fromForm, handle, toForm, handle, new dnnl_primitive_attr()))
        .with(DNNL_ARG_FROM, from, fromForm)
        .with(DNNL_ARG_TO, to, toForm);
  }

  @Override
  public String implementation() {
    try (PointerPointer<BytePointer> found = new PointerPointer<>(1)) {
      OneDnnEngine.check(
          dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, found),
          "dnnl_primitive_desc_query");
      return found.get(BytePointer.class, 0).getString();
    }
  }

  /**
   * Returns the description of this forward primitive, which is needed to create a backward
   * primitive.
   */
  dnnl_primitive_desc description() {
    return description;
  }

  /**
   * Returns the memory format that an argument must have, for a query such as {@code
   * dnnl_query_src_md}. The memory format belongs to this primitive, so callers must not free it.
   */
  dnnl_memory_desc form(int query) {
    return dnnl_primitive_desc_query_md(description, query, 0);
  }

  /**
   * Creates the scratchpad tensor that the primitive needs while it runs, and adds it to the list.
   */
  OneDnnPrimitive withScratchpad(String name, List<Tensor> workspaces) {
    dnnl_memory_desc form = form(dnnl_query_scratchpad_md);
    int floats = OneDnnForms.floats(form);
    if (floats > 0) {
      Tensor scratchpad = new Tensor(name + ".scratchpad", Tensor.Kind.WORKSPACE, floats);
      workspaces.add(scratchpad);
      with(DNNL_ARG_SCRATCHPAD, scratchpad, form);
    }
    return this;
  }

  /**
   * Binds a tensor to an argument; its memory format must match. If binding fails, the primitive is
   * closed.
   */
  OneDnnPrimitive with(int role, Tensor tensor, dnnl_memory_desc form) {
    boolean complete = false;
    try {
      add(role, tensor, form);
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
    return this;
  }

  private void add(int role, Tensor tensor, dnnl_memory_desc form) {
    if (tensor.length() < OneDnnForms.floats(form)) {
      throw new IllegalArgumentException(
          "%s is too short, %d floats are needed".formatted(tensor, OneDnnForms.floats(form)));
    }
    Argument argument = new Argument(role, tensor);
    dnnl_engine handle = engine.handle();
    OneDnnEngine.check(
        dnnl_memory_create(argument.memory, form, handle, new Pointer((Pointer) null)),
        "dnnl_memory_create");
    arguments.add(argument);
  }

  @Override
  public void run() {
    dnnl_exec_arg_t list = passed;
    if (list == null) {
      list = new dnnl_exec_arg_t(arguments.size());
      for (int i = 0; i < arguments.size(); i++) {
        list.getPointer(i).arg(arguments.get(i).role).memory(arguments.get(i).memory);
      }
      passed = list;
    }
    for (Argument argument : arguments) {
      Floats now = argument.tensor.floats();
      if (argument.place != now) {
        OneDnnEngine.check(
            dnnl_memory_set_data_handle(argument.memory, now.pointer()),
            "dnnl_memory_set_data_handle");
        argument.place = now;
      }
    }
    OneDnnEngine.check(
        dnnl_primitive_execute(primitive, stream, arguments.size(), list),
        "dnnl_primitive_execute");
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    arguments.forEach(argument -> dnnl_memory_destroy(argument.memory));
    if (passed != null) {
      passed.deallocate();
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
    dnnl_stream_destroy(stream);
    LIVE.decrementAndGet();
  }
}
