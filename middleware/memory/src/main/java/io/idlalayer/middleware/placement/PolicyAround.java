package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TieredMemory;

/** Does what another policy does: for those that listen to it, or come between. */
public class PolicyAround implements PlacementPolicy {
  private final PlacementPolicy policy;

  /** Around a policy that has no memory yet. */
  public PolicyAround(PlacementPolicy policy) {
    this.policy = policy;
  }

  @Override
  public PolicyInfo info() {
    return policy.info();
  }

  @Override
  public void attach(TieredMemory memory, PolicyEnvironment environment) {
    policy.attach(memory, environment);
  }

  @Override
  public PlanReport plan(TaskGraph graph) throws PlanInfeasibleException {
    return policy.plan(graph);
  }

  @Override
  public MemObject allocate(AllocationRequest request) throws InterruptedException {
    return policy.allocate(request);
  }

  @Override
  public void beforeKernel(KernelEvent event) throws InterruptedException {
    policy.beforeKernel(event);
  }

  @Override
  public boolean beforePieces(KernelEvent event) throws InterruptedException {
    return policy.beforePieces(event);
  }

  @Override
  public void createdByKernel(MemObject object) {
    policy.createdByKernel(object);
  }

  @Override
  public void afterKernel(KernelEvent event, long nanos) throws InterruptedException {
    policy.afterKernel(event, nanos);
  }

  @Override
  public void endOfStep() throws InterruptedException {
    policy.endOfStep();
  }

  @Override
  public void readUse(MemObject object) {
    policy.readUse(object);
  }

  @Override
  public void writeUse(MemObject object) {
    policy.writeUse(object);
  }

  @Override
  public boolean prefetch(MemObject object, boolean force) throws InterruptedException {
    return policy.prefetch(object, force);
  }

  @Override
  public void evict(MemObject object) throws InterruptedException {
    policy.evict(object);
  }

  @Override
  public void softEvict(MemObject object) {
    policy.softEvict(object);
  }

  @Override
  public boolean retire(MemObject object) throws InterruptedException {
    return policy.retire(object);
  }

  @Override
  public long kernelNanos(KernelEvent event, long fastNanos) {
    return policy.kernelNanos(event, fastNanos);
  }

  @Override
  public PolicyStats stats() {
    return policy.stats();
  }

  @Override
  public void close() throws InterruptedException {
    policy.close();
  }
}
