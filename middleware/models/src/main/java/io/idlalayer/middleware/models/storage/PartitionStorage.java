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
 * Writes the models of an application partition in steps, each of which readers see completely or
 * not at all. What is to be written, kept and deleted {@code ModelPublisher} and {@code ModelStore}
 * decide. One thread at a time.
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

  /** Returns the place of the publisher that came last; empty if there was no publisher. */
  Optional<Place> place() throws IOException;

  /**
   * Takes the publisher's place from the publisher that had it. From then on the other publisher's
   * pointer is not read.
   *
   * @param before the place that was found, if there was one
   * @return false if another publisher came first
   */
  boolean take(Optional<Place> before, Holder mine, Pointer pointer) throws IOException;

  /**
   * Returns the pointer that a replaced publisher has moved after its place was read; empty if it
   * has not.
   */
  Optional<StoredPointer> movedAfter(Place before) throws IOException;

  /**
   * Moves the pointer to another version.
   *
   * @return false if another publisher has the place; its pointer is as it was
   */
  boolean point(Holder mine, Pointer pointer) throws IOException;

  /**
   * Returns the highest version that any file or name in the storage mentions, 0 if there is none.
   *
   * @param read the place of the publisher that came last, as it was read just now
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
   * @throws java.nio.file.FileAlreadyExistsException if there is such a version; it may also come
   *     later, from {@link NewVersion#finish}
   */
  NewVersion begin(Holder mine, long version) throws IOException;

  /** A version that is being written. Readers see nothing of it before it is finished. */
  interface NewVersion {
    /** Writes a file of the version, now or when the version is finished. */
    ModelFile write(String name, byte[] content) throws IOException;

    /** Copies a file of any size into the version. */
    ModelFile copy(String name, Path from) throws IOException;

    /** Completes the version with its manifest: readers see it from then on, and it is durable. */
    void finish(byte[] manifest) throws IOException;

    /** Removes the files that were written, unless the version was finished or may have been. */
    void abandon(IOException why);
  }

  /**
   * Returns a tag that changes whenever the file of embedding rows of a version changes.
   *
   * @throws CorruptModelException if they are missing
   */
  String rowsTag(long version) throws IOException;

  /**
   * Replaces a small file beside the versions as a whole; if several processes do, the last one
   * wins.
   */
  void replace(String name, byte[] content) throws IOException;

  /**
   * Deletes a small file beside the versions, even if it is damaged.
   *
   * @return whether it was there
   */
  boolean remove(String name) throws IOException;

  /**
   * Computes the new aliases of an application partition from the current ones. It may be called
   * again if another process changed them in the meantime.
   */
  @FunctionalInterface
  interface AliasChange {
    /** Returns the new aliases; the current ones if nothing is to be written. */
    SortedMap<String, Alias> of(SortedMap<String, Alias> now) throws IOException;
  }

  /**
   * Changes the aliases; processes that do so at the same time take turns.
   *
   * @throws CorruptModelException if they are damaged
   */
  void changeAliases(AliasChange change) throws IOException;

  /**
   * A version that readers do not see any more because it is about to be deleted.
   *
   * @param name tells it apart from others
   * @param version 0 if it is not a version
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
   * Makes a version visible to readers again; if a version of this number is visible already, that
   * one stays.
   */
  void restore(Retired retired) throws IOException;

  /**
   * Deletes a retired version for good.
   *
   * @param left what could not be deleted is added, in a sentence each
   */
  void delete(Retired retired, List<String> left);

  /**
   * Deletes files that earlier publishers have left unfinished, but none that a newer publisher may
   * be writing.
   *
   * @param pointed the version that the pointer names, if that is known
   * @param left what could not be deleted is added, in a sentence each
   */
  void sweep(Holder mine, OptionalLong pointed, List<String> left) throws IOException;
}
