package io.idlalayer.jobs.proposal;

import java.util.List;

/**
 * A proposed application file, which the product's reader accepts.
 *
 * @param yaml its text, with comments
 * @param remarks what was guessed and left out, in sentences
 */
public record Proposal(String yaml, List<String> remarks) {
  public Proposal {
    remarks = List.copyOf(remarks);
  }
}
