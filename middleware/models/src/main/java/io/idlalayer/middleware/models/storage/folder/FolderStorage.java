package io.idlalayer.middleware.models.storage.folder;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.ModelStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Stores models in a folder. */
public final class FolderStorage implements ModelStorage {
  private final Path root;
  private final FileOperations files;

  public FolderStorage(Path root, FileOperations files) {
    this.root = root;
    this.files = files;
  }

  @Override
  public ModelSource source() {
    return new FolderSource(root, false);
  }

  @Override
  public ModelSource freshSource() {
    return source();
  }

  @Override
  public PartitionStorage partition(ApplicationPartition of) {
    return new FolderPartition(
        root.resolve(of.application()).resolve(Integer.toString(of.partition())), files);
  }

  @Override
  public Optional<Path> folder() {
    return Optional.of(root);
  }

  @Override
  public boolean isEmpty() throws IOException {
    return source().applications().isEmpty();
  }

  @Override
  public Optional<byte[]> note(String application, String name) throws IOException {
    try {
      return Optional.of(StoreLayout.text(folder(application).resolve(StoreLayout.checked(name))));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  @Override
  public void writeNote(String application, String name, byte[] content) throws IOException {
    Path folder = folder(application);
    Files.createDirectories(folder);
    new ReplacedFile(folder, StoreLayout.checked(name), files).write(content);
  }

  private Path folder(String application) {
    return root.resolve(StoreLayout.checked(application));
  }

  @Override
  public void close() {
    // Nothing is open between calls.
  }
}
