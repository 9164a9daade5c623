package io.idlalayer.modelloader.nd4j;

import io.idlalayer.modelloader.natives.LoaderRelease;
import io.idlalayer.modelloader.natives.NativeLibraries;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.nd4j.linalg.api.memory.Deallocatable;
import org.nd4j.linalg.api.memory.deallocation.DeallocatableReference;
import org.nd4j.linalg.api.memory.deallocation.DeallocatorService;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the native memory of ND4J's arrays only when no thread can still read it.
 *
 * <p>ND4J 1.0.0-M2.1 frees a buffer as soon as its Java object is unreachable. Its operations pass
 * addresses to native code and refer to some of the objects no more: the array with the dimensions
 * of a broadcast, for one, is reachable from the operation only, and nothing uses the operation
 * after the call. A garbage collection in the middle of the call then frees what the call reads,
 * and the process dies of a segmentation fault; the busier the machine, the sooner.
 *
 * <p>Here what was collected waits until each thread that was computing at that time has come to
 * the end of an operation: between two operations, what a thread will use is reachable. Threads say
 * so by {@link #begin} and {@link #end}. What is computed outside of sections is protected by
 * {@link #GRACE_NANOS} only. This is reclamation by quiescent states (McKenney 1998).
 *
 * <p>Safe for several threads.
 */
public final class NativeMemory {
  /**
   * Least time in nanoseconds from the collection of a buffer's object until the buffer is freed.
   */
  static final long GRACE_NANOS = 100_000_000L;

  /**
   * Longest wait in nanoseconds for a section that makes no progress. Without it, a training that
   * hangs in native code would keep the garbage of all others for ever.
   */
  static final long PATIENCE_NANOS = 600_000_000_000L;

  private static final long LOOK_NANOS = 2_000_000L;
  private static final int MOST_AT_ONCE = 100_000;
  private static final Logger LOG = LoggerFactory.getLogger(NativeMemory.class);

  private static final AtomicLong EPOCH = new AtomicLong(1);
  private static final Set<Section> OPEN = ConcurrentHashMap.newKeySet();
  private static final ThreadLocal<Section> OWN = ThreadLocal.withInitial(Section::new);

  /** Whether the class loader is released, so that the thread that frees memory ends. */
  private static final AtomicBoolean RELEASED = new AtomicBoolean();

  static {
    NativeLibraries.ensure();
    Dl4jRuntime.useOwnClassLoader();
    replaceQueues(Nd4j.getDeallocatorService());
  }

  private NativeMemory() {}

  /**
   * Takes over to free the memory of arrays that are made from now on. A class that makes arrays
   * calls this first; {@link #begin} does it too.
   */
  public static void takeOver() {
    // The class does it when it is initialized.
  }

  /**
   * A section in which a thread computes; written by that thread, read by the thread that frees
   * memory.
   */
  private static final class Section {
    private volatile long epoch;
    private volatile long stepNanos;
    private int depth;

    private void step() {
      stepNanos = System.nanoTime();
      epoch = EPOCH.get();
    }
  }

  /**
   * Begins a section in which this thread computes, up to {@link #end}. Sections may be nested: a
   * nested section also means that the operation before it has ended, so one section for each
   * mini-batch lets memory be freed soon.
   */
  public static void begin() {
    Section section = OWN.get();
    section.step();
    section.depth++;
    if (section.depth == 1) {
      OPEN.add(section);
    }
  }

  /** Ends the section that the last {@link #begin} of this thread began. */
  public static void end() {
    Section section = OWN.get();
    section.step();
    section.depth--;
    if (section.depth == 0) {
      OPEN.remove(section);
    }
  }

  /**
   * Makes ND4J pass the buffers of collected objects to this class from now on, by reflection,
   * because its service has no method for it.
   *
   * @throws IllegalStateException if this is another ND4J than the one that is known
   */
  @SuppressWarnings("unchecked")
  private static void replaceQueues(DeallocatorService service) {
    ReferenceQueue<Deallocatable> queue = new ReferenceQueue<>();
    Map<String, DeallocatableReference> references;
    try {
      references = (Map<String, DeallocatableReference>) field(service, "referenceMap");
      for (List<ReferenceQueue<Deallocatable>> device :
          (List<List<ReferenceQueue<Deallocatable>>>) field(service, "deviceMap")) {
        device.replaceAll(theirs -> queue);
      }
    } catch (ReflectiveOperationException | ClassCastException other) {
      throw new IllegalStateException(
          "this is not the ND4J that iDlaLayer was built with (1.0.0-M2.1): its deallocator has"
              + " other fields; a later release may free memory that is in use",
          other);
    }
    Thread thread = new Thread(() -> free(queue, references), "nd4j-memory");
    thread.setDaemon(true);
    thread.setContextClassLoader(NativeMemory.class.getClassLoader());
    thread.start();
    LoaderRelease.add(() -> release(thread, references));
  }

  /**
   * Ends the thread and frees what is not freed yet, because nothing of this class loader is used
   * any more. If a training hangs in native code, its memory stays.
   */
  private static void release(Thread thread, Map<String, DeallocatableReference> references) {
    RELEASED.set(true);
    thread.interrupt();
    LoaderRelease.awaitEnd(thread);
    if (thread.isAlive() || computes(EPOCH.incrementAndGet())) {
      LOG.warn("arrays of a job that has ended are not freed, because its training goes on");
      return;
    }
    references.values().forEach(NativeMemory::free);
    references.clear();
  }

  private static Object field(DeallocatorService service, String name)
      throws ReflectiveOperationException {
    Field field = DeallocatorService.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(service);
  }

  private static void free(
      ReferenceQueue<Deallocatable> queue, Map<String, DeallocatableReference> references) {
    List<DeallocatableReference> collected = new ArrayList<>();
    try {
      while (true) {
        collected.add((DeallocatableReference) queue.remove());
        for (var next = queue.poll(); next != null; next = queue.poll()) {
          collected.add((DeallocatableReference) next);
          if (collected.size() >= MOST_AT_ONCE) {
            break;
          }
        }
        awaitQuiescence();
        collected.forEach(NativeMemory::free);
        forget(collected, references);
        collected.clear();
      }
    } catch (InterruptedException | RuntimeException | Error ended) {
      if (RELEASED.get() && ended instanceof InterruptedException) {
        return;
      }
      // Without this thread memory is no longer freed; the process goes on until there is none.
      LOG.error("arrays outside the heap are no longer freed; restart the process", ended);
    }
  }

  private static void free(DeallocatableReference reference) {
    try {
      reference.getDeallocator().deallocate();
    } catch (RuntimeException refused) {
      LOG.error("array {} outside the heap could not be freed", reference.getId(), refused);
    }
  }

  /**
   * Removes the freed buffers from ND4J's table. A workspace gives itself another id at each
   * question, so it lies there under one that it does not know, and ND4J would keep its entry for
   * ever.
   */
  private static void forget(
      List<DeallocatableReference> freed, Map<String, DeallocatableReference> references) {
    Set<DeallocatableReference> elsewhere = Collections.newSetFromMap(new IdentityHashMap<>());
    for (DeallocatableReference reference : freed) {
      if (references.remove(reference.getId()) == null) {
        elsewhere.add(reference);
      }
    }
    if (!elsewhere.isEmpty()) {
      references.values().removeIf(elsewhere::contains);
    }
  }

  private static void awaitQuiescence() throws InterruptedException {
    long begin = System.nanoTime();
    long epoch = EPOCH.incrementAndGet();
    while (System.nanoTime() - begin < GRACE_NANOS || computes(epoch)) {
      LockSupport.parkNanos(LOOK_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** Returns whether any thread may still be in an operation that it began before an epoch. */
  private static boolean computes(long epoch) {
    for (Section section : OPEN) {
      if (section.epoch < epoch && System.nanoTime() - section.stepNanos < PATIENCE_NANOS) {
        return true;
      }
    }
    return false;
  }
}
