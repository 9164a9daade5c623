package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Asks the learner about the arguments of a kernel and tells it what came of its choices. */
final class KernelChoices {
  private record Choice(PrefetchLearner.Place place, boolean prefetched, long copyNanos) {}

  private record Running(String name, int index) {
    static Running of(KernelEvent event) {
      return new Running(event.name(), event.index());
    }
  }

  private static final OutputRoom.Expected UNKNOWN = new OutputRoom.Expected(0, 0, 0);

  private final PrefetchLearner learner;
  private final CachedArrays policy;
  private final KernelCosts costs;
  private final OutputRoom outputs;
  private final List<Choice> made = new ArrayList<>();

  /** What kernels took and created in the step before. */
  private final Map<Running, OutputRoom.Expected> last = new HashMap<>();

  private long createdBytes;
  private long largestBytes;

  KernelChoices(PrefetchLearner learner, CachedArrays policy, KernelCosts costs) {
    this.learner = learner;
    this.policy = policy;
    this.costs = costs;
    outputs = new OutputRoom(policy, costs);
  }

  /** A kernel begins for whose arguments nothing is chosen. */
  void begin() {
    made.clear();
    createdBytes = 0;
    largestBytes = 0;
  }

  void begin(KernelEvent event) throws InterruptedException {
    begin();
    Set<MemObject> gone = outputs.make(event, expected(event));
    int argument = 0;
    for (MemObject object : event.reads()) {
      choose(event, argument++, object, gone);
    }
    for (MemObject object : event.writes()) {
      choose(event, argument++, object, gone);
    }
  }

  private OutputRoom.Expected expected(KernelEvent event) {
    return last.getOrDefault(Running.of(event), UNKNOWN);
  }

  private void choose(KernelEvent event, int argument, MemObject object, Set<MemObject> gone)
      throws InterruptedException {
    if (gone.contains(object)) {
      return;
    }
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
    long needed = object.bytes() + expected(event).createdBytes();
    return needed <= use.budgetBytes() - use.occupiedBytes() && needed <= use.largestFreeBytes();
  }

  /** The running kernel has created an object. */
  void created(MemObject object) {
    createdBytes += object.bytes();
    largestBytes = Math.max(largestBytes, object.bytes());
  }

  /**
   * What copying an argument, and back if it changes, takes more than using it where it is. If it
   * takes the room of what the kernel creates, that is stored on the slow device.
   */
  private double expectedNanos(KernelEvent event, MemObject object) {
    long bytes = object.bytes();
    boolean written = event.writes().contains(object);
    double copies = costs.copyIn(bytes) + (written ? costs.copyOut(bytes) : 0);
    OutputRoom.Expected expected = expected(event);
    // Unless it is known better, a kernel computes for as long as it reads.
    long alone = expected.nanos() == 0 ? Math.round(costs.copyIn(bytes)) : expected.nanos();
    if (outputs.missingBytes(event, expected.createdBytes() + bytes) > 0) {
      copies += costs.inPlace(alone, 0, expected.createdBytes());
    }
    long read = event.reads().contains(object) ? bytes : 0;
    return copies - costs.inPlace(alone, read, written ? bytes : 0);
  }

  void end(KernelEvent event, long kernelNanos) {
    for (Choice choice : made) {
      learner.observe(
          choice.place(), choice.prefetched(), (double) choice.copyNanos() + kernelNanos);
    }
    made.clear();
    last.put(Running.of(event), new OutputRoom.Expected(kernelNanos, createdBytes, largestBytes));
  }
}
