package io.idlalayer.middleware.placement.api;

import java.util.List;

/**
 * The kernels of a step that run a second time, so that tensors need not be kept or moved from one
 * use to a later one: such a tensor is dropped after the earlier use, without a copy, and computed
 * again before the later one. Immutable.
 *
 * <p>Source: rematerialization as in Checkmate (Jain 2020) and POET (Patil 2022).
 *
 * @param reruns in the order of the kernels that they precede
 */
public record Recomputation(List<Rerun> reruns) {
  /** Every kernel runs once. */
  public static final Recomputation NONE = new Recomputation(List.of());

  /**
   * Kernels that run again, directly before a kernel of the step. The tensors that they create
   * replace those of their first run.
   *
   * @param kernels indexes in the step, ascending; all before {@code before}
   * @param before index in the step of the kernel that needs their results
   */
  public record Rerun(List<Integer> kernels, int before) {
    public Rerun {
      kernels = List.copyOf(kernels);
      if (kernels.isEmpty()) {
        throw new IllegalArgumentException("nothing is run again before kernel " + before);
      }
      int last = -1;
      for (int kernel : kernels) {
        if (kernel <= last || kernel >= before) {
          throw new IllegalArgumentException(
              "kernels %s are run again before kernel %d; they must ascend and be before it"
                  .formatted(kernels, before));
        }
        last = kernel;
      }
    }
  }

  public Recomputation {
    reruns = List.copyOf(reruns);
    for (int i = 1; i < reruns.size(); i++) {
      if (reruns.get(i).before() < reruns.get(i - 1).before()) {
        throw new IllegalArgumentException(
            "kernels run again before kernel %d, then before kernel %d; earlier ones come first"
                .formatted(reruns.get(i - 1).before(), reruns.get(i).before()));
      }
    }
  }

  /** Returns whether every kernel runs once. */
  public boolean isEmpty() {
    return reruns.isEmpty();
  }

  /** Returns how many runs of kernels are added to a step. */
  public int kernels() {
    return reruns.stream().mapToInt(rerun -> rerun.kernels().size()).sum();
  }

  /**
   * Returns the step in which these kernels run again.
   *
   * @throws IllegalArgumentException if one of them is not in the step or not {@linkplain
   *     TaskGraph.Kernel#repeatable repeatable}, or if a tensor would have other contents at a use
   *     than in the step without reruns
   */
  public RecomputedStep appliedTo(TaskGraph step) {
    return RecomputedStep.of(step, this);
  }
}
