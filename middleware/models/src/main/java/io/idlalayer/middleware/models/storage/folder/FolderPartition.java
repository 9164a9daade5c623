package io.idlalayer.middleware.models.storage.folder;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.Place;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the models of an application partition in a folder. Files and folders are written under a
 * temporary name, synced, and renamed when they are complete.
 *
 * <p>A publisher's place is a folder {@code publisher-EPOCH} with the pointer in it. A publisher
 * creates the folder by one rename, which fails if the folder exists already, so no two publishers
 * have one epoch. A publisher that loses its place between its check and its write writes a pointer
 * that no reader reads.
 */
final class FolderPartition implements PartitionStorage {
  private static final Logger LOG = LoggerFactory.getLogger(FolderPartition.class);

  /** Largest depth to which nested folders are deleted; the folder of a version has one level. */
  private static final int DEEPEST = 32;

  private final Path folder;
  private final FileOperations files;

  /** The pointer that was written together with its version and was not yet moved to its place. */
  private @Nullable StagedPointer staged;

  private record StagedPointer(Pointer pointer, Path file) {}

  /** The last look at the folder; null once its entries were used. */
  private volatile @Nullable Look last;

  /**
   * A look at the folder.
   *
   * @param place the place that it found
   * @param entries all entries
   */
  private record Look(Place place, List<Path> entries) {}

  FolderPartition(Path folder, FileOperations files) {
    this.folder = folder;
    this.files = files;
  }

  static Path pointer(Path folder, long epoch) {
    return folder.resolve(StoreLayout.publisher(epoch)).resolve(StoreLayout.POINTER);
  }

  @Override
  public String address() {
    return folder.toString();
  }

  @Override
  public String address(long version) {
    return folder(version).toString();
  }

  private Path folder(long version) {
    return folder.resolve(StoreLayout.version(version));
  }

  @Override
  public void prepare() throws IOException {
    files.createFolder(folder);
    Path up = folder.getParent();
    for (int i = 0; i < 2 && up != null; i++) {
      files.syncFolder(up);
      up = up.getParent();
    }
  }

  @Override
  public Optional<Place> place() throws IOException {
    last = null;
    List<Path> entries = StoreLayout.entries(folder);
    long newest = newestEpoch(entries);
    if (newest == StoreLayout.NONE) {
      return Optional.empty();
    }
    Place place = placeOf(newest);
    last = new Look(place, entries);
    return Optional.of(place);
  }

  /**
   * Returns the highest epoch of the places among some entries; {@link StoreLayout#NONE} for none.
   */
  private static long newestEpoch(List<Path> entries) {
    long newest = StoreLayout.NONE;
    for (Path entry : entries) {
      newest = Math.max(newest, StoreLayout.epochNamed(StoreLayout.fileName(entry)));
    }
    return newest;
  }

  private Place placeOf(long epoch) {
    return placeOf(epoch, found(pointer(folder, epoch)));
  }

  private Place placeOf(long epoch, @Nullable StoredPointer pointer) {
    Path place = folder.resolve(StoreLayout.publisher(epoch));
    return new Place(
        place.toString(), epoch, found(place.resolve(StoreLayout.HOLDER)), pointer, "");
  }

  /** Returns the bytes of a file; a file that cannot be read counts as damaged. */
  private static @Nullable StoredPointer found(Path file) {
    try {
      return new StoredPointer(file.toString(), StoreLayout.text(file));
    } catch (NoSuchFileException missing) {
      return null;
    } catch (IOException unreadable) {
      LOG.debug("{} cannot be read: {}", file, unreadable.toString());
      return new StoredPointer(file.toString(), new byte[0]);
    }
  }

  @Override
  public boolean take(Optional<Place> before, Holder mine, Pointer pointer) throws IOException {
    Path place = place(mine);
    Path staging = stagedIn(folder, mine);
    boolean renamed = false;
    try {
      files.createFolder(staging);
      files.write(staging.resolve(StoreLayout.HOLDER), ManifestCodec.encode(mine));
      files.write(staging.resolve(StoreLayout.POINTER), ManifestCodec.encode(pointer));
      files.syncFolder(staging);
      files.move(staging, place);
      renamed = true;
      files.syncFolder(folder);
    } catch (IOException failed) {
      boolean taken = !renamed && Files.exists(place);
      removeQuietly(staging, failed);
      if (taken) {
        return false;
      }
      throw failed;
    }
    return true;
  }

  @Override
  public Optional<StoredPointer> movedAfter(Place before) {
    return Optional.ofNullable(found(pointer(folder, before.epoch())));
  }

