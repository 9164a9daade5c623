package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the tensor memory of a process among the trainers of an application: the memory has equal
 * parts, and their number is the number of trainings that can run at the same time. A training uses
 * one part alone. After the training the trainer keeps the part, with its networks in it, until
 * another trainer finds no free part. In this case the networks are dropped, and their next
 * training reads them again. If a learner has changed the number of fast bytes of a part, the part
 * gets its first number again when the learner's trainer is closed. So the fast bytes in use never
 * exceed those of all parts, however many trainers there are. A single trainer never reads its
 * networks again.
 *
 * <p>There is no deadlock: a training that has a part never waits for another part. Waiting
 * trainings get parts in the order of arrival, and the wait is bounded. The number of trainings
 * that run is at most the number of parts, so a training waits only if another training was given
 * up and has not ended. The part of the training that was given up is then written off: the part is
 * closed when that training ends, and a new part replaces it. Thread-safe.
 */
public final class TensorShares {
  /**
   * Largest number of trainings that were given up and have not ended. A subtask survives the same
   * number.
   */
  private static final int MOST_WRITTEN_OFF = 3;

  /**
   * Seconds after which a waiting training takes the place of another training. An interrupted
   * training needs less time to end.
   */
  private static final long WAIT_SECONDS = 60;

  private static final double NANOS_PER_SECOND = 1e9;

  private static final Logger LOG = LoggerFactory.getLogger(TensorShares.class);

  private final String application;
  private final TensorPlacement each;
  private final int most;
  private final long waitNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // The fields below are guarded by the lock.
  private final List<Part> parts = new ArrayList<>();
  private final List<Part> writtenOff = new ArrayList<>();
  private final Deque<Tenant> waiting = new ArrayDeque<>();
  private long beginnings;
  private long rests;
  private int users;

  /**
   * Creates shares in which a training that has waited for a minute causes another training to be
   * given up, and takes its place.
   *
   * @param application name of the application, for messages
   * @param most number of parts, at least 1
   * @param each creates the devices of one part
   */
  public TensorShares(String application, int most, TensorPlacement each) {
    this(application, most, each, TimeUnit.SECONDS.toNanos(WAIT_SECONDS));
  }

  /**
   * @param waitNanos longest time that a training waits for a part
   */
  TensorShares(String application, int most, TensorPlacement each, long waitNanos) {
    if (most < 1) {
      throw new IllegalArgumentException("%d parts; at least 1 is needed".formatted(most));
    }
    this.application = application;
    this.most = most;
    this.each = each;
    this.waitNanos = waitNanos;
  }

  /**
   * A part of the memory: its devices, and the trainer that holds it. The fields are guarded by the
   * lock. The devices are used only by the trainer that has the part.
   */
  private static final class Part {
    final TensorDevices devices;
    @Nullable Tenant tenant;
    boolean busy;

    /** Bytes of the fast device; 0 before it was opened. Changed by the tenant alone. */
    long fastBytes;

    /** Bytes of the fast device before anything is granted; 0 if they cannot be changed. */
    final long firstBytes;

    long begun;
    long rested;

    Part(TensorDevices devices) {
      this.devices = devices;
      firstBytes = devices.resizableBytes();
    }

    void opened(PlacedMemory memory) {
      TieredMemory tiers = memory.memory();
      fastBytes = tiers.use(tiers.first(DeviceKind.FAST)).budgetBytes();
    }

    /** Gives the part its first number of bytes again, for the next learner. No memory is open. */
    void toFirstBytes() {
      if (firstBytes > 0 && fastBytes > 0 && fastBytes != firstBytes) {
        fastBytes = devices.resizeFast(firstBytes) ? firstBytes : fastBytes;
      }
    }
  }

  /**
   * The access of one trainer to the shares. Only one thread at a time runs trainings of this
   * trainer.
   */
  public final class Tenant implements AutoCloseable {
    private final String name;
    private final @Nullable TensorGrant grant;
    private @Nullable Part part;
    private @Nullable PlacedMemory memory;

    /** Number of loans that had been taken when the memory was opened. */
    private long loans;

