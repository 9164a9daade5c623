package io.idlalayer.jobs.learner;

/** The place of experiments keeps to the contract of the real one. */
final class UnstoredModelsTest extends PublishedModelsContract {
  @Override
  PublishedModels open() {
    return new UnstoredModels();
  }
}
