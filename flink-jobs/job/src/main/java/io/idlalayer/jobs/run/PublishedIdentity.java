package io.idlalayer.jobs.run;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link SettingsIdentity} with which an application's models were published. Each manifest
 * contains it. If the application was started over, a file beside the models contains it, because
 * the newest model might be older than the start over.
 */
public final class PublishedIdentity {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedIdentity.class);
  private static final String FILE = "started-over.json";

  private PublishedIdentity() {}

  /**
   * Compares the settings of applications with the identity of their published models. Without
   * models there is nothing to compare. If learners can continue after a change of features or
   * classes, the change is logged. If the application was started over before, later checks compare
   * with the changed settings.
   *
   * @param defaultModels model store of applications that name none; null if all name one
   * @throws SettingsChangedException with every setting of every application that differs
   * @throws UncheckedIOException if a model store cannot be read
   */
  public static void check(List<ApplicationSettings> applications, @Nullable Path defaultModels) {
    List<String> refusals = new ArrayList<>();
    for (ApplicationSettings application : applications) {
      String root = root(application, defaultModels);
      try (ModelStore store = open(root)) {
        Set<String> differences = new LinkedHashSet<>();
        boolean changed = false;
        for (SettingsIdentity before : published(application.name(), store)) {
          IdentityChange change = IdentityChange.between(before, application);
          differences.addAll(change.refusals());
          if (change.refusals().isEmpty() && !change.isNone()) {
            LOG.info("{}: learners go on with {}", application.name(), change.changes());
            changed = true;
          }
        }
        if (changed && differences.isEmpty() && store.note(application.name(), FILE).isPresent()) {
          write(application, store);
        }
        if (!differences.isEmpty()) {
          refusals.add(
              SettingsIdentity.refusal(
                  application.name(),
                  "the one of the models in " + root,
                  List.copyOf(differences)));
        }
      } catch (IOException unreadable) {
        throw new UncheckedIOException(
            "cannot read what %s has published in %s: %s"
                .formatted(application.name(), root, unreadable.getMessage()),
            unreadable);
      }
    }
    if (!refusals.isEmpty()) {
      throw new SettingsChangedException(String.join("\n", refusals));
    }
  }

  /**
   * Records that applications start over, so that later checks do not compare their settings with
   * older models. Must be called before the job is submitted.
   *
   * @param defaultModels model store of applications that name none; null if all name one
   * @throws IOException if the record cannot be written
   */
  public static void startedOver(
      List<ApplicationSettings> applications, @Nullable Path defaultModels) throws IOException {
    for (ApplicationSettings application : applications) {
      try (ModelStore store = open(root(application, defaultModels))) {
        write(application, store);
      }
    }
  }

  private static void write(ApplicationSettings application, ModelStore store) throws IOException {
    store.writeNote(
        application.name(),
        FILE,
        SettingsIdentity.of(application).json().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the place where an application publishes: a folder, or the address of an object store.
   */
  public static String root(ApplicationSettings application, @Nullable Path defaultModels) {
    String named = application.publishing().directory();
    return named == null
        ? Objects.requireNonNull(defaultModels, "publishing.directory is missing").toString()
        : named;
  }

  /** Opens the model store at a {@link #root}. */
  public static ModelStore open(String root) throws IOException {
    return ModelStore.open(root, InstantSource.system(), PublisherIdentity.ofThisProcess());
  }

  private static List<SettingsIdentity> published(String application, ModelStore store)
      throws IOException {
    Optional<byte[]> startedOver = store.note(application, FILE);
    return startedOver.isPresent()
        ? List.of(SettingsIdentity.parse(new String(startedOver.get(), StandardCharsets.UTF_8)))
        : ofManifests(application, store);
  }

  private static List<SettingsIdentity> ofManifests(String application, ModelStore store)
      throws IOException {
    List<SettingsIdentity> identities = new ArrayList<>();
    for (int partition : store.applications().getOrDefault(application, List.of())) {
      List<ModelCheckpoint> versions = store.list(application, partition);
      if (!versions.isEmpty()) {
        var manifest = versions.get(versions.size() - 1).manifest();
        String settings = manifest.attributes().get(SettingsIdentity.ATTRIBUTE);
        if (settings != null) {
          identities.add(SettingsIdentity.parse(settings));
        }
      }
    }
    return identities;
  }
}
