package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceSpeed;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TierModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Asks the learner about the arguments of a kernel and tells it what came of its choices. */
final class KernelChoices {
  private record Choice(PrefetchLearner.Place place, boolean prefetched, long copyNanos) {}

  private record Running(String name, int index) {
    static Running of(KernelEvent event) {
      return new Running(event.name(), event.index());
    }
  }

  /** What a kernel took and created in the step before. */
  private record Last(long nanos, long createdBytes) {}

  private final PrefetchLearner learner;
  private final CachedArrays policy;
  private final TierModel model;
  private final List<Choice> made = new ArrayList<>();
  private final Map<Running, Last> last = new HashMap<>();
  private long createdBytes;

  KernelChoices(PrefetchLearner learner, CachedArrays policy, TierModel model) {
    this.learner = learner;
    this.policy = policy;
    this.model = model;
  }

  /** A kernel begins for whose arguments nothing is chosen. */
  void begin() {
    made.clear();
    createdBytes = 0;
  }

  void begin(KernelEvent event) throws InterruptedException {
    begin();
    int argument = 0;
    for (MemObject object : event.reads()) {
      choose(event, argument++, object);
    }
    for (MemObject object : event.writes()) {
      choose(event, argument++, object);
    }
  }

  private void choose(KernelEvent event, int argument, MemObject object)
      throws InterruptedException {
    // The choice is whether to displace others; room that nobody needs costs nothing.
    if (object.in(policy.moves().fast) || roomFor(event, object)) {
      policy.prefetch(object, false);
      return;
    }
    PrefetchLearner.Place place = new PrefetchLearner.Place(event.name(), event.index(), argument);
    boolean force = learner.choose(place, expectedNanos(event, object));
    long start = policy.moves().memory.clock().nanos();
    boolean prefetched = force && policy.prefetch(object, true);
    long nanos = policy.moves().memory.clock().nanos() - start;
    if (prefetched == force) {
      made.add(new Choice(place, prefetched, nanos));
    }
  }

  /** Whether an argument leaves enough free room for what the kernel is going to create. */
  private boolean roomFor(KernelEvent event, MemObject object) {
    DeviceUse use = policy.moves().memory.use(policy.moves().fast);
    Last before = last.get(Running.of(event));
    long needed = object.bytes() + (before == null ? 0 : before.createdBytes());
    return needed <= use.budgetBytes() - use.occupiedBytes() && needed <= use.largestFreeBytes();
  }

  /** The running kernel has created an object. */
  void created(MemObject object) {
    createdBytes += object.bytes();
  }

  /** What copying an argument, and back if it changes, takes more than using it where it is. */
  private double expectedNanos(KernelEvent event, MemObject object) {
    DeviceSpeed slow = policy.slowSpeed();
    DeviceSpeed fast = policy.fastSpeed();
    long bytes = object.bytes();
    boolean written = event.writes().contains(object);
    double copies = TierModel.copyNanos(slow, fast, bytes);
    // Unless it is known better, a kernel computes for as long as it reads.
    Last before = last.get(Running.of(event));
    long kernel = before == null ? Math.round(copies) : before.nanos();
    if (written) {
      copies += TierModel.copyNanos(fast, slow, bytes);
    }
    long read = event.reads().contains(object) ? bytes : 0;
    return copies - (model.kernelNanos(slow, kernel, read, written ? bytes : 0) - kernel);
  }

  void end(KernelEvent event, long kernelNanos) {
    for (Choice choice : made) {
      learner.observe(
          choice.place(), choice.prefetched(), (double) choice.copyNanos() + kernelNanos);
    }
    made.clear();
    last.put(Running.of(event), new Last(kernelNanos, createdBytes));
  }
}
