package io.idlalayer.jobs.recovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/**
 * The factory through which Flink finds the file system of work directories. A process of a cluster
 * reads the place of the work directory from its configuration. Other processes open the work
 * directory by themselves.
 */
public final class WorkFileSystemFactory implements FileSystemFactory {
  /** Configuration key with which a cluster's processes find the work directory. */
  public static final String WORK_DIRECTORY = "idla.work-directory";

  private static final ConfigOption<String> OPTION =
      ConfigOptions.key(WORK_DIRECTORY).stringType().defaultValue("");

  @Override
  public String getScheme() {
    return WorkFileSystem.SCHEME;
  }

  @Override
  public void configure(Configuration configuration) {
    String directory = configuration.get(OPTION);
    if (!directory.isEmpty()) {
      try {
        WorkIdentity.open(Path.of(directory));
      } catch (IOException unusable) {
        throw new UncheckedIOException(
            "%s %s cannot be used".formatted(WORK_DIRECTORY, directory), unusable);
      }
    }
  }

  @Override
  public FileSystem create(URI address) {
    return new WorkFileSystem(address);
  }
}
