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
 * @param application with the key of its ids
 */
record NotedApplication(
    ApplicationSettings application, ModelLineage lineage, Submissions submissions) {
  /**
   * Reads what is beside the models of an application. Its key is made if it has none.
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
   * Returns whether a job that Flink starts without state may begin from nothing. A word for
   * starting over takes effect once. It can be used again if nothing was published since it was
   * noted, which happens if the cluster refused the job, or if a query was only explained.
   */
  boolean startsOver(StartOver asked) {
    Submissions.Submission newest = submissions.newest();
    boolean published = newest == null || newest.newestVersion() != lineage.newestVersion();
    return asked.applies(published ? submissions.startOver() : null);
  }

  /**
   * Notes a submission. With high availability one job is submitted each time that its JobManager
   * starts.
   *
   * @param job Flink's id of the job, or another one that only this submission has
   * @param from checkpoint or savepoint that Flink was given, null for none
   * @param over whether the lineage is started over
   * @param word with which the lineage was started over, null if it was not
   * @param start where the application begins to read, null if that need not be remembered
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