  @Override
  public boolean point(Holder mine, Pointer pointer) throws IOException {
    // One check afterwards is enough to tell whether the place is still this publisher's: if it
    // is not, no reader reads the pointer in it.
    Path place = place(mine);
    StagedPointer written = staged;
    staged = null;
    Path next = stagedIn(place, mine);
    try {
      if (written != null && written.pointer().equals(pointer)) {
        next = written.file();
      } else {
        files.write(next, ManifestCodec.encode(pointer));
        dropStaged(written);
      }
      files.move(next, place.resolve(StoreLayout.POINTER));
      files.syncFolder(place);
    } catch (IOException failed) {
      removeQuietly(next, failed);
      throw failed;
    }
    return isPlaceOf(mine);
  }

  private Path place(Holder mine) {
    return folder.resolve(StoreLayout.publisher(mine.epoch()));
  }

  /** Returns a new name for a file or folder that a publisher has not finished. */
  private static Path stagedIn(Path where, Holder mine) {
    return where.resolve(StoreLayout.STAGING + mine.epoch() + "-" + UUID.randomUUID());
  }

  private boolean isPlaceOf(Holder mine) throws IOException {
    long newest = newestEpoch(StoreLayout.entries(folder));
    return newest == mine.epoch() && placeOf(newest, null).isOf(mine);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Equal places may have been read at other times.
  public long highestVersion(Optional<Place> read) throws IOException {
    Look look = last;
    last = null;
    if (look != null && read.isPresent() && read.get() == look.place()) {
      return highestVersion(look.entries(), look.place());
    }
    return highestVersion(StoreLayout.entries(folder), read.orElse(null));
  }

  private long highestVersion(List<Path> entries, @Nullable Place read) {
    long highest = read == null ? 0 : read.highestVersion();
    long known = read == null ? StoreLayout.NONE : read.epoch();
    for (Path entry : entries) {
      String name = StoreLayout.fileName(entry);
      highest = Math.max(highest, StoreLayout.versionNamed(name));
      long epoch = StoreLayout.epochNamed(name);
      if (epoch != StoreLayout.NONE && epoch != known) {
        highest = Math.max(highest, placeOf(epoch).highestVersion());
      }
    }
    return highest;
  }

  @Override
  public List<Long> versions() throws IOException {
    return StoreLayout.versions(folder);
  }

  @Override
  public boolean holdsModels() throws IOException {
    return StoreLayout.entries(folder).stream()
        .map(StoreLayout::fileName)
        .anyMatch(name -> !name.startsWith(".") && !name.startsWith("publisher-"));
  }

  @Override
  public NewVersion begin(Holder mine, long version) throws IOException {
    dropStaged(staged);
    staged = null;
    Path staging = stagedIn(folder, mine);
    Path pointer = stagedIn(place(mine), mine);
    Path target = folder(version);
    try {
      files.createFolder(staging);
    } catch (IOException failed) {
      removeQuietly(staging, failed);
      throw failed;
    }
    return new NewVersion() {
      /**
       * Contents that are written together with the manifest. The pointer does not name the version
       * before they are written, so no subscriber reads them earlier.
       */
      private final Map<Path, byte[]> contents = new LinkedHashMap<>();

      @Override
      public ModelFile write(String name, byte[] content) {
        contents.put(staging.resolve(StoreLayout.checked(name)), content);
        return new ModelFile(name, content.length, Digests.sha256(content));
      }

      @Override
      public ModelFile copy(String name, Path from) throws IOException {
        MessageDigest sha256 = Digests.sha256();
        long bytes = files.copy(from, staging.resolve(StoreLayout.checked(name)), sha256);
        return new ModelFile(name, bytes, Digests.text(sha256));
      }

      @Override
      public void finish(byte[] manifest) throws IOException {
        Path last = staging.resolve(StoreLayout.MANIFEST);
        if (contents.put(last, manifest) != null) {
          throw new FileAlreadyExistsException(last + " is a file of the model as well");
        }
        Pointer next = new Pointer(ModelManifest.FORMAT_VERSION, version, Digests.sha256(manifest));
        contents.put(pointer, ManifestCodec.encode(next));
        files.write(contents);
        files.syncFolder(staging);
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
          throw new FileAlreadyExistsException(target + " appeared meanwhile");
        }
        files.move(staging, target);
        files.syncFolder(folder);
        staged = new StagedPointer(next, pointer);
      }

      @Override
      public void abandon(IOException why) {
        removeQuietly(staging, why);
        removeQuietly(pointer, why);
      }
    };
  }

