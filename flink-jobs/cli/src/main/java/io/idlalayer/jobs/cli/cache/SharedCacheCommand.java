package io.idlalayer.jobs.cli.cache;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.cache.shared.SharedCacheFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists the shared cache files of this user, and deletes those that no process uses. */
@Command(
    name = "shared-cache",
    description = {
      "Lists the files of shared hot caches (memory.shared-directory) of this user on this host.",
      "They survive their processes, so they take memory until another job sweeps them, a day"
          + " after their last use. After the key was removed from all application files, no job"
          + " does: use --delete."
    })
public final class SharedCacheCommand implements Callable<Integer> {
  private final InstantSource clock = InstantSource.system();

  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "DIRECTORY",
      arity = "0..1",
      defaultValue = "/dev/shm",
      description = "Value of memory.shared-directory (default: ${DEFAULT-VALUE}).")
  Path directory;

  @Option(
      names = "--delete",
      description =
          "Delete the files that no living process owns. Their jobs read their samples from the"
              + " store again.")
  boolean delete;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try {
      SharedCacheFiles files = new SharedCacheFiles(directory);
      List<SharedCacheFiles.Found> deleted =
          delete ? files.deleteUnused(clock.millis()) : List.of();
      deleted.forEach(each -> out.println(line(each, "deleted")));
      List<SharedCacheFiles.Found> left = files.list();
      left.forEach(each -> out.println(line(each, each.inUse() ? "in use" : "not in use")));
      if (deleted.isEmpty() && left.isEmpty()) {
        out.printf("no shared cache files of this user in %s%n", directory);
      }
    } catch (IOException refused) {
      throw new UsageException(
          "no shared cache files can be in %s: %s".formatted(directory, refused.getMessage()));
    }
    out.flush();
    return Terminal.OK;
  }

  private String line(SharedCacheFiles.Found file, String state) {
    Duration unused = Duration.between(file.lastUse(), Instant.ofEpochMilli(clock.millis()));
    return String.format(
        Locale.ROOT,
        "%s  %,d MiB  last used %,d minutes ago  %s",
        file.file(),
        file.bytes() >> 20,
        Math.max(0, unused.toMinutes()),
        state);
  }
}
