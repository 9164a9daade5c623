package io.idlalayer.middleware.placement.api;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A step of training as planners see it: kernels in the order of execution and the tensors between
 * them. Steps repeat: tensors that no kernel creates exist before the first kernel and after the
 * last one.
 *
 * <p>Lifetimes may be left out. An intermediate tensor or an input that no kernel creates is then
 * created by the first kernel that uses it, and a tensor that is created and never retired is
 * retired after its last use.
 */
public record TaskGraph(List<Kernel> kernels, List<Tensor> tensors) {
  /** Kinds of tensors. */
  public enum TensorKind {
    /** Created and retired within a step. */
    INTERMEDIATE,
    /** A weight, kept over steps. */
    PARAMETER,
    /** Comes from outside of the step. */
    INPUT,
    /** A gradient or the state of an updater. */
    GRADIENT
  }

  /**
   * Time of a kernel with some of its tensors on the slow device.
   *
   * @param slow indexes of tensors, ascending
   * @param nanos measured
   */
  public record PlacementNanos(List<Integer> slow, long nanos) {
    public PlacementNanos {
      slow = slow.stream().sorted().distinct().toList();
      if (nanos < 0) {
        throw new IllegalArgumentException("a kernel takes %d ns".formatted(nanos));
      }
    }
  }

  /**
   * Tensors that are created and retired around a kernel, by their indexes.
   *
   * @param creates tensors that are created for it; it is the first to use them
   * @param softEvicts tensors that are not used for a while after it
   * @param retires tensors that are not used any more after it
   */
  public record Lifetimes(List<Integer> creates, List<Integer> softEvicts, List<Integer> retires) {
    /** No tensor is created or retired. */
    public static final Lifetimes NONE = new Lifetimes(List.of(), List.of(), List.of());

    public Lifetimes {
      creates = List.copyOf(creates);
      softEvicts = List.copyOf(softEvicts);
      retires = List.copyOf(retires);
    }
  }

  /**
   * The part of a step that a kernel belongs to.
   *
   * @param layer from 0; {@link KernelSite#NO_LAYER} if it belongs to none
   */
  public record Part(KernelSite.Phase phase, int layer) {}

  /**
   * An operation of the graph.
   *
   * @param reads indexes of the tensors that it reads; a tensor in both lists is changed in place
   * @param writes indexes of the tensors that it writes
   * @param fastNanos time with every tensor on the fast device; 0 if unknown
   * @param placements measured times with other placements
   * @param division how it can be cut into pieces, with its arguments in the order of reads, then
   *     writes; null if it cannot
   * @param part the part of the step that it belongs to; null if unknown
   */
  public record Kernel(
      String name,
      List<Integer> reads,
      List<Integer> writes,
      Lifetimes lifetimes,
      long fastNanos,
      List<PlacementNanos> placements,
      @Nullable Division division,
      @Nullable Part part) {
    public Kernel {
      reads = List.copyOf(reads);
      writes = List.copyOf(writes);
      placements = List.copyOf(placements);
      if (fastNanos < 0) {
        throw new IllegalArgumentException("kernel %s takes %d ns".formatted(name, fastNanos));
      }
    }

    /** Creates a kernel of no known part. */
    public Kernel(
        String name,
        List<Integer> reads,
        List<Integer> writes,
        Lifetimes lifetimes,
        long fastNanos,
        List<PlacementNanos> placements,
        @Nullable Division division) {
      this(name, reads, writes, lifetimes, fastNanos, placements, division, null);
    }

    /** Creates a kernel whose lifetimes the graph works out. */
    public Kernel(String name, List<Integer> reads, List<Integer> writes, long fastNanos) {
      this(name, reads, writes, Lifetimes.NONE, fastNanos, List.of(), null);
    }

    /** This kernel, in a part of the step. */
    public Kernel of(KernelSite.Phase phase, int layer) {
      return new Kernel(
          name, reads, writes, lifetimes, fastNanos, placements, division, new Part(phase, layer));
    }

    /** Returns whether it can process its arguments piece by piece. */
    public boolean divisible() {
      return division != null;
    }

    /** Indexes of the tensors that it reads, then of those that it only writes. */
    public List<Integer> arguments() {
      Set<Integer> all = new LinkedHashSet<>(reads);
      all.addAll(writes);
      return List.copyOf(all);
    }

    /** Returns whether it reads or writes a tensor. */
    public boolean uses(int tensor) {
      return reads.contains(tensor) || writes.contains(tensor);
    }

    /** This kernel, with higher indexes from one index on. */
    private Kernel renumbered(int from, int by) {
      return new Kernel(
          name,
          renumbered(reads, from, by),
          renumbered(writes, from, by),
          new Lifetimes(
              renumbered(lifetimes.creates(), from, by),
              renumbered(lifetimes.softEvicts(), from, by),
              renumbered(lifetimes.retires(), from, by)),
          fastNanos,
          List.of(),
          division,
          part);
    }

    private static List<Integer> renumbered(List<Integer> tensors, int from, int by) {
      return tensors.stream().map(tensor -> tensor < from ? tensor : tensor + by).toList();
    }

    Kernel with(Lifetimes changed) {
      return new Kernel(name, reads, writes, changed, fastNanos, placements, division, part);
    }
  }

