package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.dnnl_f32;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_create_with_tag;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_destroy;
import static org.bytedeco.dnnl.global.dnnl.dnnl_memory_desc_get_size;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.dnnl.dnnl_memory_desc;

/**
 * Owns the memory formats that are needed to create kernels. Callers close the object after the
 * kernels were created, which frees the memory formats: primitives and their arguments have copies.
 */
final class OneDnnForms implements AutoCloseable {
  private static final AtomicLong LIVE = new AtomicLong();

  private final List<dnnl_memory_desc> forms = new ArrayList<>();

  /** Creates a memory format with a tag of oneDNN, such as {@code dnnl_nchw}. */
  dnnl_memory_desc form(int tag, long... shape) {
    dnnl_memory_desc form = new dnnl_memory_desc();
    OneDnnEngine.check(
        dnnl_memory_desc_create_with_tag(form, shape.length, shape, dnnl_f32, tag),
        "dnnl_memory_desc_create_with_tag");
    forms.add(form);
    LIVE.incrementAndGet();
    return form;
  }

  /** Returns the number of memory formats of this process that are not freed. */
  static long live() {
    return LIVE.get();
  }

  /** Returns the number of floats of an array with a given memory format. */
  static int floats(dnnl_memory_desc form) {
    return Math.toIntExact((dnnl_memory_desc_get_size(form) + Float.BYTES - 1) / Float.BYTES);
  }

  /**
   * Returns the placeholder for the memory format of an argument that a primitive does not have.
   */
  static dnnl_memory_desc none() {
    return new dnnl_memory_desc();
  }

  @Override
  public void close() {
    forms.forEach(form -> dnnl_memory_desc_destroy(form));
    LIVE.addAndGet(-forms.size());
    forms.clear();
  }
}
