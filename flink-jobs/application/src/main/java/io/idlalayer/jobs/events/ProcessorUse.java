package io.idlalayer.jobs.events;

/**
 * The processor time that a learner has caused since it was opened, in seconds, as the clocks of
 * the threads measure it. Processor time that events cost even without updates is not included.
 *
 * @param updates number of updates that were accepted in this time
 * @param recentUpdateSeconds mean processor time that an update caused in all; the latest updates
 *     weigh most
 * @param caused processor time that the updates caused, by the part of the work
 * @param statusSeconds statuses and other events that no update causes: made, sent, and read again
 * @param process the whole process in which the learner runs
 */
public record ProcessorUse(
    long updates,
    double recentUpdateSeconds,
    Caused caused,
    double statusSeconds,
    OfProcess process) {

  /**
   * The processor seconds that updates have caused, by the part of the work.
   *
   * @param decidingSeconds choosing and loading samples, on the operator's thread
   * @param trainingSeconds training, and making the files of the model, on the trainer thread
   * @param acceptingSeconds evaluating the trained samples, and writing state, on the operator's
   *     thread
   * @param reportingSeconds making and encoding events and notices, on the operator's thread
   * @param publishingSeconds publishing versions, on the trainer thread and on the threads that
   *     write files for it
   * @param cleaningUpSeconds deleting old versions, on the trainer thread
   * @param sendingSeconds sending events and notices, on the network threads of Kafka's producers
   * @param followingSeconds reading the events again in the process that runs the job; 0 if another
   *     process runs the job
   */
  public record Caused(
      double decidingSeconds,
      double trainingSeconds,
      double acceptingSeconds,
      double reportingSeconds,
      double publishingSeconds,
      double cleaningUpSeconds,
      double sendingSeconds,
      double followingSeconds) {
    /** Returns the seconds of all parts together. */
    public double sumSeconds() {
      return decidingSeconds
          + trainingSeconds
          + acceptingSeconds
          + reportingSeconds
          + publishingSeconds
          + cleaningUpSeconds
          + sendingSeconds
          + followingSeconds;
    }
  }

  /**
   * The processor time of a whole process since it started. The learners of a process report the
   * same.
   *
   * @param seconds processor seconds of all its threads
   * @param compilationSeconds elapsed seconds in which compilers of the JVM were at work, including
   *     the time in which they waited for a processor
   */
  public record OfProcess(double seconds, double compilationSeconds) {}
}
