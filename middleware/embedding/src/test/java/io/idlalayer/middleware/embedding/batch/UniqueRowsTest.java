package io.idlalayer.middleware.embedding.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The worked example of the specification of reindexing (memory tiering, 2.6, number 2). */
final class UniqueRowsTest {
  @Test
  void index_bagsOfThree_givesRowsByFirstSight() {
    UniqueRows unique = new UniqueRows();
    unique.index(new int[] {1, 2, 4, 2, 3, 5, 1, 4, 5}, 9, 6);
    assertThat(unique)
        .hasToString(
            "rows [1, 2, 4, 3, 5], ends [2, 4, 6, 7, 9], uses [0, 6, 1, 3, 2, 7, 4, 5, 8]");
  }

  @Test
  void index_sameRowTwiceInABag_countsBoth() {
    UniqueRows unique = new UniqueRows();
    unique.index(new int[] {1, 1}, 2, 2);
    assertThat(unique).hasToString("rows [1], ends [2], uses [0, 1]");
  }

  @Test
  void index_noUses_givesNoRows() {
    UniqueRows unique = new UniqueRows();
    unique.index(new int[] {3, 3, 1}, 3, 4);
    unique.index(new int[0], 0, 0);
    assertThat(unique.count()).isZero();
  }
}
