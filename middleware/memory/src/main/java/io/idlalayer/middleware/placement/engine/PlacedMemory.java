package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.RetiredObjectException;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A tiered memory with a policy that places its objects; trainers allocate and run kernels through
 * it. Asks the policy, carries out its actions, runs kernels on leased arguments and counts. Any
 * thread: calls of the policy and its actions come one at a time, kernels run beside each other. If
 * kernels cannot access the slow device, they run one after another, and other threads must not
 * lease or move objects of the tiered memory while they run.
 */
public final class PlacedMemory implements AutoCloseable {
  private final TieredMemory memory;
  private final PlacementPolicy policy;
  private final PolicyEnvironment environment;
  private final PlacementMeter meter;
  private final BackgroundCopies copies;
  private final ActionRunner runner;
  private final StepUses uses = new StepUses();
  private final RecomputedSteps recomputed = new RecomputedSteps();
  private final LateArguments late;
  private final EngineView view;
  private final Staging staging;
  private final KernelTurns turns;

  /**
   * Lock that a thread holds during one decision of the policy and the actions that follow. No
   * thread waits for a lease while it holds this lock.
   */
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Creates a placed memory over a tiered one, in which no other code may allocate objects.
   *
   * @param policy used for no other memory
   */
  public PlacedMemory(TieredMemory memory, PlacementPolicy policy, PolicyEnvironment environment) {
    this.memory = memory;
    this.policy = policy;
    this.environment = environment;
    meter = new PlacementMeter(environment.fast(), environment.slow());
    copies = new BackgroundCopies(memory, environment, meter);
    late = new LateArguments(copies);
    runner = new ActionRunner(memory, environment, meter, copies, late);
    view = new EngineView(memory, environment, meter, copies, uses);
    staging = new Staging(memory, environment, runner, copies, meter, view);
    turns = new KernelTurns(staging.needed(), memory.waitNanos());
  }

  /** Returns the tiered memory that holds the objects. */
  public TieredMemory memory() {
    return memory;
  }

