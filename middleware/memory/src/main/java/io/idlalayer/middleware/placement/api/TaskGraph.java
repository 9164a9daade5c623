package io.idlalayer.middleware.placement.api;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A training step as planners see it: kernels in the order of execution and the tensors that they
 * read and write. Steps repeat: tensors that no kernel creates exist before the first kernel and
 * after the last one.
 *
 * <p>Lifetimes may be left out. An intermediate tensor or an input that no kernel creates is then
 * created by the first kernel that uses it, and a tensor that is created and never retired is
 * retired after its last use.
 */
public record TaskGraph(List<Kernel> kernels, List<Tensor> tensors) {
  /** Kinds of tensors. */
  public enum TensorKind {
    /** A tensor that is created and retired within a step. */
    INTERMEDIATE,
    /** A weight, which lasts from step to step. */
    PARAMETER,
    /** A tensor that comes from outside of the step. */
    INPUT,
    /** A gradient or the state of an updater, such as momentum. */
    GRADIENT
  }

  /**
   * The measured time of a kernel with some of its tensors on the slow device.
   *
   * @param slow indexes of tensors, ascending
   * @param nanos measured
   */
  public record PlacementNanos(List<Integer> slow, long nanos) {
    public PlacementNanos {
      slow = slow.stream().sorted().distinct().toList();
      if (nanos < 0) {
        throw new IllegalArgumentException(
            "a kernel takes %d ns, which is negative".formatted(nanos));
      }
    }
  }

  /**
   * The tensors that are created for a kernel, and those that are retired or not used for a while
   * after it, by their indexes.
   *
   * @param creates tensors that are created for it; it is the first to use them
   * @param softEvicts tensors that are not used for a while after it
   * @param retires tensors that are not used any more after it
   */
  public record Lifetimes(List<Integer> creates, List<Integer> softEvicts, List<Integer> retires) {
    /** Lifetimes of a kernel before and after which no tensor is created or retired. */
    public static final Lifetimes NONE = new Lifetimes(List.of(), List.of(), List.of());

    public Lifetimes {
      creates = List.copyOf(creates);
      softEvicts = List.copyOf(softEvicts);
      retires = List.copyOf(retires);
    }
  }

  /**
   * The phase and layer of a step that a kernel belongs to.
   *
   * @param layer from 0; {@link KernelSite#NO_LAYER} if it belongs to none
   */
  public record Part(KernelSite.Phase phase, int layer) {}

