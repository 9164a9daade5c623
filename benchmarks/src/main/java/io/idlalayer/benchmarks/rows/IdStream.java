package io.idlalayer.benchmarks.rows;

/** An endless stream of ids from 0 on. One thread. */
@FunctionalInterface
interface IdStream {
  int next();

  /**
   * Ids by popularity, scattered over the table so that neighbours in rank are none in place.
   *
   * @param exponent of Zipf's law; 0 for uniform
   * @param shiftEvery draws after which other ids become the popular ones; 0 for never
   * @param shift ranks by which all ids move then
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
