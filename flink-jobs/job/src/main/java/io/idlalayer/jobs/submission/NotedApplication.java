package io.idlalayer.jobs.submission;

import io.idlalayer.jobs.lineage.HashKeyNote;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.run.ModelLineage;
import io.idlalayer.jobs.run.PublishedIdentity;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An application with the notes that lay beside its models before a submission.
 *
 * @param application the application, with the key by which its ids are hashed
 */
record NotedApplication(
    ApplicationSettings application, ModelLineage lineage, Submissions submissions) {
  /**
   * Reads the notes beside the models of an application. Creates the key of ids if the application
   * has none.
   *
   * @throws IOException if the model store cannot be read or written
   */
  static NotedApplication read(ApplicationSettings application) throws IOException {
    try (ModelStore store = store(application)) {
      return new NotedApplication(
          application.with(HashKeyNote.open(store, application.name())),
          ModelLineage.of(application, null),
          Submissions.read(store, application.name()));
    }
  }

  private static ModelStore store(ApplicationSettings application) throws IOException {
    return PublishedIdentity.open(PublishedIdentity.root(application, null));
  }

  /**
   * Returns whether the user lets a job that Flink starts without state start over. A word for
   * starting over takes effect once. The word can be used again if nothing was published since it
   * was noted. This happens if the cluster has refused the job, or if a query was only explained.
   */
  boolean startsOver(StartOver asked) {
    Submissions.Submission newest = submissions.newest();
    boolean published = newest == null || newest.newestVersion() != lineage.newestVersion();
    return asked.applies(published ? submissions.startOver() : null);
  }

  /**
   * Notes a submission. With high availability, the same job is submitted each time that its
   * JobManager starts; such a submission is noted once.
   *
   * @param job Flink's id of the job, or another id that only this submission has
   * @param from checkpoint or savepoint from which Flink was told to start; null for none
   * @param over whether the lineage is started over
   * @param word word with which the lineage was started over; null if it was not
   * @param start where the application begins to read; null if this is not to be remembered
   */
  void note(
      String job,
      @Nullable String from,
      boolean over,
      @Nullable String word,
      @Nullable FirstStart start)
      throws IOException {
    boolean fresh = over || !lineage.exists();
    Submissions.Submission now =
        new Submissions.Submission(job, from, fresh, word, lineage.newestVersion(), start);
    if (!now.equals(submissions.newest())) {
      try (ModelStore store = store(application)) {
        submissions.add(store, application.name(), now);
      }
    }
  }
}
