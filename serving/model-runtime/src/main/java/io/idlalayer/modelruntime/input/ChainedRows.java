package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.serve.RowsFolderException;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.HeapShare;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a version's tables from the files of its chain, the versions since the last one
 * with all rows.
 *
 * @param <M> the model that has the rows
 */
public final class ChainedRows<M> {
  private final LoadRequest<M> request;
  private final EmbeddingPlan plan;
  private final Function<M, Optional<ServedRows>> rowsOf;
  private final @Nullable RowsFolder folder;

  private ChainedRows(
      LoadRequest<M> request,
      EmbeddingPlan plan,
      Function<M, Optional<ServedRows>> rowsOf,
      @Nullable RowsFolder folder) {
    this.request = request;
    this.plan = plan;
    this.rowsOf = rowsOf;
    this.folder = folder;
  }

  /**
   * Returns the rows of a version's tables. If the model in service is an ancestor of the version,
   * starts from its rows, which do not change, and adds the later changes; else reads the last
   * version with all rows and the changes since.
   *
   * @param rowsOf the rows of a model that was loaded before; empty if it has none
   * @param folder folder for a mapped file; null to have the rows on the heap. Rows that start from
   *     a model's rows lie where the model's rows lie
   * @throws CorruptModelException naming the version and file that is missing, damaged or another
   *     one than expected
   * @throws RowsFolderException if the folder fails; the version itself can be intact
   * @throws IOException if the medium fails
   */
  public static <M> ServedRows read(
      LoadRequest<M> request,
      EmbeddingPlan plan,
      Function<M, Optional<ServedRows>> rowsOf,
      @Nullable RowsFolder folder)
      throws IOException {
    return new ChainedRows<>(request, plan, rowsOf, folder).read();
  }

  private ServedRows read() throws IOException {
    List<ModelCheckpoint> chain = request.chain();
    if (chain.isEmpty()) {
      throw new CorruptModelException(
          "%s has no rows, and its model has tables".formatted(request.checkpoint().location()));
    }
    for (int i = 0; i < chain.size() - 1; i++) {
      ServedRows known = known(chain.get(i));
      if (known != null) {
        return read(known, chain.subList(i + 1, chain.size()));
      }
    }
    return read(null, chain);
  }

  /** Returns the rows of a version if it is in service; otherwise null. */
  private @Nullable ServedRows known(ModelCheckpoint version) {
    return request
        .before()
        .filter(before -> before.checkpoint().digest().equals(version.digest()))
        .flatMap(before -> rowsOf.apply(before.model()))
        .filter(rows -> rows.plan().equals(plan))
        .orElse(null);
  }

  private ServedRows read(@Nullable ServedRows known, List<ModelCheckpoint> oldestFirst)
      throws IOException {
    ServedRows rows = null;
    boolean done = false;
    try {
      try (OpenFiles files = new OpenFiles()) {
        List<RowFile.Reader> newestFirst = new ArrayList<>();
        for (ModelCheckpoint version : oldestFirst) {
          newestFirst.add(0, new RowFile.Reader(files.open(version)));
        }
        rows = known == null ? whole(newestFirst) : known.next(newestFirst, bytesOf(oldestFirst));
      }
      done = true;
      return rows;
    } catch (CorruptModelException | RowsFolderException named) {
      throw named;
    } catch (IOException damaged) {
      throw named(oldestFirst, damaged);
    } finally {
      if (!done && rows != null) {
        rows.close();
      }
    }
  }

  private ServedRows whole(List<RowFile.Reader> newestFirst) throws IOException {
    Optional<ServedRows> before = request.before().flatMap(each -> rowsOf.apply(each.model()));
    HeapShare share = HeapShare.ofThisProcess();
    long left = share.rowsOfBothBytes() - before.map(ServedRows::bytes).orElse(0L);
    ServedRows rows = ServedRows.read(plan, newestFirst, folder, left, share.rowsBytes());
    return before.map(rows::countingAfter).orElse(rows);
  }

  /** Returns the number of bytes of the row files of some versions. */
  private static long bytesOf(List<ModelCheckpoint> versions) {
    return versions.stream()
        .flatMap(version -> version.manifest().files().stream())
        .filter(file -> file.name().equals(ModelManifest.ROWS_FILE))
        .mapToLong(ModelManifest.ModelFile::bytes)
        .sum();
  }

  /** The open files of a chain, which are closed together. */
  private final class OpenFiles implements AutoCloseable {
    private final List<InputStream> open = new ArrayList<>();

    InputStream open(ModelCheckpoint version) throws IOException {
      InputStream in = request.rows(version);
      open.add(in);
      return in;
    }

    /** Closes all files, even if closing one fails. */
    @Override
    public void close() throws IOException {
      IOException first = null;
      for (InputStream in : open) {
        try {
          in.close();
        } catch (IOException failed) {
          if (first == null) {
            first = failed;
          } else {
            first.addSuppressed(failed);
          }
        }
      }
      if (first != null) {
        throw first;
      }
    }
  }

  /**
   * Returns the error of the file of the chain that differs from what was published, because it
   * says more than the error that was found first.
   */
  private IOException named(List<ModelCheckpoint> versions, IOException damaged) {
    for (ModelCheckpoint version : versions) {
      try (InputStream in = request.rows(version)) {
        in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException found) {
        found.addSuppressed(damaged);
        return found;
      }
    }
    CorruptModelException refused =
        new CorruptModelException(
            "the rows of %s cannot be read: %s"
                .formatted(request.checkpoint().location(), damaged.getMessage()));
    refused.initCause(damaged);
    return refused;
  }
}
