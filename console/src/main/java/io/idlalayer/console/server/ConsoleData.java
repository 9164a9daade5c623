package io.idlalayer.console.server;

import io.idlalayer.console.letters.DeadLetters;
import io.idlalayer.console.store.VersionTable;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/**
 * The resources of applications: the topics for requests, their dead letters, and their model
 * folders. Safe from any thread.
 */
public final class ConsoleData {
  private static final String PATIENCE_MILLIS = "5000";
  private static final String DELIVERY_MILLIS = "10000";

  private final Map<String, ApplicationSettings> applications = new TreeMap<>();
  private final @Nullable String servers;
  private final @Nullable String defaultModels;

  /** Model stores by folder or address; applications with the same address share a store. */
  private final Map<String, ModelStore> stores = new HashMap<>();

  /**
   * @param servers Kafka servers, or null if events come from a recording and no broker can be
   *     asked
   * @param defaultModels folder or address of the models of applications that name none, or null if
   *     it is unknown
   */
  public ConsoleData(
      Iterable<ApplicationSettings> applications,
      @Nullable String servers,
      @Nullable String defaultModels) {
    applications.forEach(each -> this.applications.put(each.name(), impatient(each)));
    this.servers = servers;
    this.defaultModels = defaultModels;
  }

  /** Shortens the time limits of the broker, because a person waits for the page. */
  private static ApplicationSettings impatient(ApplicationSettings application) {
    ApplicationSettings.Kafka kafka = application.kafka();
    Map<String, String> properties = new TreeMap<>(kafka.properties());
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE_MILLIS);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
    return application.with(kafka.with(properties));
  }

  /** Returns the update settings of an application; empty if only its events are known. */
  Optional<UpdateSettings> update(String application) {
    return Optional.ofNullable(applications.get(application)).map(ApplicationSettings::update);
  }

  /** Returns whether requests and changes are possible. */
  public boolean writable() {
    return servers != null;
  }

  /**
   * Returns the sender of requests to an application.
   *
   * @throws RefusedException if there is no such application, or only recorded events of it
   */
  LearnerRequest requests(String application) throws RefusedException {
    return new LearnerRequest(settings(application), broker(), 1);
  }

  /**
   * Returns the dead letters of an application.
   *
   * @throws RefusedException if there is no such application, or only recorded events of it
   */
  DeadLetters letters(String application) throws RefusedException {
    return new DeadLetters(settings(application), broker());
  }

  /**
   * Returns the store with the versions of an application.
   *
   * @throws RefusedException if the application is unknown
   */
  ModelStore models(String application) throws RefusedException {
    ApplicationSettings settings = applications.get(application);
    String named = settings == null ? null : settings.publishing().directory();
    String place = named == null ? defaultModels : named;
    if (place == null) {
      throw new RefusedException(
          404, "the folder of the models is not known; name it with --work-dir or --models-dir");
    }
    synchronized (stores) {
      ModelStore known = stores.get(place);
      if (known != null) {
        return known;
      }
      try {
        ModelStore opened =
            ModelStore.open(place, InstantSource.system(), PublisherIdentity.ofThisProcess());
        stores.put(place, opened);
        return opened;
      } catch (IOException | IllegalArgumentException cannot) {
        throw new RefusedException(404, "the models cannot be opened: " + cannot.getMessage());
      }
    }
  }

  /**
   * Returns an application's model store in order to change it.
   *
   * @throws RefusedException if the application is unknown, or events come from a recording
   */
  ModelStore changeable(String application) throws RefusedException {
    broker();
    return models(application);
  }

  /** Returns the versions of a learner's models; a problem if the folder is unknown or missing. */
  VersionTable published(String application, int partition) throws IOException {
    ModelStore store;
    try {
      store = models(application);
    } catch (RefusedException unknown) {
      return VersionTable.none(String.valueOf(unknown.getMessage()));
    }
    return store.folder().map(Files::isDirectory).orElse(true)
        ? VersionTable.read(store, application, partition)
        : VersionTable.none("nothing has been published, or the folder of the models is gone");
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
          409, "these are recorded events: no learner can be asked, and nothing can be changed");
    }
    return known;
  }
}
