package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.ReadLease;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The leases of a kernel, which keep its arguments where they are while it runs. */
public final class KernelArguments implements AutoCloseable {
  private final Map<MemObject, ReadLease> reads = new HashMap<>();
  private final Map<MemObject, WriteLease> writes = new HashMap<>();

  private final List<MemObject> created = new ArrayList<>();
  private final Allocation allocation;
  private boolean open = true;

  /**
   * Allocates an object where the policy places it; the object does not move before it is leased.
   */
  @FunctionalInterface
  interface Allocation {
    WriteLease make(AllocationRequest request) throws InterruptedException;
  }

  private KernelArguments(Allocation allocation) {
    this.allocation = allocation;
  }

  /**
   * Takes a lease on each argument, in the order of the objects' ids, so that kernels never wait
   * for one another in a circle. A kernel that takes slow arguments through buffers needs no view
   * of them, so they are leased wherever they are.
   */
  static KernelArguments lease(
      TieredMemory memory, KernelEvent event, boolean throughBuffers, Allocation allocation)
      throws InterruptedException {
    Set<MemObject> written = new HashSet<>(event.writes());
    List<MemObject> ordered =
        event.arguments().stream().sorted(Comparator.comparingLong(MemObject::id)).toList();
    KernelArguments arguments = new KernelArguments(allocation);
    boolean done = false;
    try {
      for (MemObject object : ordered) {
        if (written.contains(object)) {
          arguments.writes.put(
              object, throughBuffers ? memory.writeAnywhere(object) : memory.write(object));
        } else {
          arguments.reads.put(
              object, throughBuffers ? memory.readAnywhere(object) : memory.read(object));
        }
      }
      done = true;
      return arguments;
    } finally {
      if (!done) {
        arguments.close();
      }
    }
  }

  /**
   * Allocates an object that the kernel writes, where the policy places it. It is an argument until
   * the kernel ends; then it belongs to the caller, even if the kernel fails.
   *
   * @throws io.idlalayer.middleware.memory.device.DeviceFullException if there is no room for it
   * @throws IllegalStateException after the kernel
   */
  public MemObject create(AllocationRequest request) throws InterruptedException {
    MemObject object = createBuffer(request);
    created.add(object);
    return object;
  }

  /**
   * Allocates an object for a copy of an argument, which does not count as written by the kernel;
   * otherwise like {@link #create}.
   */
  MemObject createBuffer(AllocationRequest request) throws InterruptedException {
    if (!open) {
      throw new IllegalStateException("the kernel has ended and creates no more objects");
    }
    WriteLease lease = allocation.make(request);
    MemObject object = lease.object();
    writes.put(object, lease);
    return object;
  }

  /** Returns whether the kernel may write an object. */
  boolean writes(MemObject object) {
    return writes.containsKey(object);
  }

  List<MemObject> created() {
    return created;
  }

  /**
   * Returns a view of an argument's bytes, in native order; read-only if the kernel does not write
   * the argument. Not to be used after the kernel.
   *
   * @throws IllegalArgumentException if it is not an argument of the kernel
   */
  public ByteBuffer bytes(MemObject object) {
    WriteLease write = writes.get(object);
    if (write != null) {
      return write.bytes();
    }
    return readLease(object).bytes();
  }

  /**
   * Returns the region that holds the bytes of an argument while the kernel runs. Equal regions
   * mean equal addresses.
   */
  public Region region(MemObject object) {
    WriteLease write = writes.get(object);
    return write != null ? write.region() : readLease(object).region();
  }

  private ReadLease readLease(MemObject object) {
    ReadLease read = reads.get(object);
    if (read == null) {
      throw new IllegalArgumentException(object + " is not an argument of this kernel");
    }
    return read;
  }

  @Override
  public void close() {
    open = false;
    writes.values().forEach(WriteLease::close);
    reads.values().forEach(ReadLease::close);
  }
}
