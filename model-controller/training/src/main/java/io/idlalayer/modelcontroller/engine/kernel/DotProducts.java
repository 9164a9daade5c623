package io.idlalayer.modelcontroller.engine.kernel;

import java.util.List;

/**
 * The shape of the dot products of all pairs of vectors in a row (Naumov 2019, section 2.1). The
 * vectors of a row are in several matrices, which have an order. The products of the first vector
 * with each later vector come first, then the products of the second vector with each later vector,
 * and so on.
 *
 * @param counts number of vectors of a row in each matrix, whose shape is [rows, count times dim]
 * @param dim length of a vector
 */
public record DotProducts(List<Integer> counts, int dim) {
  public DotProducts {
    counts = List.copyOf(counts);
  }

  /** Returns the number of vectors of a row. */
  public int vectors() {
    return counts.stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the number of values of a row in each matrix. */
  public int[] widths() {
    return counts.stream().mapToInt(count -> count * dim).toArray();
  }

  /** Returns the number of products of a row. */
  public int pairs() {
    int vectors = vectors();
    return vectors * (vectors - 1) / 2;
  }
}
