package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelloader.serve.PlainOrDl4jLoader;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose where the rows of served embedding tables are kept. */
final class RowsOptions {
  @Option(
      names = "--rows-folder",
      paramLabel = "DIR",
      description =
          "Have the rows of tables in mapped files in this local folder, which is made if there is"
              + " none, instead of on the heap. For tables that are larger than the heap.")
  @Nullable Path folder;

  boolean given() {
    return folder != null;
  }

  /**
   * Returns a loader that keeps the rows of tables in the folder; on the heap if no folder is
   * named.
   *
   * @throws UsageException if the folder cannot be used
   */
  PlainOrDl4jLoader loader() {
    RowsFolder open = open();
    PlainOrDl4jLoader onHeap = new PlainOrDl4jLoader();
    return open == null ? onHeap : onHeap.mappingRowsIn(open);
  }

  /**
   * Returns a loader that runs models with Deeplearning4j, and maps the rows of tables from files
   * if a folder for rows is given.
   */
  Dl4jModelLoader dl4jLoader() {
    RowsFolder open = open();
    Dl4jModelLoader onHeap = new Dl4jModelLoader();
    return open == null ? onHeap : onHeap.mappingRowsIn(open);
  }

  private @Nullable RowsFolder open() {
    Path named = folder;
    if (named == null) {
      return null;
    }
    try {
      return RowsFolder.open(named);
    } catch (IOException refused) {
      throw new UsageException("--rows-folder: %s cannot be used: %s".formatted(named, refused));
    }
  }
}
