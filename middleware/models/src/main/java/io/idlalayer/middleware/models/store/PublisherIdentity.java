package io.idlalayer.middleware.models.store;

import java.lang.management.ManagementFactory;

/**
 * Identity of a publisher. The store keeps it beside the models, so that a publisher that lost its
 * place can say which one has it.
 *
 * @param run what all attempts of one job share, such as its job id
 * @param place tells the attempts apart in messages: process, host, attempt
 */
public record PublisherIdentity(String run, String place) {
  /** This process. */
  public static PublisherIdentity ofThisProcess() {
    String process = ManagementFactory.getRuntimeMXBean().getName();
    return new PublisherIdentity("process " + process, "process " + process);
  }
}
