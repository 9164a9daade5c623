package io.idlalayer.modelcontroller.training.placed;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a placed network has of its network's, and giving it back whatever happens. */
final class Borrowed {
  private final Tensors tensors;
  private final List<Unit> units;
  private boolean open = true;

  /** Something that a pending interrupt must not keep from being done. */
  @FunctionalInterface
  interface Duty {
    void run() throws InterruptedException;
  }

  Borrowed(Tensors tensors, List<Unit> units) {
    this.tensors = tensors;
    this.units = units;
  }

  void checkOpen() {
    if (!open) {
      throw new IllegalStateException("the network has been given back");
    }
  }

  /** Takes all layers' parameters into tensors, or none. */
  void take() throws InterruptedException {
    boolean done = false;
    try {
      for (Unit unit : units) {
        if (unit.own != null) {
          unit.own.take(tensors);
        }
      }
      done = true;
    } finally {
      if (!done) {
        open = false;
        units.forEach(Borrowed::rest);
        anyway(() -> retire(tensors.live()));
      }
    }
  }

  private static void rest(Unit unit) {
    if (unit.own != null) {
      unit.own.rest();
    }
  }

  /** Gives up what a step has left, after a failure. */
  void endStep() {
    units.forEach(Unit::release);
    List<Tensor> left = tensors.live().stream().filter(Tensor::ofStep).toList();
    if (!left.isEmpty()) {
      anyway(() -> retire(left));
    }
  }

  private void retire(List<Tensor> all) throws InterruptedException {
    for (Tensor tensor : all) {
      tensors.retire(tensor);
    }
  }

  /** Gives all layers' tensors back; one that fails does not keep the others from it. */
  void close() {
    if (!open) {
      return;
    }
    open = false;
    RuntimeException failure = null;
    for (Unit unit : units) {
      LayerTensors own = unit.own;
      if (own == null) {
        continue;
      }
      try {
        anyway(() -> own.give(tensors));
      } catch (RuntimeException e) {
        own.rest();
        failure = first(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  static RuntimeException first(@Nullable RuntimeException before, RuntimeException now) {
    if (before == null) {
      return now;
    }
    before.addSuppressed(now);
    return before;
  }

  /** Does something again until no interrupt ends it; the last one stays pending. */
  static void anyway(Duty duty) {
    boolean interrupted = Thread.interrupted();
    boolean done = false;
    while (!done) {
      try {
        duty.run();
        done = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
