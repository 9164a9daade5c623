package io.idlalayer.jobs.learner.update;

import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.Optional;

/**
 * A store that keeps the {@link Attempt} of a learner in a note beside its models, for learners
 * that can be restored on another machine. Each write is one request to an object store.
 */
public final class AttemptNote implements AttemptStore {
  private final ModelStore store;
  private final String application;
  private final String name;

  public AttemptNote(ModelStore store, String application, int partition) {
    this.store = store;
    this.application = application;
    name = "attempts-" + partition;
  }

  @Override
  public Attempt read() throws IOException {
    Optional<byte[]> note = store.note(application, name);
    return note.isPresent() ? Attempt.restore(note.get()) : Attempt.NONE;
  }

  @Override
  public void write(Attempt attempt, boolean durable) throws IOException {
    // What an object store has acknowledged is durable.
    store.writeNote(application, name, attempt.snapshot());
  }
}
