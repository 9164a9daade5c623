package io.idlalayer.middleware.models.store;

import java.lang.management.ManagementFactory;

/**
 * The identity of a publisher of models. The store keeps it beside the models, so that a publisher
 * that lost its place can say which publisher has the place.
 *
 * @param run a text that all attempts of one job share, such as the job id
 * @param place tells the attempts apart in messages: process, host, attempt
 */
public record PublisherIdentity(String run, String place) {
  /** Returns an identity for this process, which is a run of its own. */
  public static PublisherIdentity ofThisProcess() {
    String process = ManagementFactory.getRuntimeMXBean().getName();
    return new PublisherIdentity("process " + process, "process " + process);
  }
}
