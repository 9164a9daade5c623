package io.idlalayer.middleware.lending.borrower;

import java.util.List;

/**
 * Lenders that are always the same, because a user has named them.
 *
 * @param lenders their addresses, each once
 */
public record NamedLenders(List<LenderAddress> lenders) implements LenderDirectory {
  public NamedLenders {
    lenders = List.copyOf(lenders);
  }
}
