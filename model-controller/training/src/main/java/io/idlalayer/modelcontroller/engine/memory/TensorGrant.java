package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.placement.api.StepCosts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fast bytes that a learner grants its trainer, and the trainer's answer. The trainer carries
 * out a grant before its next training. One thread grants, and another thread trains.
 */
public final class TensorGrant {
  /**
   * Number of trainings in a row after which a trainer counts as the only user of its part, because
   * no other trainer has needed the part.
   */
  static final int TRAININGS_ALONE = 10;

  private final long leastBytes;

  /**
   * Number of trainings since the trainer took its part from another trainer. Only the trainer
   * changes it.
   */
  private int trainingsAlone;

  private volatile long wantedBytes;
  private volatile long heldBytes;
  private volatile boolean inTurns;
  private volatile boolean costsAsked;
  private volatile @Nullable StepCosts costs;
  private volatile String refusal = "";
  private volatile double seconds;

  /**
   * @param leastBytes fewest bytes with which a training has space for its tensors
   */
  public TensorGrant(long leastBytes) {
    this.leastBytes = leastBytes;
  }

  /** Returns the least number of bytes that can be granted. */
  public long leastBytes() {
    return leastBytes;
  }

  /**
   * Returns a number of bytes, rounded to whole units of the fast device. Grants are rounded in
   * this way.
   */
  public static long rounded(long bytes) {
    return bytes & -DeviceSpec.DEFAULT_ALIGN_BYTES;
  }

  /**
   * Grants a number of bytes, {@link #rounded}, from the next training on.
   *
   * @param bytes at least a unit of the fast device
   */
  public synchronized void want(long bytes) {
    refusal = "";
    wantedBytes = rounded(bytes);
  }

  /** Returns the bytes that were granted last; 0 if the devices have the size of their settings. */
  long wantedBytes() {
    return wantedBytes;
  }

  /** Returns the bytes that the trainer has, {@link #rounded}; 0 before its first training. */
  public long heldBytes() {
    return heldBytes;
  }

  /**
   * Returns whether several trainers use the memory in turns, because there are more trainers than
   * trainings at a time. While they do, the size of the memory does not change. The state ends when
   * one trainer has had the memory for {@value #TRAININGS_ALONE} trainings in a row.
   */
  public boolean inTurns() {
    return inTurns;
  }

  /**
   * Returns, in words, why the trainer does not have the bytes that were granted last; "" if the
   * trainer has them or will get them.
   */
  public String refusal() {
    return refusal;
  }

  /** Returns the seconds that the last change of the bytes took; 0 before the first change. */
  public double seconds() {
    return seconds;
  }

  /** Asks the trainer for the costs of a step in other sizes, after its next training. */
  public void askCosts() {
    costsAsked = true;
  }

  /** Returns the costs of a step that the trainer reported last; empty if it has reported none. */
  public Optional<StepCosts> costs() {
    return Optional.ofNullable(costs);
  }

  /** Returns whether costs were asked for since the last call. */
  boolean takeCostsAsked() {
    boolean asked = costsAsked;
    costsAsked = false;
    return asked;
  }

  void costs(StepCosts said) {
    costs = said;
  }

  /**
   * Records that a training has a memory.
   *
   * @param byTurns whether the memory was taken from another trainer
   */
  void held(long bytes, boolean byTurns) {
    heldBytes = rounded(bytes);
    if (byTurns) {
      inTurns = true;
      trainingsAlone = 0;
    }
  }

  /** Records that a training has the memory of the trainer's previous training. */
  void heldAgain() {
    if (inTurns && ++trainingsAlone >= TRAININGS_ALONE) {
      inTurns = false;
    }
  }

  void changed(double tookSeconds) {
    seconds = tookSeconds;
  }

  /**
   * Records that a grant cannot be carried out. Does nothing if other bytes were granted in the
   * meantime.
   *
   * @param bytes number of bytes that {@link #wantedBytes} returned
   * @param why the reason, in words
   */
  synchronized void refused(long bytes, String why) {
    if (wantedBytes == bytes) {
      refusal = why;
      wantedBytes = 0;
    }
  }
}
