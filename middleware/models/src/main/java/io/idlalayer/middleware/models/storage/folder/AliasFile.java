package io.idlalayer.middleware.models.storage.folder;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.PartitionStorage.AliasChange;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Changes the aliases of an application partition in a model folder. All aliases are in one file,
 * so writers take turns: threads by a lock of the process, processes by a lock on a file beside the
 * file of aliases. Readers need neither lock.
 */
final class AliasFile {
  private static final String LOCK = ".aliases.lock";

  /**
   * Lock for the threads of this process: if another thread of the process has the file lock, Java
   * throws an exception instead of waiting.
   */
  private static final ReentrantLock TURN = new ReentrantLock();

  private final Path folder;
  private final ReplacedFile file;

  AliasFile(Path folder, FileOperations files) {
    this.folder = folder;
    file = new ReplacedFile(folder, StoreLayout.ALIASES, files);
  }

  /** Changes the aliases while a lock keeps other threads and processes out. */
  void change(AliasChange change) throws IOException {
    TURN.lock();
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (!lock.isValid()) {
        throw new IOException(folder.resolve(LOCK) + " cannot be locked");
      }
      SortedMap<String, Alias> now = read();
      SortedMap<String, Alias> after = change.of(new TreeMap<>(now));
      if (!after.equals(now)) {
        write(after);
      }
    } finally {
      TURN.unlock();
    }
  }

  private SortedMap<String, Alias> read() throws IOException {
    Path aliases = folder.resolve(StoreLayout.ALIASES);
    try {
      return ManifestCodec.aliases(StoreLayout.text(aliases), aliases);
    } catch (NoSuchFileException none) {
      return new TreeMap<>();
    }
  }

  private void write(SortedMap<String, Alias> aliases) throws IOException {
    if (aliases.isEmpty()) {
      file.delete();
    } else {
      file.write(ManifestCodec.encode(aliases));
    }
  }
}
