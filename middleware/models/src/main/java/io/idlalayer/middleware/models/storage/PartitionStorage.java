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
 * How the models of an application partition are written: the steps, each of which readers see as a
 * whole or not at all. What is to be written, kept and deleted {@code ModelPublisher} and {@link
 * ModelStore} decide. One thread at a time.
 */
public interface PartitionStorage {
  /** Folder or URL, for messages. */
  String address();

  /** Folder or URL of a version. */
  String address(long version);

  /**
   * Makes what must be there before the first publisher.
   *
   * @throws IOException also if the store cannot do what publishers need
   */
  void prepare() throws IOException;

  /** Returns the place of the publisher that came last; empty if none did. */
  Optional<Place> place() throws IOException;

  /**
   * Takes the place after another one. From then on the other publisher's pointer is not read.
   *
   * @param before the place that was found, if there was one
   * @return false if another publisher came first
   */
  boolean take(Optional<Place> before, Holder mine, Pointer pointer) throws IOException;

  /**
   * Returns the pointer of a place that was left, if its publisher could move it after it was
   * found; empty if it could not.
   */
  Optional<StoredPointer> movedAfter(Place before) throws IOException;

  /**
   * Moves the pointer.
   *
   * @return false if another publisher has the place; its pointer is as it was
   */
  boolean point(Holder mine, Pointer pointer) throws IOException;

  /** Returns the highest version that anything here tells of, 0 for none. */
  long highestVersion() throws IOException;

  /** Versions that are there, ascending. */
  List<Long> versions() throws IOException;

  /** Returns whether there is anything but what publishers need for themselves. */
  boolean holdsModels() throws IOException;

  /**
   * Begins to write a version.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is such a version; it may also come
   *     later, from {@link NewVersion#finish}
   */
  NewVersion begin(Holder mine, long version) throws IOException;

  /** A version that is being written. Readers see nothing of it before it is finished. */
  interface NewVersion {
    /** Writes a file, now or when the version is finished. */
    ModelFile write(String name, byte[] content) throws IOException;

    /** Copies a file of any size. */
    ModelFile copy(String name, Path from) throws IOException;

    /** Lets readers see it, with this manifest; it is durable then. */
    void finish(byte[] manifest) throws IOException;

    /** Removes what was written, unless it was finished, or may have been. */
    void abandon(IOException why);
  }

  /**
   * Returns a tag that changes whenever the rows of a version change.
   *
   * @throws CorruptModelException if they are missing
   */
  String rowsTag(long version) throws IOException;

  /** Replaces a small file beside the versions as a whole; the last one wins. */
  void replace(String name, byte[] content) throws IOException;

  /**
   * Takes a small file beside the versions away, a damaged one too.
   *
   * @return whether it was there
   */
  boolean remove(String name) throws IOException;

  /**
   * Computes new aliases from the current ones. It may be called again if another process changed
   * them in the meantime.
   */
  @FunctionalInterface
  interface AliasChange {
    /** Returns the aliases as they are to be; the same ones if nothing is to be written. */
    SortedMap<String, Alias> of(SortedMap<String, Alias> now) throws IOException;
  }

  /**
   * Changes the aliases; those who do so take turns.
   *
   * @throws CorruptModelException if they are damaged
   */
  void changeAliases(AliasChange change) throws IOException;

  /**
   * A version that readers do not see any more, and that is about to be deleted.
   *
   * @param name tells it apart from others
   * @param version 0 if it is no version
   */
  record Retired(String name, long version) {}

  /** Lets readers not see a version any more, so that it can be brought back. */
  Retired retire(long version) throws IOException;

  /** Returns all versions that are about to be deleted, also by publishers that crashed. */
  List<Retired> retired() throws IOException;

  /** Lets readers see a version again; one that is there already stays. */
  void restore(Retired retired) throws IOException;

  /**
   * Deletes for good.
   *
   * @param left what could not be deleted is added, in a sentence each
   */
  void delete(Retired retired, List<String> left);

  /**
   * Deletes what publishers before have left half done, but nothing that a newer one may be
   * writing.
   *
   * @param pointed the version that the pointer names, if that is known
   * @param left what could not be deleted is added, in a sentence each
   */
  void sweep(Holder mine, OptionalLong pointed, List<String> left) throws IOException;
}
