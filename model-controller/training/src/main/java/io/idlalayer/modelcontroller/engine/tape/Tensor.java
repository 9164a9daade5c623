package io.idlalayer.modelcontroller.engine.tape;

import org.jspecify.annotations.Nullable;

/** A named array of floats that kernels read and write. Its place can change between runs. */
public final class Tensor {
  /** The role of a tensor in a network. */
  public enum Kind {
    PARAMETERS,
    UPDATER_STATE,
    GRADIENTS,
    /** Features or labels, which the caller of the tape writes before the tape runs. */
    INPUT,
    ACTIVATIONS,
    /** Gradients of the loss with respect to activations. */
    ERRORS,
    /** Memory that one kernel needs while it runs, or from its forward to its backward pass. */
    WORKSPACE;

    /** Returns whether the contents of the tensor outlive a run of the tape. */
    public boolean lasts() {
      return this == PARAMETERS || this == UPDATER_STATE;
    }
  }

  private final String name;
  private final Kind kind;
  private final int length;
  private @Nullable Floats floats;

  public Tensor(String name, Kind kind, int length) {
    this.name = name;
    this.kind = kind;
    this.length = length;
  }

  public String name() {
    return name;
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the number of floats of the tensor. */
  public int length() {
    return length;
  }

  public long bytes() {
    return (long) length * Float.BYTES;
  }

  /** Sets the place of the tensor's numbers from now on. */
  public void place(Floats where) {
    if (where.length() != length) {
      throw new IllegalArgumentException(
          "%s has %d floats, its place %d".formatted(name, length, where.length()));
    }
    floats = where;
  }

  /**
   * Returns the floats of the tensor at its present place.
   *
   * @throws IllegalStateException if the tensor has no place yet
   */
  public Floats floats() {
    Floats here = floats;
    if (here == null) {
      throw new IllegalStateException("tensor " + name + " has no place");
    }
    return here;
  }

  @Override
  public String toString() {
    return "%s (%s, %d floats)".formatted(name, kind, length);
  }
}
