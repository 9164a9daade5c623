package io.idlalayer.benchmarks.trace;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recorded steps in a directory, one file for each key: a model is profiled once. Several processes
 * may use one directory; the last to save a key wins.
 */
public final class ProfileStore {
  private static final Logger LOG = LoggerFactory.getLogger(ProfileStore.class);
  private static final String SUFFIX = ".json";
  private static final String ASIDE = ".corrupt";

  private final Path directory;

  /**
   * @param directory made if it is not there
   */
  public ProfileStore(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  /** Where the step of a key is kept. */
  public Path file(ProfileKey key) {
    return directory.resolve(key.hash() + SUFFIX);
  }

  /**
   * The step of a key. A file that is no recorded step, or one of another key, is set aside with a
   * warning and counts as absent; so does, without one, the recording of an earlier version.
   *
   * @throws UnknownProfileVersionException if it was written by a later version of this program
   */
  public Optional<TaskGraph> load(ProfileKey key) throws IOException {
    Path file = file(key);
    try {
      TaskGraphFile read = TaskGraphFile.read(file);
      if (!read.key().equals(key)) {
        throw new CorruptProfileException(file + " holds the step of another key");
      }
      if (read.version() < TaskGraphFile.VERSION) {
        LOG.info("{} was recorded by an earlier version; the step is recorded again", file);
        return Optional.empty();
      }
      return Optional.of(read.graph());
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (CorruptProfileException corrupt) {
      Path aside = file.resolveSibling(file.getFileName() + ASIDE);
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      LOG.warn("{}; it is kept as {} and the step is recorded again", corrupt.getMessage(), aside);
      return Optional.empty();
    }
  }

  /** Keeps the step of a key. */
  public void save(ProfileKey key, TaskGraph graph) throws IOException {
    new TaskGraphFile(key, graph).write(file(key));
  }
}