  @Override
  public String rowsTag(long version) throws IOException {
    Path rows = folder(version).resolve(ModelManifest.ROWS_FILE);
    try {
      return Files.size(rows) + " " + Files.getLastModifiedTime(rows);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(rows + " is missing");
    }
  }

  @Override
  public void replace(String name, byte[] content) throws IOException {
    new ReplacedFile(folder, name, files).write(content);
  }

  @Override
  public boolean remove(String name) throws IOException {
    if (!Files.exists(folder.resolve(name))) {
      return false;
    }
    new ReplacedFile(folder, name, files).delete();
    return true;
  }

  @Override
  public void changeAliases(AliasChange change) throws IOException {
    if (Files.isDirectory(folder)) {
      new AliasFile(folder, files).change(change);
    }
  }

  @Override
  public Retired retire(long version) throws IOException {
    Retired retired = new Retired(StoreLayout.deleting(version), version);
    rename(folder(version), retired.name());
    return retired;
  }

  private void rename(Path doomed, String name) throws IOException {
    try {
      files.move(doomed, folder.resolve(name));
    } catch (NoSuchFileException gone) {
      LOG.debug("{} is gone already", doomed);
    }
  }

  @Override
  public List<Retired> retired() throws IOException {
    List<Retired> found = new ArrayList<>();
    for (Path entry : StoreLayout.entries(folder)) {
      String name = StoreLayout.fileName(entry);
      if (name.startsWith(StoreLayout.DELETING)) {
        found.add(new Retired(name, StoreLayout.deletedVersion(name)));
      }
    }
    return found;
  }

  @Override
  public void restore(Retired retired) throws IOException {
    Path entry = folder.resolve(retired.name());
    Path back = folder(retired.version());
    if (!Files.exists(entry)) {
      return;
    }
    if (Files.exists(back, LinkOption.NOFOLLOW_LINKS)) {
      List<String> left = new ArrayList<>();
      remove(entry, left, 0);
      if (!left.isEmpty()) {
        throw new IOException(left.get(0));
      }
      return;
    }
    files.move(entry, back);
    files.syncFolder(folder);
  }

  @Override
  public void delete(Retired retired, List<String> left) {
    remove(folder.resolve(retired.name()), left, 0);
  }

  @Override
  public void sweep(Holder mine, OptionalLong pointed, List<String> left) throws IOException {
    List<Path> doomed = new ArrayList<>();
    for (long epoch : StoreLayout.epochs(folder)) {
      if (epoch < mine.epoch()) {
        Path place = folder.resolve(StoreLayout.publisher(epoch));
        String name = StoreLayout.DELETING + UUID.randomUUID();
        try {
          rename(place, name);
          doomed.add(folder.resolve(name));
        } catch (IOException failed) {
          left.add("cannot rename " + place + " to delete it: " + failed);
        }
      }
    }
    List<Path> found = new ArrayList<>(StoreLayout.entries(folder));
    found.addAll(StoreLayout.entries(folder.resolve(StoreLayout.publisher(mine.epoch()))));
    for (Path entry : found) {
      String name = StoreLayout.fileName(entry);
      if (name.startsWith(StoreLayout.STAGING) && !ofNewer(name, mine)) {
        doomed.add(entry);
      }
    }
    doomed.forEach(each -> remove(each, left, 0));
  }

  private static boolean ofNewer(String staging, Holder mine) {
    String rest = staging.substring(StoreLayout.STAGING.length());
    int end = rest.indexOf('-');
    String epoch = end < 0 ? "" : rest.substring(0, end);
    return epoch.matches("\\d{1,18}") && Long.parseLong(epoch) > mine.epoch();
  }

  private void remove(Path entry, List<String> left, int depth) {
    try {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) && depth < DEEPEST) {
        for (Path inside : StoreLayout.entries(entry)) {
          remove(inside, left, depth + 1);
        }
      }
      files.delete(entry);
    } catch (IOException failed) {
      left.add("cannot delete " + entry + ": " + failed);
    }
  }

  /**
   * Deletes a pointer that will not be moved to its place; if the deletion fails, a clean-up
   * deletes the pointer later.
   */
  private void dropStaged(@Nullable StagedPointer unused) {
    if (unused != null) {
      remove(unused.file(), new ArrayList<>(), 0);
    }
  }

  private void removeQuietly(Path staging, IOException failed) {
    List<String> left = new ArrayList<>();
    remove(staging, left, 0);
    left.forEach(each -> failed.addSuppressed(new IOException(each)));
  }
}
