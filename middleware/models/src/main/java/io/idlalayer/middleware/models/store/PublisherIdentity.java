package io.idlalayer.middleware.models.store;

import java.lang.management.ManagementFactory;

/**
 * Who publishes. Written beside the models, so that a publisher that lost its place can say to
 * whom.
 *
 * @param run what all attempts of one job share, such as its job id
 * @param place which of them, for people: process, host, attempt
 */
public record PublisherIdentity(String run, String place) {
  /** This process. */
  public static PublisherIdentity ofThisProcess() {
    String process = ManagementFactory.getRuntimeMXBean().getName();
    return new PublisherIdentity("process " + process, "process " + process);
  }
}