  /**
   * A kernel of the graph: an operation that reads and writes tensors.
   *
   * @param reads indexes of the tensors that it reads; a tensor in both lists is changed in place
   * @param writes indexes of the tensors that it writes
   * @param fastNanos time with every tensor on the fast device; 0 if unknown
   * @param placements measured times with other placements
   * @param division how it can be cut into pieces, with its arguments in the order of reads, then
   *     writes; null if it cannot
   * @param part the part of the step that it belongs to; null if unknown
   * @param repeatable whether another run on arguments of equal contents writes equal contents, and
   *     changes nothing besides; see {@link Recomputation}
   */
  public record Kernel(
      String name,
      List<Integer> reads,
      List<Integer> writes,
      Lifetimes lifetimes,
      long fastNanos,
      List<PlacementNanos> placements,
      @Nullable Division division,
      @Nullable Part part,
      boolean repeatable) {
    public Kernel {
      reads = List.copyOf(reads);
      writes = List.copyOf(writes);
      placements = List.copyOf(placements);
      if (fastNanos < 0) {
        throw new IllegalArgumentException(
            "kernel %s takes %d ns, which is negative".formatted(name, fastNanos));
      }
    }

    /** Creates a kernel whose phase and layer are not known. */
    public Kernel(
        String name,
        List<Integer> reads,
        List<Integer> writes,
        Lifetimes lifetimes,
        long fastNanos,
        List<PlacementNanos> placements,
        @Nullable Division division) {
      this(name, reads, writes, lifetimes, fastNanos, placements, division, null, false);
    }

    /**
     * Creates a kernel without given lifetimes; the graph derives them from the first and last uses
     * of the tensors.
     */
    public Kernel(String name, List<Integer> reads, List<Integer> writes, long fastNanos) {
      this(name, reads, writes, Lifetimes.NONE, fastNanos, List.of(), null);
    }

    /** Returns this kernel with a phase and a layer of the step. */
    public Kernel of(KernelSite.Phase phase, int layer) {
      return new Kernel(
          name,
          reads,
          writes,
          lifetimes,
          fastNanos,
          placements,
          division,
          new Part(phase, layer),
          repeatable);
    }

    /** Returns this kernel, marked as one that can be run again or not. */
    public Kernel repeatable(boolean marked) {
      return new Kernel(
          name, reads, writes, lifetimes, fastNanos, placements, division, part, marked);
    }

    /** Returns whether this kernel can process its arguments piece by piece. */
    public boolean divisible() {
      return division != null;
    }

    /**
     * Returns the indexes of the tensors that this kernel reads, then of those that it only writes.
     */
    public List<Integer> arguments() {
      Set<Integer> all = new LinkedHashSet<>(reads);
      all.addAll(writes);
      return List.copyOf(all);
    }

    /** Returns whether this kernel reads or writes a tensor. */
    public boolean uses(int tensor) {
      return reads.contains(tensor) || writes.contains(tensor);
    }

    /** Returns this kernel with all tensor indexes from {@code from} on raised by {@code by}. */
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
          part,
          repeatable);
    }

    private static List<Integer> renumbered(List<Integer> tensors, int from, int by) {
      return tensors.stream().map(tensor -> tensor < from ? tensor : tensor + by).toList();
    }

    private Kernel timed(long nanos) {
      return new Kernel(
          name, reads, writes, lifetimes, nanos, placements, division, part, repeatable);
    }

    Kernel with(Lifetimes changed) {
      return new Kernel(
          name, reads, writes, changed, fastNanos, placements, division, part, repeatable);
    }
  }

  /**
   * A tensor of the graph, by its name, size and kind.
   *
   * @param bytes above 0
   * @param mutable whether a kernel changes it in place
   */
  public record Tensor(String name, long bytes, TensorKind kind, boolean mutable) {
    public Tensor {
      if (bytes <= 0) {
        throw new IllegalArgumentException(
            "tensor %s has %d bytes; at least 1 is needed".formatted(name, bytes));
      }
    }
  }

  /**
   * Creates and checks a graph.
   *
   * @throws IllegalArgumentException if a kernel names a tensor that does not exist or is not
   *     alive, or reads an intermediate one before a kernel wrote it
   */
  public TaskGraph {
    tensors = List.copyOf(tensors);
    kernels = TensorLifetimes.complete(kernels, tensors);
  }

  /**
   * Returns the graph of this step followed by another one, as one step.
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

  /**
   * Returns this graph with other times of its kernels.
   *
   * @param kernelNanos time of each kernel with every tensor on the fast device; 0 if unknown
   * @throws IllegalArgumentException if there are not as many times as kernels
   */
  public TaskGraph timed(long[] kernelNanos) {
    if (kernelNanos.length != kernels.size()) {
      throw new IllegalArgumentException(
          "%d times were given for %d kernels".formatted(kernelNanos.length, kernels.size()));
    }
    List<Kernel> timed = new ArrayList<>(kernels.size());
    for (int k = 0; k < kernelNanos.length; k++) {
      timed.add(kernels.get(k).timed(kernelNanos[k]));
    }
    return new TaskGraph(timed, tensors);
  }

  /**
   * Returns the index of the kernel that creates a tensor; -1 if the tensor lasts from step to
   * step.
   */
  public int creator(int tensor) {
    return first(kernel -> kernel.lifetimes().creates().contains(tensor));
  }

  /** Returns the index of the first kernel that writes a tensor; -1 if none does. */
  public int producer(int tensor) {
    return first(kernel -> kernel.writes().contains(tensor));
  }

  private int first(Predicate<Kernel> wanted) {
    return IntStream.range(0, kernels.size())
        .filter(i -> wanted.test(kernels.get(i)))
        .findFirst()
        .orElse(-1);
  }

  /** Returns the indexes of the kernels that read or write a tensor, ascending. */
  public List<Integer> users(int tensor) {
    return IntStream.range(0, kernels.size())
        .filter(i -> kernels.get(i).uses(tensor))
        .boxed()
        .toList();
  }

  /** Returns the index of the last kernel that reads or writes a tensor; -1 if none does. */
  public int lastUse(int tensor) {
    List<Integer> users = users(tensor);
    return users.isEmpty() ? -1 : users.get(users.size() - 1);
  }

  /** Returns the bytes of all tensors that are alive while a kernel runs, its own included. */
  public long liveBytes(int kernel) {
    return TensorLifetimes.liveBytes(this)[kernel];
  }

  /**
   * Returns, for each kernel, the bytes of all tensors that are alive while it runs, its own
   * included.
   */
  public long[] liveBytes() {
    return TensorLifetimes.liveBytes(this);
  }

  /**
   * Returns the largest number of bytes of tensors that are alive at one time; without kernels, the
   * bytes of the lasting tensors.
   */
  public long peakBytes() {
    long lasting = TensorLifetimes.lastingBytes(this);
    long most = lasting;
    for (long live : TensorLifetimes.liveBytes(this)) {
      most = Math.max(most, live);
    }
    return most;
  }

  /** Returns the bytes of the tensors that no kernel creates, which last from step to step. */
  public long lastingBytes() {
    return TensorLifetimes.lastingBytes(this);
  }

  /** Returns the bytes of a kernel's arguments. */
  public long argumentBytes(int kernel) {
    Kernel asked = kernels.get(kernel);
    return IntStream.range(0, tensors.size())
        .filter(asked::uses)
        .mapToLong(i -> tensors.get(i).bytes())
        .sum();
  }

  /**
   * Returns the greatest number of bytes that the arguments of one kernel have; 0 without kernels.
   */
  public long largestKernelBytes() {
    return IntStream.range(0, kernels.size()).mapToLong(this::argumentBytes).max().orElse(0);
  }

  /** Returns the sum of the kernels' times in nanoseconds with everything on the fast device. */
  public long fastNanos() {
    return kernels.stream().mapToLong(Kernel::fastNanos).sum();
  }
}
