package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kernel between its start and its end, during which its arguments stay where they are. {@link
 * #finish} ends a kernel that succeeded; a kernel that is closed without this has failed, and the
 * policy learns nothing from it. One thread.
 */
public final class RunningKernel implements AutoCloseable {
  private final PlacedMemory memory;
  private final KernelEvent event;
  private final boolean inPieces;
  private final MemoryClock clock;
  private final KernelTurns.Turn turn;

  /** Objects that are on the fast device only while this kernel uses them. */
  private final Set<MemObject> staged = new LinkedHashSet<>();

  private @Nullable KernelArguments arguments;
  private long startNanos;
  private long startWall;
  private long stalledNanos;
  private long stalledWall;
  private boolean open;
  private boolean finished;
  private boolean streams;
  private Set<MemObject> inPlace = Set.of();
  private long nanos;

  /**
   * Times that a kernel measured while it ran.
   *
   * @param wallNanos computing time on this machine
   * @param startNanos start of the kernel by the memory's clock, plus the time of its allocations
   */
  record Times(long wallNanos, long startNanos) {}

  /**
   * Times of a kernel by the memory's clock, without its allocations.
   *
   * @param nanos duration with the kernel's waits for copies
   * @param computedNanos duration without these waits
   * @param streamed whether its slow arguments passed through buffers
   */
  record Ended(long nanos, long computedNanos, boolean streamed) {}

  /**
   * @param inPieces whether its caller runs it piece by piece
   * @param turn which the kernel closes at its end
   */
  RunningKernel(
      PlacedMemory memory,
      KernelEvent event,
      boolean inPieces,
      MemoryClock clock,
      KernelTurns.Turn turn) {
    this.memory = memory;
    this.event = event;
    this.inPieces = inPieces;
    this.clock = clock;
    this.turn = turn;
  }

  /**
   * Sets how the kernel uses its slow arguments, as the policy decided.
   *
   * @param stream decision that they pass through buffers; null if they do not
   * @param late arguments that it reads where they are while they are being copied
   */
  void using(Action.@Nullable Stream stream, Set<MemObject> late) {
    streams = stream != null;
    inPlace = late;
  }

  /** Returns the arguments that the kernel reads on the slow device while they are being copied. */
  Set<MemObject> inPlace() {
    return inPlace;
  }

  boolean streams() {
    return streams;
  }

  boolean inPieces() {
    return inPieces;
  }

  /** Returns the objects that leave the fast device after this kernel; the engine adds to them. */
  Set<MemObject> staged() {
    return staged;
  }

  KernelEvent event() {
    return event;
  }

  void begin(KernelArguments leased) {
    arguments = leased;
    open = true;
    startNanos = clock.nanos();
    startWall = System.nanoTime();
  }

  /** Returns the leased arguments of the kernel, through which it can create further ones. */
  public KernelArguments arguments() {
    if (arguments == null) {
      throw new IllegalStateException("kernel " + event.name() + " has no arguments yet");
    }
    return arguments;
  }

  WriteLease make(AllocationRequest request) throws InterruptedException {
    long before = clock.nanos();
    long wall = System.nanoTime();
    try {
      return memory.createInKernel(request, this);
    } finally {
      // Copies that make room do not count as computing.
      stalledNanos += clock.nanos() - before;
      stalledWall += System.nanoTime() - wall;
    }
  }

  /**
   * Ends the kernel successfully: closes the leases of its arguments and tells the policy.
   *
   * @throws IllegalStateException if it has ended
   */
  public void finish() throws InterruptedException {
    if (!open) {
      throw new IllegalStateException("kernel " + event.name() + " has ended before");
    }
    KernelArguments leased = arguments();
    List<MemObject> created = leased.created();
    long wall = System.nanoTime() - startWall - stalledWall;
    try (leased) {
      Times times = new Times(wall, startNanos + stalledNanos);
      nanos = memory.finished(event.with(created), created, inPlace, times);
      open = false;
    }
    end(created, leaving(created), new Ended(nanos, nanos, false));
  }

  private void end(List<MemObject> created, List<MemObject> leaving, Ended times)
      throws InterruptedException {
    finished = true;
    try (turn) {
      memory.ended(event, created, leaving, times);
    }
  }

  /** Returns the staged objects without buffers, which their owner retires. */
  private List<MemObject> leaving(List<MemObject> created) {
    return staged.stream()
        .filter(object -> created.contains(object) || event.arguments().contains(object))
        .toList();
  }

  /**
   * Finishes a kernel whose pieces have recorded their times at the clock; otherwise like {@link
   * #finish}.
   *
   * @param computedNanos time of all pieces together
   */
  void finishPieces(long computedNanos) throws InterruptedException {
    KernelArguments leased = arguments();
    try (leased) {
      nanos = clock.nanos() - startNanos - stalledNanos;
      open = false;
    }
    end(List.of(), List.of(), new Ended(nanos, computedNanos, true));
  }

  /**
   * Returns the nanoseconds of the finished kernel by the memory's clock, without its allocations.
   */
  public long nanos() {
    return nanos;
  }

  /** Closes the leases of the arguments, if {@link #finish} has not done so. */
  @Override
  public void close() {
    try (turn) {
      if (open) {
        open = false;
        arguments().close();
      }
      if (!finished) {
        finished = true;
        memory.failed(event);
      }
    }
  }
}
