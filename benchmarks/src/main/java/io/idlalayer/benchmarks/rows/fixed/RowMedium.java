package io.idlalayer.benchmarks.rows.fixed;

/** What the rows of a base lie on: told of each access, and waited for at the end of a call. */
public interface RowMedium {
  /** DRAM of this machine, whose accesses take what they take. */
  RowMedium DRAM =
      new RowMedium() {
        @Override
        public void hasRead() {}

        @Override
        public void hasWritten() {}

        @Override
        public void settle() {}
      };

  /** A row was copied from the base. */
  void hasRead();

  /** A row was copied to the base. */
  void hasWritten();

  /** A call that used rows ends. Returns when the medium has done all of its accesses. */
  void settle();
}
