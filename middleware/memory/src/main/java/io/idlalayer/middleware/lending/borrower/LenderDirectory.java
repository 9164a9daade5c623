package io.idlalayer.middleware.lending.borrower;

import java.util.List;

/** Says which lenders there are. Any thread. */
@FunctionalInterface
public interface LenderDirectory {
  /** Returns the lenders that a borrower can ask now, each once, the best one first. */
  List<LenderAddress> lenders();
}
