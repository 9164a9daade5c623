package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.PublishedModelsContract;

/** The place of experiments keeps to the contract of the real one. */
final class UnstoredModelsTest extends PublishedModelsContract {
  @Override
  protected PublishedModels open() {
    return new UnstoredModels();
  }
}
