package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Forwards all calls to another policy. Subclasses override some of them. */
public class ForwardingPlacementPolicy implements PlacementPolicy {
  private final PlacementPolicy policy;

  /** Forwards to a policy. */
  public ForwardingPlacementPolicy(PlacementPolicy policy) {
    this.policy = policy;
  }

  @Override
  public String name() {
    return policy.name();
  }

  @Override
  public Recomputation recomputation(TaskGraph graph, MemoryView view) {
    return policy.recomputation(graph, view);
  }

  @Override
  public void beginStep(TaskGraph graph, MemoryView view) {
    policy.beginStep(graph, view);
  }

  @Override
  public boolean idleIfFast() {
    return policy.idleIfFast();
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return policy.place(request, view);
  }

  @Override
  public List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return policy.makeSpace(request, view);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    return policy.placed(object, request, kernel, view);
  }

  @Override
  public List<Action.UseInPlace> arriving(
      KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
    return policy.arriving(kernel, arrivals, view);
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    return policy.before(kernel, view);
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    return policy.done(outcome, view);
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return policy.after(kernel, nanos, view);
  }

  @Override
  public void failed(KernelEvent kernel) {
    policy.failed(kernel);
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    policy.softEvicted(object, view);
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    return policy.released(object, view);
  }

  @Override
  public List<Action> endOfStep(MemoryView view) {
    return policy.endOfStep(view);
  }

  @Override
  public Optional<PlanUse> planUse() {
    return policy.planUse();
  }

  @Override
  public Optional<StepCosts> stepCosts(MemoryView view) {
    return policy.stepCosts(view);
  }

  @Override
  public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
    return policy.kernelNanos(kernel, fastNanos, view);
  }
}