    private Tenant(String name, @Nullable TensorGrant grant) {
      this.name = name;
      this.grant = grant;
    }

    /**
     * Returns the grant of the trainer's learner; null if the number of fast bytes never changes.
     */
    @Nullable TensorGrant grant() {
      return grant;
    }

    /**
     * Begins a training: waits for a part of the memory and opens a memory in it. If this trainer
     * was granted another number of bytes, and no other trainer has networks in the part, the part
     * is resized first.
     *
     * @param dropNetworks closes the networks of this trainer's last training, whose bytes are
     *     given up
     * @return a memory that no other training uses until {@link #end}: the memory of this trainer's
     *     last training, if the networks of that training are still in the memory and no further
     *     loan was taken since then, because an open memory would hardly use a further loan;
     *     otherwise an empty memory
     * @throws NoPartException if no part becomes free and too many parts were written off
     * @throws io.idlalayer.middleware.memory.device.DeviceFailureException if the devices cannot be
     *     created
     */
    public PlacedMemory begin(Runnable dropNetworks) throws InterruptedException {
      Part taken;
      PlacedMemory left;
      long resized = 0;
      boolean again = false;
      lock.lock();
      try {
        Part own = part;
        PlacedMemory known = memory;
        if (own != null && known != null) {
          own.busy = true;
          own.begun = ++beginnings;
          resized = wantedBytesAgain(own);
          if (resized == 0 && taken(own.devices) == loans) {
            return known;
          }
          taken = own;
          left = known;
          again = true;
        } else {
          taken = take(this);
          left = move(taken, this);
          // Networks of another trainer still refer to the bytes of the part.
          resized = left == null ? wantedBytes(taken) : 0;
        }
      } finally {
        lock.unlock();
      }
      boolean opened = false;
      try {
        if (resized > 0 || again) {
          memory = null;
          try {
            dropNetworks.run();
          } finally {
            vacate(taken, left);
          }
        } else {
          vacate(taken, left);
        }
        loans = taken(taken.devices);
        PlacedMemory now = resized > 0 ? resized(taken, resized) : taken.devices.open();
        taken.opened(now);
        memory = now;
        opened = true;
        TensorGrant granted = grant;
        if (granted != null) {
          granted.held(taken.fastBytes, resized == 0 && left != null && !again);
        }
        return now;
      } finally {
        if (!opened) {
          giveBack(taken);
        }
      }
    }

    private static long taken(TensorDevices devices) {
      LentPlaces lent = devices.lent();
      return lent == null ? 0 : lent.totals().taken();
    }

    /** Returns the memory of other processes that the trainer's part uses; null if none. */
    @Nullable LentPlaces lent() {
      Part own;
      lock.lock();
      try {
        own = part;
      } finally {
        lock.unlock();
      }
      return own == null ? null : own.devices.lent();
    }

    /**
     * Returns the number of bytes to which the part of the last training must be resized; 0 if the
     * part has the right size, or if several trainers use the part in turns, because their learners
     * grant different numbers of bytes.
     */
    private long wantedBytesAgain(Part part) {
      TensorGrant granted = grant;
      if (granted == null) {
        return 0;
      }
      granted.heldAgain();
      return granted.inTurns() ? 0 : wantedBytes(part);
    }

    /**
     * Returns the number of bytes to which the part must be resized; 0 if the part has the right
     * size.
     */
    private long wantedBytes(Part part) {
      TensorGrant granted = grant;
      if (granted == null) {
        return 0;
      }
      long wanted = granted.wantedBytes();
      return wanted == TensorGrant.rounded(part.fastBytes) ? 0 : wanted;
    }