  /**
   * Announces the kernels of the next step as a graph. All kernels until {@link #endOfStep} are
   * those of the graph, in its order, and their objects have the names of its tensors ({@link
   * AllocationRequest#tensor}, {@link KernelEvent#tensors}). If another kernel runs, the policy
   * continues without the graph, and {@link PlacementStats} counts that.
   *
   * @param graph each kernel once
   * @return the step that the caller runs, in which the policy may have kernels run again. Equal
   *     answers to one graph are one object
   */
  public RecomputedStep beginStep(TaskGraph graph) {
    lock.lock();
    try {
      RecomputedStep step = recomputed.of(graph, policy.recomputation(graph, view));
      uses.begin(step.graph());
      policy.beginStep(step.graph(), view);
      return step;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Allocates an object where the policy places it. Its bytes are undefined.
   *
   * @throws DeviceFullException if none of the places that the policy names has space
   */
  public MemObject create(AllocationRequest request) throws InterruptedException {
    lock.lock();
    try {
      long start = memory.clock().nanos();
      MemObject made = make(request, null);
      meter.stalled(memory.clock().nanos() - start);
      return made;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Allocates an object for a caller that holds the lock.
   *
   * @param running the kernel that creates it, if there is one
   */
  private MemObject make(AllocationRequest request, @Nullable RunningKernel running)
      throws InterruptedException {
    KernelEvent kernel = running == null ? null : running.event();
    Placement placement = policy.place(request, view);
    MemObject made = make(request.bytes(), placement, running);
    if (made == null) {
      List<Action> actions = policy.makeSpace(request, view);
      if (!actions.isEmpty()) {
        act(actions, kernel);
        placement = policy.place(request, view);
        made = make(request.bytes(), placement, running);
      }
    }
    if (made == null) {
      throw running != null && staging.needed()
          ? memory.full(environment.fast(), request.bytes())
          : runner.full(request.bytes(), placement);
    }
    uses.created(made, request.tensor(), kernel);
    act(policy.placed(made, request, kernel, view), kernel);
    return made;
  }

  private @Nullable MemObject make(long bytes, Placement placement, @Nullable RunningKernel running)
      throws InterruptedException {
    return running != null && staging.needed()
        ? staging.make(bytes, placement, running.staged())
        : runner.make(bytes, placement);
  }

  /**
   * Carries out the policy's actions, and those that it returns in answer to their outcomes, for a
   * few rounds. The caller holds the lock.
   *
   * @param kernel that they are done for, if there is one
   */
  private Action.@Nullable Stream act(List<Action> actions, @Nullable KernelEvent kernel)
      throws InterruptedException {
    Action.Stream stream = null;
    List<Action> round = actions;
    for (int answers = 0; !round.isEmpty(); answers++) {
      List<Action> answered = new ArrayList<>();
      for (Action action : round) {
        long start = memory.clock().nanos();
        Outcome.Result result = runner.run(action);
        long nanos = memory.clock().nanos() - start;
        if (action instanceof Action.Stream wanted) {
          stream = wanted;
        }
        if (action instanceof Action.Release release) {
          uses.retired(release.object());
        }
        Outcome outcome = new Outcome(action, kernel, result, nanos);
        countOutcome(outcome);
        answered.addAll(policy.done(outcome, view));
      }
      round = answers < PlacementPolicy.MOST_ANSWERS ? answered : List.of();
    }
    return stream;
  }

  /**
   * Adds an action to the counts; one that copies in the background is counted when its copy has
   * ended.
   */
  private void countOutcome(Outcome outcome) {
    if (!outcome.succeeded()) {
      meter.refused(outcome.action());
    } else if (!outcome.action().inBackground()) {
      meter.acted(outcome.action(), outcome.nanos());
    }
  }

  /** Runs a kernel after the policy has placed its arguments. */
  public void run(KernelEvent event, Kernel kernel) throws InterruptedException {
    try (RunningKernel running = start(event)) {
      kernel.run(running.arguments());
      running.finish();
    }
  }

  /**
   * Starts a kernel whose computation the caller runs itself. It must be closed.
   *
   * @throws RetiredObjectException if an argument was retired
   */
  public RunningKernel start(KernelEvent event) throws InterruptedException {
    RunningKernel running = prepare(event, false);
    Set<MemObject> staged = running.staged();
    count(event, staged.isEmpty() ? event : event.without(staged), running.inPlace());
    return running;
  }

  private RunningKernel prepare(KernelEvent event, boolean inPieces) throws InterruptedException {
    List<MemObject> pinned = new ArrayList<>();
    long start = memory.clock().nanos();
    RunningKernel running =
        new RunningKernel(this, event, inPieces, memory.clock(), turns.take(event.name()));
    boolean begun = false;
    try {
      place(event, running, pinned);
      // Outside of the lock: a thread that holds a lease may call the policy before it closes the
      // lease.
      boolean throughBuffers = running.streams() && staging.needed();
      running.begin(KernelArguments.lease(memory, event, throughBuffers, running::make));
      begun = true;
      if (memory.clock().kind() != ClockKind.VIRTUAL) {
        KernelArguments leased = running.arguments();
        running.inPlace().removeIf(object -> leased.region(object).in(environment.fast()));
      }
      stalled(memory.clock().nanos() - start);
      return running;
    } finally {
      pinned.forEach(memory::unpin);
      if (!begun) {
        running.close();
      }
    }
  }

  /**
   * Carries out the policy's actions before a kernel, then keeps all arguments where they are.
   * Those that the kernel reads in place may arrive before it has its leases.
   */
  private void place(KernelEvent event, RunningKernel running, List<MemObject> pinned)
      throws InterruptedException {
    lock.lock();
    try {
      if (!uses.begins(event)) {
        meter.planMissed();
      }
      Action.Stream stream;
      late.begin();
      runner.hold(event.arguments());
      try {
        settle(event);
        stream = act(policy.before(event, view), event);
        settle(event);
        if (staging.needed()) {
          stream = stage(event, running);
        }
      } finally {
        runner.release();
      }
      running.using(stream, late.inPlace());
      for (MemObject object : event.arguments()) {
        if (!running.inPlace().contains(object)) {
          if (!staging.needed()) {
            memory.makeDirect(object);
          }
          memory.pin(object);
          pinned.add(object);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies slow arguments to the fast device, where kernels can access them. Those of a kernel that
   * runs in pieces pass through buffers instead, whatever the policy wants.
   */
  private Action.@Nullable Stream stage(KernelEvent event, RunningKernel running)
      throws InterruptedException {
    if (!running.inPieces()) {
      staging.stage(event.arguments(), uses.createdBytes(), running.staged());
      return null;
    }
    if (!staging.anySlow(event)) {
      return null;
    }
    staging.makeRoomForBuffers(event.arguments(), bufferBytes());
    return new Action.Stream(event, Reason.STAGED, 0);
  }

  /**
   * Waits for the copies that a kernel cannot run beside, without those of arguments that the
   * policy wants it to read where they are, if it can.
   */
  private void settle(KernelEvent event) throws InterruptedException {
    List<LateArgument> arrivals = staging.needed() ? List.of() : late.undecided(event);
    if (!arrivals.isEmpty()) {
      act(List.copyOf(policy.arriving(event, arrivals, view)), event);
      late.decided();
    }
    copies.settle(event, late::isInPlace);
  }

  /**
   * Runs a divisible kernel, piece by piece. If the policy returns an {@link Action.Stream}, slow
   * arguments pass through buffers on the fast device, piece by piece, however large they are;
   * otherwise the kernel uses all arguments where they are.
   *
   * @param event that names all objects of the pieces; those that change are among its {@link
   *     KernelEvent#writes}
   * @return nanoseconds that it took by the memory's clock, without allocations
   */
  public long runPieces(KernelEvent event, List<Piece> pieces, PieceKernel kernel)
      throws InterruptedException {
    PieceStream stream = null;
    try (RunningKernel running = prepare(event.inPieces(), true)) {
      KernelArguments arguments = running.arguments();
      stream = new PieceStream(memory, environment.fast(), pieces, arguments);
      if (running.streams() && stream.prepare(event.index())) {
        KernelEvent near = running.event().on(environment.fast());
        count(event, near, running.inPlace());
        long computed =
            stream.run(
                (piece, places) -> {
                  long wall = System.nanoTime();
                  kernel.run(piece, places, arguments);
                  return computed(near, System.nanoTime() - wall, piece, pieces.size());
                });
        running.finishPieces(computed);
      } else if (running.streams() && staging.needed() && stream.bufferBytes() > 0) {
        throw memory.full(environment.fast(), stream.bufferBytes());
      } else {
        count(event, event, running.inPlace());
        for (int piece = 0; piece < pieces.size(); piece++) {
          kernel.run(piece, PieceStream.inPlace(pieces.get(piece)), arguments);
        }
        running.finish();
      }
      return running.nanos();
    } finally {
      if (stream != null) {
        retireAll(stream.buffers());
      }
    }
  }

  private void retireAll(List<MemObject> objects) throws InterruptedException {
    if (!objects.isEmpty()) {
      try {
        retire(objects.get(0));
      } finally {
        retireAll(objects.subList(1, objects.size()));
      }
    }
  }

  /**
   * Returns the best number of pieces for a kernel. With it, the buffers of a few pieces take a
   * small part of the fast device.
   *
   * @param argumentBytes size of all arguments
   */
  public long piecesOf(long argumentBytes) {
    return Action.Stream.pieces(bufferBytes(), argumentBytes);
  }

  /** Returns the most bytes of the buffers of a kernel, all together. */
  private long bufferBytes() {
    return memory.use(environment.fast()).budgetBytes() / PieceStream.SHARE;
  }

  /**
   * Tells the clock how long a piece took on this machine, and returns how long it took by the
   * clock.
   */
  private long computed(KernelEvent event, long wallNanos, int piece, int pieces)
      throws InterruptedException {
    long wanted;
    lock.lock();
    try {
      wanted =
          policy.kernelNanos(event, given(event) ? event.fastNanos() : wallNanos * pieces, view);
    } finally {
      lock.unlock();
    }
    long start = memory.clock().nanos();
    // The shares of all pieces add up to the whole.
    long share = wanted / pieces + (piece < wanted % pieces ? 1 : 0);
    memory.clock().computed(wallNanos, share);
    long waited = memory.clock().nanos() - start;
    return memory.clock().kind() == ClockKind.VIRTUAL ? waited : wallNanos + waited;
  }

  /** Allocates an object that a running kernel writes. */
  WriteLease createInKernel(AllocationRequest request, RunningKernel kernel)
      throws InterruptedException {
    MemObject made;
    lock.lock();
    try {
      long start = memory.clock().nanos();
      made = make(request, kernel);
      pinDirect(made, kernel);
      meter.stalled(memory.clock().nanos() - start);
    } finally {
      lock.unlock();
    }
    WriteLease lease = null;
    try {
      lease = memory.write(made);
      return lease;
    } finally {
      memory.unpin(made);
      if (lease == null) {
        retire(made);
      }
    }
  }

  /** Pins a new object where kernels can access it: the policy may have evicted it at once. */
  private void pinDirect(MemObject made, RunningKernel kernel) throws InterruptedException {
    boolean pinned = false;
    try {
      if (staging.needed()) {
        staging.stage(List.of(made), List.of(), kernel.staged());
      } else {
        memory.makeDirect(made);
      }
      memory.pin(made);
      pinned = true;
    } finally {
      if (!pinned) {
        retire(made);
      }
    }
  }

  /**
   * Tells the clock how long a kernel took on this machine, and returns how long it took by the
   * clock.
   *
   * @param event with what the kernel created
   * @param inPlace arguments that it read on the slow device, although they may have arrived since
   */
  long finished(
      KernelEvent event, List<MemObject> created, Set<MemObject> inPlace, RunningKernel.Times times)
      throws InterruptedException {
    MemoryClock clock = memory.clock();
    long wall = times.wallNanos();
    long wanted;
    lock.lock();
    try {
      created.forEach(meter::written);
      wanted =
          policy.kernelNanos(event, given(event) ? event.fastNanos() : wall, view.with(inPlace));
    } finally {
      lock.unlock();
    }
    clock.computed(wall, wanted);
    return clock.nanos() - times.startNanos();
  }

  private boolean given(KernelEvent event) {
    return memory.clock().kind() == ClockKind.VIRTUAL && event.fastNanos() > 0;
  }

  /**
   * Called when the leases of a kernel are closed: counts its times and asks the policy for actions
   * after it.
   */
  void ended(
      KernelEvent event,
      List<MemObject> created,
      Collection<MemObject> staged,
      RunningKernel.Ended times)
      throws InterruptedException {
    lock.lock();
    try {
      meter.computed(times.computedNanos());
      meter.stalled(times.nanos() - times.computedNanos());
      copies.reap();
      view.ended(times.streamed());
      long start = memory.clock().nanos();
      staging.leave(staged);
      act(policy.after(event.with(created), times.nanos(), view), event);
      meter.stalled(memory.clock().nanos() - start);
    } finally {
      lock.unlock();
    }
  }

  void failed(KernelEvent event) {
    lock.lock();
    try {
      policy.failed(event);
    } finally {
      lock.unlock();
    }
  }

  private void stalled(long nanos) {
    lock.lock();
    try {
      meter.stalled(nanos);
    } finally {
      lock.unlock();
    }
  }

  private void count(KernelEvent event, KernelEvent direct, Set<MemObject> inPlace) {
    lock.lock();
    try {
      meter.started(event, direct, inPlace);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts the announced step as a whole, without placement for each kernel, if its tensors are on
   * the fast device, have space there, and the policy would do nothing. It must be closed.
   *
   * @param step with the objects that outlive the step and that its kernels read and write
   * @param passingBytes size of all other tensors of the step, laid out in one block, above 0
   * @return null if the kernels must be run one by one
   */
  public @Nullable FastStep startFast(KernelEvent step, long passingBytes)
      throws InterruptedException {
    FastStep whole = new FastStep(memory, environment.fast(), meter, lock, turns.take(step.name()));
    boolean reserved = false;
    lock.lock();
    try {
      boolean possible =
          memory.clock().kind() == ClockKind.REAL
              && policy.idleIfFast()
              && step.arguments().stream().allMatch(view::inFast);
      if (!possible) {
        return null;
      }
      copies.settle(step, any -> false);
      reserved = whole.reserve(step, passingBytes);
      if (!reserved) {
        return null;
      }
    } finally {
      lock.unlock();
      if (!reserved) {
        whole.close();
      }
    }
    // Outside of the lock, as the leases of kernels.
    whole.begin(step);
    return whole;
  }

  /** Tells the policy that an object will not be used for a while. */
  public void softEvict(MemObject object) {
    lock.lock();
    try {
      policy.softEvicted(object, view);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Retires an object, which the caller must not use again, even if the policy keeps its memory for
   * a while. Returns false if that was done before.
   *
   * @throws io.idlalayer.middleware.memory.object.PinnedException if a kernel uses it
   */
  public boolean retire(MemObject object) throws InterruptedException {
    lock.lock();
    try {
      if (!runner.giveUp(object)) {
        return false;
      }
      boolean done = false;
      try {
        act(policy.released(object, view), null);
        done = true;
        return true;
      } finally {
        if (!done) {
          runner.takeBack(object);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a step of training, and lets the policy carry out actions at a time when no kernel waits.
   */
  public void endOfStep() throws InterruptedException {
    lock.lock();
    try {
      long start = memory.clock().nanos();
      act(policy.endOfStep(view), null);
      meter.endOfStep();
      uses.end();
      meter.stalled(memory.clock().nanos() - start);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the counts of kernels, uses and actions so far. */
  public PlacementStats stats() {
    lock.lock();
    try {
      return meter.stats(memory);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns how long a training step would take with more or less fast memory, for the sizes that
   * are known; empty if none is. Does not wait: the other sizes are rehearsed in the background.
   */
  public Optional<StepCosts> stepCosts() {
    lock.lock();
    try {
      return policy.stepCosts(view);
    } finally {
      lock.unlock();
    }
  }

  /** Returns how the policy uses plans; empty if it plans no steps. */
  public Optional<PlanUse> planUse() {
    lock.lock();
    try {
      return policy.planUse();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for background copies and closes the memory.
   *
   * @throws DeviceFailureException if a copy hangs, which may still change bytes of the devices
   */
  @Override
  public void close() throws InterruptedException {
    lock.lock();
    try (memory) {
      copies.finishAll();
      if (copies.size() > 0) {
        throw new DeviceFailureException(
            "%d background copies did not end in time".formatted(copies.size()), null);
      }
    } finally {
      lock.unlock();
    }
  }
}
