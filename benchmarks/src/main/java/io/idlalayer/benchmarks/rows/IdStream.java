package io.idlalayer.benchmarks.rows;

/** An endless stream of ids from 0 on. One thread. */
@FunctionalInterface
interface IdStream {
  int next();

  /**
   * Returns ids by popularity, scattered over the table so that neighbors in rank are not neighbors
   * in the table.
   *
   * @param exponent exponent of Zipf's law; 0 for uniform
   * @param shiftEvery number of draws after which other ids become popular; 0 for never
   * @param shift number of ranks by which all ids move then
   */
  static IdStream zipf(int rows, double exponent, long seed, long shiftEvery, int shift) {
    ZipfRanks ranks = new ZipfRanks(rows, exponent, seed);
    long[] drawn = {0};
    return () -> {
      long moved = shiftEvery == 0 ? 0 : drawn[0]++ / shiftEvery * shift;
      return idOf(ranks.next() - 1 + moved, rows);
    };
  }

  /** The id that has a rank from 0 on, before any shift. */
  static int idOf(long rank, int rows) {
    // A prime above the numbers of rows that are used: multiplying by it is a bijection.
    return (int) (rank % rows * 2_147_483_647L % rows);
  }
}
