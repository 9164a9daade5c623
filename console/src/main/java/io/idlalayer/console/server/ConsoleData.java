package io.idlalayer.console.server;

import io.idlalayer.console.letters.DeadLetters;
import io.idlalayer.console.store.PublishedModels;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is behind applications: the topics that requests are written to, their dead letters, and
 * their model folders. May be shared between threads.
 */
public final class ConsoleData {
  private final Map<String, ApplicationSettings> applications = new TreeMap<>();
  private final @Nullable String servers;
  private final @Nullable Path defaultModels;

  /**
   * @param servers of Kafka, or null if events are recorded ones and nobody can be asked
   * @param defaultModels folder of applications that name none, or null if it is not known
   */
  public ConsoleData(
      Iterable<ApplicationSettings> applications,
      @Nullable String servers,
      @Nullable Path defaultModels) {
    applications.forEach(each -> this.applications.put(each.name(), each));
    this.servers = servers;
    this.defaultModels = defaultModels;
  }

  /** Whether something can be asked or changed at all. */
  public boolean writable() {
    return servers != null;
  }

  /**
   * Who takes requests for an application.
   *
   * @throws RefusedException if there is no such application, or only recorded events of it
   */
  LearnerRequest requests(String application) throws RefusedException {
    return new LearnerRequest(settings(application), broker());
  }

  /**
   * The dead letters of an application.
   *
   * @throws RefusedException if there is no such application, or only recorded events of it
   */
  DeadLetters letters(String application) throws RefusedException {
    return new DeadLetters(settings(application), broker());
  }

  /**
   * The folder with the versions of an application.
   *
   * @throws RefusedException if it is not known
   */
  ModelStore models(String application) throws RefusedException {
    ApplicationSettings settings = applications.get(application);
    String named = settings == null ? null : settings.publishing().directory();
    Path folder = named == null ? defaultModels : Path.of(named);
    if (folder == null) {
      throw new RefusedException(
          404, "the folder of the models is not known; name it with --work-dir or --models-dir");
    }
    return new ModelStore(folder, InstantSource.system());
  }

  /** The versions of a learner's models. */
  PublishedModels published(String application, int partition)
      throws RefusedException, IOException {
    return PublishedModels.read(models(application), application, partition);
  }

  private ApplicationSettings settings(String application) throws RefusedException {
    ApplicationSettings settings = applications.get(application);
    if (settings == null) {
      throw new RefusedException(404, "the console was not started with this application");
    }
    return settings;
  }

  private String broker() throws RefusedException {
    String known = servers;
    if (known == null) {
      throw new RefusedException(
          409, "these are recorded events; nobody can be asked, and nothing can be changed");
    }
    return known;
  }
}
