package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/**
 * Writes the models of an application partition in steps; readers see each step completely or not
 * at all. {@code ModelPublisher} and {@code ModelStore} decide what is written, kept and deleted.
 * For one thread at a time.
 */
public interface PartitionStorage {
  /** Returns the folder or URL of the application partition, for messages. */
  String address();

  /** Returns the folder or URL of a version, for messages. */
  String address(long version);

  /**
   * Creates what must exist in the storage before a publisher can publish.
   *
   * @throws IOException also if the store cannot do what publishers need
   */
  void prepare() throws IOException;

  /** Returns the place of the newest publisher; empty if there was no publisher. */
  Optional<Place> place() throws IOException;

  /**
   * Takes the publisher's place from the publisher that had it. From then on nothing reads the
   * other publisher's pointer.
   *
   * @param before the place that was found, if there was one
   * @return false if another publisher took the place first
   */
  boolean take(Optional<Place> before, Holder mine, Pointer pointer) throws IOException;

  /**
   * Returns the pointer of a replaced publisher if the publisher has moved it after its place was
   * read; otherwise empty.
   */
  Optional<StoredPointer> movedAfter(Place before) throws IOException;

  /**
   * Moves the pointer to another version.
   *
   * @return false if another publisher has the place; that publisher's pointer is unchanged
   */
  boolean point(Holder mine, Pointer pointer) throws IOException;

  /**
   * Returns the highest version that any file or name in the storage mentions, 0 if there is none.
   *
   * @param read the place of the newest publisher, as it was read just now
   */
  long highestVersion(Optional<Place> read) throws IOException;

  /** Returns the stored versions, ascending. */
  List<Long> versions() throws IOException;

  /**
   * Returns whether the storage holds anything besides the files that publishers need for
   * themselves.
   */
  boolean holdsModels() throws IOException;

  /**
   * Begins to write the files of a version.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is such a version; some storages
   *     throw this exception only in {@link NewVersion#finish}
   */
  NewVersion begin(Holder mine, long version) throws IOException;

  /** A version that is being written. Readers see nothing of it before it is finished. */
  interface NewVersion {
    /** Writes a file of the version, now or when the version is finished. */
    ModelFile write(String name, byte[] content) throws IOException;

    /** Copies a file of any size into the version. */
    ModelFile copy(String name, Path from) throws IOException;

    /** Completes the version with its manifest: from then on it is durable and readers see it. */
    void finish(byte[] manifest) throws IOException;

    /** Removes the written files, unless the version was finished or perhaps was finished. */
    void abandon(IOException why);
  }

  /**
   * Returns a tag that changes whenever the file of embedding rows of a version changes.
   *
   * @throws CorruptModelException if the file is missing
   */
  String rowsTag(long version) throws IOException;

  /**
   * Replaces a small file beside the versions as a whole. If several processes replace it, the last
   * one wins.
   */
  void replace(String name, byte[] content) throws IOException;

  /**
   * Deletes a small file beside the versions, even if it is damaged.
   *
   * @return whether the file existed
   */
  boolean remove(String name) throws IOException;

  /**
   * Computes the new aliases of an application partition from the current ones. The storage calls
   * it again if another process has changed the aliases in the meantime.
   */
  @FunctionalInterface
  interface AliasChange {
    /** Returns the new aliases; the current ones if nothing is to be written. */
    SortedMap<String, Alias> of(SortedMap<String, Alias> now) throws IOException;
  }

  /**
   * Changes the aliases. Processes that change them at the same time take turns.
   *
   * @throws CorruptModelException if the aliases are damaged
   */
  void changeAliases(AliasChange change) throws IOException;

  /**
   * A version that readers do not see any more because it is about to be deleted.
   *
   * @param name distinguishes this retired version from others
   * @param version number of the version; 0 if the entry is not a version
   */
  record Retired(String name, long version) {}

  /** Hides a version from readers; it can be restored until it is deleted. */
  Retired retire(long version) throws IOException;

  /**
   * Returns the retired versions, which are about to be deleted, including those of publishers that
   * crashed.
   */
  List<Retired> retired() throws IOException;

  /**
   * Makes a version visible to readers again, unless a version of this number is visible already.
   */
  void restore(Retired retired) throws IOException;

  /**
   * Deletes a retired version for good.
   *
   * @param left gets a sentence for each file that cannot be deleted
   */
  void delete(Retired retired, List<String> left);

  /**
   * Deletes files that earlier publishers have left unfinished, but none that a newer publisher may
   * be writing.
   *
   * @param pointed the version that the pointer names, if that is known
   * @param left gets a sentence for each file that cannot be deleted
   */
  void sweep(Holder mine, OptionalLong pointed, List<String> left) throws IOException;
}