  /**
   * A tensor, which kernels read and write.
   *
   * @param bytes above 0
   * @param mutable whether a kernel changes it in place
   */
  public record Tensor(String name, long bytes, TensorKind kind, boolean mutable) {
    public Tensor {
      if (bytes <= 0) {
        throw new IllegalArgumentException("tensor %s has %d bytes".formatted(name, bytes));
      }
    }
  }

  /**
   * @throws IllegalArgumentException if a kernel names a tensor that does not exist or is not
   *     alive, or reads an intermediate one before a kernel wrote it
   */
  public TaskGraph {
    tensors = List.copyOf(tensors);
    kernels = TensorLifetimes.complete(kernels, tensors);
  }

  /**
   * Joins two steps, one after the other.
   *
   * @param shared how many tensors at the beginning of both lists are the same
   */
  public TaskGraph then(TaskGraph next, int shared) {
    List<Tensor> all = new ArrayList<>(tensors);
    for (Tensor own : next.tensors().subList(shared, next.tensors().size())) {
      all.add(new Tensor("then " + own.name(), own.bytes(), own.kind(), own.mutable()));
    }
    int further = tensors.size() - shared;
    List<Kernel> both = new ArrayList<>(kernels);
    next.kernels().forEach(kernel -> both.add(kernel.renumbered(shared, further)));
    return new TaskGraph(both, all);
  }

  /** Index of the kernel that creates a tensor; -1 if it is kept over steps. */
  public int creator(int tensor) {
    return first(kernel -> kernel.lifetimes().creates().contains(tensor));
  }

  /** Index of the first kernel that writes a tensor; -1 if none does. */
  public int producer(int tensor) {
    return first(kernel -> kernel.writes().contains(tensor));
  }

  private int first(Predicate<Kernel> wanted) {
    return IntStream.range(0, kernels.size())
        .filter(i -> wanted.test(kernels.get(i)))
        .findFirst()
        .orElse(-1);
  }

  /** Indexes of the kernels that read or write a tensor, ascending. */
  public List<Integer> users(int tensor) {
    return IntStream.range(0, kernels.size())
        .filter(i -> kernels.get(i).uses(tensor))
        .boxed()
        .toList();
  }

  /** Index of the last kernel that reads or writes a tensor; -1 if none does. */
  public int lastUse(int tensor) {
    List<Integer> users = users(tensor);
    return users.isEmpty() ? -1 : users.get(users.size() - 1);
  }

  /** Bytes of the tensors that are alive while a kernel runs, its own included. */
  public long liveBytes(int kernel) {
    return TensorLifetimes.liveBytes(this)[kernel];
  }

  /** Bytes of the tensors that are alive while each kernel runs, its own included. */
  public long[] liveBytes() {
    return TensorLifetimes.liveBytes(this);
  }

  /** Most bytes that are alive at a time; those of the kept tensors if there is no kernel. */
  public long peakBytes() {
    long kept = TensorLifetimes.keptBytes(this);
    long most = kept;
    for (long live : TensorLifetimes.liveBytes(this)) {
      most = Math.max(most, live);
    }
    return most;
  }

  /** Bytes of the tensors that no kernel creates. */
  public long keptBytes() {
    return TensorLifetimes.keptBytes(this);
  }

  /** Bytes of a kernel's arguments. */
  public long argumentBytes(int kernel) {
    Kernel asked = kernels.get(kernel);
    return IntStream.range(0, tensors.size())
        .filter(asked::uses)
        .mapToLong(i -> tensors.get(i).bytes())
        .sum();
  }

  /** Most bytes of arguments that a kernel has; 0 without kernels. */
  public long largestKernelBytes() {
    return IntStream.range(0, kernels.size()).mapToLong(this::argumentBytes).max().orElse(0);
  }

  /** Nanoseconds of all kernels with everything on the fast device. */
  public long fastNanos() {
    return kernels.stream().mapToLong(Kernel::fastNanos).sum();
  }
}
