package io.idlalayer.jobs.proposal;

import java.util.List;

/**
 * A proposed application file, which the product's reader accepts.
 *
 * @param yaml text of the file, with comments
 * @param remarks sentences about what was guessed and what was left out
 */
public record Proposal(String yaml, List<String> remarks) {
  public Proposal {
    remarks = List.copyOf(remarks);
  }
}
