package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import java.util.ArrayList;
import java.util.List;

/** Asks the learner about the arguments of a kernel and tells it what came of its choices. */
final class KernelChoices {
  private record Choice(PrefetchLearner.Place place, boolean prefetched, long copyNanos) {}

  private final PrefetchLearner learner;
  private final List<Choice> made = new ArrayList<>();

  KernelChoices(PrefetchLearner learner) {
    this.learner = learner;
  }

  void begin(KernelEvent event, CachedArrays policy) throws InterruptedException {
    made.clear();
    int argument = 0;
    for (MemObject object : event.reads()) {
      choose(new PrefetchLearner.Place(event.name(), event.index(), argument++), object, policy);
    }
    for (MemObject object : event.writes()) {
      choose(new PrefetchLearner.Place(event.name(), event.index(), argument++), object, policy);
    }
  }

  private void choose(PrefetchLearner.Place place, MemObject object, CachedArrays policy)
      throws InterruptedException {
    // The choice is whether to displace others; free room costs nobody anything.
    if (policy.prefetch(object, false)) {
      return;
    }
    boolean force = learner.choose(place);
    long start = policy.moves().memory.clock().nanos();
    boolean prefetched = force && policy.prefetch(object, true);
    long nanos = policy.moves().memory.clock().nanos() - start;
    if (prefetched == force) {
      made.add(new Choice(place, prefetched, nanos));
    }
  }

  void end(long kernelNanos) {
    for (Choice choice : made) {
      learner.observe(
          choice.place(), choice.prefetched(), (double) choice.copyNanos() + kernelNanos);
    }
    made.clear();
  }
}
