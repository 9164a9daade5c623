package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells how many kernels later objects are used next: exactly in an announced step, otherwise as in
 * an earlier step that was not announced. Guarded by the engine's lock.
 */
final class StepUses {
  private final ReusePredictor predictor = new ReusePredictor();
  private final Map<MemObject, String> names = new HashMap<>();
  private final RecentGraphs<AnnouncedStep> steps = new RecentGraphs<>();
  private @Nullable AnnouncedStep known;
  private boolean running;

  /** Begins a step that was announced with its graph. */
  void begin(TaskGraph graph) {
    AnnouncedStep step = steps.get(graph, AnnouncedStep::new);
    if (!step.equals(known)) {
      known = step;
      // It has not followed what was created and retired in the steps between.
      step.forget();
      names.forEach(step::named);
    }
    step.restart();
    running = true;
  }

  void end() {
    running = false;
  }

  /**
   * Records that a kernel begins.
   *
   * @return false if it is the first kernel that is not the one of the announced graph
   */
  boolean begins(KernelEvent kernel) {
    Iterator<String> given = kernel.tensors().iterator();
    for (MemObject object : kernel.arguments()) {
      if (given.hasNext()) {
        name(object, given.next());
      }
    }
    AnnouncedStep step = known;
    boolean expected = !running || step == null || step.begins(kernel);
    if (stepKnown()) {
      predictor.passed();
    } else {
      predictor.kernel(kernel);
    }
    return expected;
  }

  /** Records that an object was allocated, under the name of its tensor. */
  void created(MemObject object, String name, @Nullable KernelEvent kernel) {
    name(object, name);
    if (kernel != null && !stepKnown()) {
      predictor.created(kernel, object);
    }
  }

  private void name(MemObject object, String name) {
    if (!name.isEmpty() && !name.equals(names.put(object, name)) && known != null) {
      known.named(object, name);
    }
  }

  void retired(MemObject object) {
    predictor.retired(object);
    names.remove(object);
    if (known != null) {
      known.retired(object);
    }
  }

  boolean stepKnown() {
    return running && known != null && known.followed();
  }

  long nextUse(MemObject object) {
    long exact = known != null && running ? known.nextUse(object) : MemoryView.UNKNOWN;
    return exact == MemoryView.UNKNOWN ? predictor.distance(object) : exact;
  }

  /**
   * Returns the sizes of the tensors that the kernel which begins now creates, in bytes; empty in a
   * step that was not announced.
   */
  List<Long> createdBytes() {
    return running && known != null ? known.createdBytes() : List.of();
  }

  @Nullable MemObject object(int tensor) {
    return known == null ? null : known.object(tensor);
  }
}
