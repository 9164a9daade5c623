package io.idlalayer.jobs.learner;

/** Makes learners, new ones or those that their state describes. */
public final class LearnerFactory {
  private LearnerFactory() {}

  /**
   * Opens the learner of the state's current key. Starts nothing: {@link Learner#tick} does, which
   * must be called before the first event.
   *
   * @throws LastingFailureException if the state was made with other settings, or does not fit
   */
  public static Learner open(LearnerContext context) {
    SamplePrefetcher samples = new SamplePrefetcher(context);
    try {
      LearnerComponents components = LearnerComponents.of(context, samples.store());
      LearnerCheckpoint checkpoint = new LearnerCheckpoint(context, components);
      LearnerCheckpoint.Restored restored = checkpoint.restore();
      return new Learner(context, components, checkpoint, samples, restored);
    } catch (RuntimeException refused) {
      samples.close();
      throw refused;
    }
  }
}