    /**
     * Resizes a part and opens a memory in it. If resizing fails, the memory has the former size.
     */
    private PlacedMemory resized(Part part, long bytes) {
      TensorGrant granted = Objects.requireNonNull(grant);
      long formerBytes = part.fastBytes;
      long start = System.nanoTime();
      if (!part.devices.resizeFast(bytes)) {
        granted.refused(bytes, "the devices have a fixed size");
        return part.devices.open();
      }
      try {
        PlacedMemory opened = part.devices.open();
        granted.changed((System.nanoTime() - start) / NANOS_PER_SECOND);
        return opened;
      } catch (DeviceFailureException refused) {
        // A part that was never opened has its first bytes.
        long keptBytes = formerBytes == 0 ? part.firstBytes : formerBytes;
        part.devices.resizeFast(keptBytes);
        if (refused.getCause() instanceof ClosedByInterruptException) {
          // An interrupt does not show that the number of bytes is impossible.
          throw refused;
        }
        LOG.warn(
            "the tensors of {} keep {} fast bytes, because they cannot have {}",
            name,
            keptBytes,
            bytes,
            refused);
        granted.refused(bytes, String.valueOf(refused.getMessage()));
        return part.devices.open();
      }
    }

    /**
     * Ends the training: other trainers can take the part from now on. A second call does nothing.
     */
    public void end() {
      lock.lock();
      try {
        if (part != null) {
          part.busy = false;
          part.rested = ++rests;
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Closes the tenant; called after its networks are closed. A second call does nothing. */
    @Override
    public void close() {
      Part own;
      PlacedMemory left;
      lock.lock();
      try {
        own = part;
        left = memory;
        memory = null;
        if (own == null) {
          return;
        }
        own.busy = true;
      } finally {
        lock.unlock();
      }
      try {
        vacate(own, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        giveBack(own);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Returns the access of a trainer to these shares.
   *
   * @param name for messages
   */
  public Tenant tenant(String name) {
    return tenant(name, null);
  }

  /**
   * Returns the access of a trainer to these shares.
   *
   * @param name for messages
   * @param grant the fast bytes that the trainer's learner grants to it; null if the number of
   *     bytes does not change
   */
  public Tenant tenant(String name, @Nullable TensorGrant grant) {
    return new Tenant(name, grant);
  }

  /**
   * Acquires the devices of a free part before the first training uses the part. Does nothing if no
   * part is free.
   *
   * @throws io.idlalayer.middleware.memory.device.DeviceFailureException if the devices cannot be
   *     created
   */
  public void prepare() throws InterruptedException {
    Part part;
    lock.lock();
    try {
      part = vacant();
      if (part == null) {
        return;
      }
      part.busy = true;
      part.begun = ++beginnings;
    } finally {
      lock.unlock();
    }
    try {
      PlacedMemory opened = part.devices.open();
      part.opened(opened);
      vacate(part, opened);
    } finally {
      giveBack(part);
    }
  }

  /** Returns the number of trainings that wait for a part. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a user of these shares, which later calls {@link #leave} after its trainers are closed.
   */
  public void enter() {
    lock.lock();
    try {
      users++;
    } finally {
      lock.unlock();
    }
  }

  /** Removes a user. With the last user, the slow devices of free parts are closed. */
  public void leave() {
    List<Part> idle = new ArrayList<>();
    lock.lock();
    try {
      users--;
      if (users == 0) {
        // A part that is being prepared also has no tenant. It is closed when the preparation ends.
        parts.stream().filter(part -> part.tenant == null && !part.busy).forEach(idle::add);
        idle.forEach(part -> part.busy = true);
      }
    } finally {
      lock.unlock();
    }
    idle.forEach(this::giveBack);
  }

  /** Waits for a part of the memory and returns it, marked as busy. The caller holds the lock. */
  private Part take(Tenant tenant) throws InterruptedException {
    waiting.add(tenant);
    try {
      long leftNanos = waitNanos;
      while (true) {
        Part free = waiting.element().equals(tenant) ? free() : null;
        if (free != null) {
          free.busy = true;
          free.begun = ++beginnings;
          return free;
        }
        if (leftNanos <= 0) {
          writeOff(tenant);
          leftNanos = waitNanos;
        } else {
          leftNanos = changed.awaitNanos(leftNanos);
        }
      }
    } finally {
      waiting.remove(tenant);
      changed.signalAll();
    }
  }

  /** Writes off the part of the training that has run longest. The caller holds the lock. */
  private void writeOff(Tenant waiter) {
    String users =
        parts.stream().map(part -> String.valueOf(part.tenant)).collect(Collectors.joining(", "));
    long waitedMillis = TimeUnit.NANOSECONDS.toMillis(waitNanos);
    if (writtenOff.size() >= MOST_WRITTEN_OFF) {
      throw new NoPartException(
          "none of the %d parts of the fast memory of %s became free for %s within %d ms; trainings of %s use these parts, and %d more trainings were given up and have not ended; restart the process, and raise training.time-limit if the trainings only need longer"
              .formatted(most, application, waiter, waitedMillis, users, writtenOff.size()));
    }
    Part stuck = parts.stream().min(Comparator.comparingLong(part -> part.begun)).orElseThrow();
    LOG.warn(
        "A training of {} has not ended {} ms after {} began to wait for its part of the fast"
            + " memory of {}, so it was given up; until it ends, the process has one part more than"
            + " memory.tensors.fast-bytes",
        stuck.tenant,
        waitedMillis,
        waiter,
        application);
    parts.remove(stuck);
    writtenOff.add(stuck);
  }

  /**
   * Returns a free part; if there is none, a new part; if no new part is allowed, the part whose
   * tenant has not trained for the longest time. The caller holds the lock.
   */
  private @Nullable Part free() {
    Part vacant = vacant();
    return vacant != null
        ? vacant
        : parts.stream()
            .filter(part -> !part.busy)
            .min(Comparator.comparingLong(part -> part.rested))
            .orElse(null);
  }

  /**
   * Returns a free part; if there is none, a new part; null if no new part is allowed. The caller
   * holds the lock.
   */
  private @Nullable Part vacant() {
    for (Part part : parts) {
      if (!part.busy && part.tenant == null) {
        return part;
      }
    }
    if (parts.size() >= most) {
      return null;
    }
    Part made = new Part(each.devices());
    parts.add(made);
    return made;
  }

  /**
   * Moves a part to another tenant; returns the memory of the previous tenant, which the successor
   * closes. The caller holds the lock.
   */
  private static @Nullable PlacedMemory move(Part part, Tenant successor) {
    PlacedMemory left = null;
    Tenant before = part.tenant;
    if (before != null) {
      left = before.memory;
      before.memory = null;
      before.part = null;
    }
    part.tenant = successor;
    successor.part = part;
    return left;
  }

  /**
   * Closes the memory that the previous tenant left in a part. Discards the part if copies are
   * possibly still running in it.
   */
  private void vacate(Part part, @Nullable PlacedMemory left) throws InterruptedException {
    if (left == null) {
      return;
    }
    boolean still = false;
    try {
      left.close();
      // An interrupted thread does not wait for the copying threads.
      if (Thread.interrupted()) {
        throw new InterruptedException("while a memory for tensors was closed");
      }
      still = true;
    } finally {
      if (!still) {
        discard(part);
      }
    }
  }

  /**
   * Discards a part whose memory was not closed completely. A copy is possibly still running on its
   * devices, so no other training must use them.
   */
  private void discard(Part part) {
    LOG.warn(
        "A part of the fast memory of {} was not closed completely; it is discarded, and a new one"
            + " replaces it",
        application);
    part.devices.close();
    lock.lock();
    try {
      parts.remove(part);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether no copy runs in a part whose memory is closed. */
  private boolean whole(Part part) {
    lock.lock();
    try {
      return parts.contains(part);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the use of a part, so that other trainers can take the part. The part gets its first
   * number of bytes again. Its slow device is closed if the shares have no user any more, or if the
   * part was written off.
   */
  private void giveBack(Part part) {
    if (whole(part)) {
      part.toFirstBytes();
    }
    boolean ends;
    lock.lock();
    try {
      Tenant before = part.tenant;
      if (before != null) {
        before.part = null;
      }
      part.tenant = null;
      ends = users == 0 || !parts.contains(part);
      part.busy = ends;
      writtenOff.remove(part);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (ends) {
      part.devices.close();
      lock.lock();
      try {
        part.busy = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
