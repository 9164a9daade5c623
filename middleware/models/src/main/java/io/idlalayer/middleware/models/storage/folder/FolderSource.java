package io.idlalayer.middleware.models.storage.folder;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads published models from a folder. Holds no state. */
public final class FolderSource implements ModelSource {
  private final Path root;
  private final boolean confined;

  /**
   * @param confined whether links that lead out of the folder are ignored
   */
  public FolderSource(Path root, boolean confined) {
    this.root = root;
    this.confined = confined;
  }

  @Override
  public String address() {
    return root.toString();
  }

  Path folder(ApplicationPartition of) {
    return root.resolve(of.application()).resolve(Integer.toString(of.partition()));
  }

  Path folder(ApplicationPartition of, long version) {
    return folder(of).resolve(StoreLayout.version(version));
  }

  /**
   * Returns a file unchanged; throws if the source is confined and the file is outside its folder.
   */
  private Path inside(Path file) throws IOException {
    if (confined && !file.toRealPath().startsWith(root.toRealPath())) {
      throw new NoSuchFileException(file.toString());
    }
    return file;
  }

  private boolean isInside(Path file) throws IOException {
    try {
      inside(file);
      return true;
    } catch (NoSuchFileException outside) {
      return false;
    }
  }

  /** Returns the entries of a folder; an empty list if the folder does not exist. */
  private List<Path> entries(Path folder) throws IOException {
    return isInside(folder) ? StoreLayout.entries(folder) : List.of();
  }

  @Override
  public SortedMap<String, List<Integer>> applications() throws IOException {
    SortedMap<String, List<Integer>> found = new TreeMap<>();
    for (Path application : entries(root)) {
      String name = StoreLayout.fileName(application);
      for (Path partition : StoreLayout.isName(name) ? entries(application) : List.<Path>of()) {
        String number = StoreLayout.fileName(partition);
        // A file of such a name is no partition.
        if (number.matches("0|[1-9]\\d{0,8}")
            && Files.isDirectory(partition)
            && isInside(partition)) {
          found.computeIfAbsent(name, key -> new ArrayList<>()).add(Integer.parseInt(number));
        }
      }
    }
    found.values().forEach(partitions -> partitions.sort(null));
    return found;
  }

  @Override
  public List<Long> versions(ApplicationPartition of) throws IOException {
    Path folder = folder(of);
    return isInside(folder) ? StoreLayout.versions(folder) : List.of();
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    Path folder = folder(of);
    List<Long> epochs = isInside(folder) ? StoreLayout.epochs(folder) : List.of();
    if (epochs.isEmpty()) {
      return Optional.empty();
    }
    Path file = FolderPartition.pointer(folder, epochs.get(epochs.size() - 1));
    try {
      return Optional.of(new StoredPointer(file.toString(), StoreLayout.text(inside(file))));
    } catch (NoSuchFileException missing) {
      return Optional.empty();
    }
  }

  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    return beside(of, PIN);
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return beside(of, ALIASES);
  }

  /** Returns the content of a small file beside the versions; empty if there is no such file. */
  private Optional<StoredPointer> beside(ApplicationPartition of, String name) throws IOException {
    Path file = folder(of).resolve(name);
    try {
      return Optional.of(new StoredPointer(file.toString(), StoreLayout.text(inside(file))));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    return StoreLayout.text(inside(folder(of, version).resolve(MANIFEST)));
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    SortedMap<String, Long> lengths = new TreeMap<>();
    for (Path file : entries(folder(of, version))) {
      length(file).ifPresent(bytes -> lengths.put(StoreLayout.fileName(file), bytes));
    }
    return lengths;
  }

  /**
   * Returns the length of a file in bytes; empty if the file is a link to nowhere, or belongs to a
   * version that is being deleted.
   */
  private OptionalLong length(Path file) throws IOException {
    try {
      return OptionalLong.of(Files.size(inside(file)));
    } catch (NoSuchFileException gone) {
      return OptionalLong.empty();
    }
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    Path path = folder(of, version).resolve(StoreLayout.checked(file.name()));
    SeekableByteChannel channel = Files.newByteChannel(inside(path));
    boolean opened = false;
    try {
      channel.position(from);
      opened = true;
      return Channels.newInputStream(channel);
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }
}
