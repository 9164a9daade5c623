package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an object store whose keys have one prefix. An object has a key, relative to that
 * prefix, such as {@code electricity/0/current.json}, and a tag that changes whenever the object is
 * replaced. A client can write an object on the condition that it is absent, or has a given tag; of
 * several simultaneous attempts, one succeeds. Every later read and listing sees the written
 * object.
 *
 * <p>Reading a missing object causes a {@link java.nio.file.NoSuchFileException}. After any other
 * {@link IOException} it is unknown whether the store has carried out the request, or will do so
 * later. Every call ends in bounded time. Messages name the object, but no credentials. Safe for
 * several threads.
 */
public interface ObjectBucket extends AutoCloseable {
  /**
   * Returns the address of this bucket and prefix, {@code s3://BUCKET/PREFIX}, without a slash at
   * its end.
   */
  String address();

  /** Returns the address of an object, for messages. */
  default String address(String key) {
    return address() + "/" + key;
  }

  /** An object in a listing, with its length in bytes and its tag. */
  record Listed(String key, long bytes, String tag) {}

  /** Returns all objects whose keys begin with a prefix, ascending, however many there are. */
  List<Listed> list(String prefix) throws IOException;

  /**
   * Returns the names between a prefix and the next slash in the keys, ascending.
   *
   * @param prefix "" or with a slash at its end
   */
  List<String> folders(String prefix) throws IOException;

  /** An object whose whole content was read. */
  record StoredObject(String tag, byte[] content) {}

  /**
   * Reads a small object to memory.
   *
   * @param known the object as it was read before; returned, and not sent again, if unchanged
   * @return empty if there is no object
   * @throws CorruptModelException if it has more than {@link ModelSource#LARGEST_TEXT_BYTES}
   */
  Optional<StoredObject> get(String key, @Nullable StoredObject known) throws IOException;

  /**
   * Opens an object of any size for reading. If the connection breaks, the transfer is resumed, as
   * long as the object is unchanged.
   *
   * @param from the first byte to be read, from 0
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  InputStream open(String key, long from) throws IOException;

  /** The condition under which a write changes an object. */
  sealed interface Condition {
    /** The write succeeds whether there is an object or not. */
    record Always() implements Condition {}

    /** The write succeeds only if there is no object with the key. */
    record Absent() implements Condition {}

    /** The write succeeds only if the object has this tag. */
    record Matches(String tag) implements Condition {}
  }

  /**
   * Writes an object whose content is in memory. With the condition {@link Absent} or {@link
   * Matches}, the object must be small. With {@link Always}, it can have any size and is written in
   * bounded additional memory; no other process is allowed to write it at the same time.
   *
   * @return tag of the object; empty if the store reports that the condition does not hold. The
   *     store sometimes reports this when the client repeats a write that had already succeeded
   */
  Optional<String> put(String key, byte[] content, Condition condition) throws IOException;

  /**
   * Writes an object of any size from a file, with bounded memory. No other process is allowed to
   * write the object at the same time.
   *
   * @param digest updated with the bytes that were sent
   * @return number of bytes
   */
  long upload(String key, Path file, MessageDigest digest) throws IOException;

  /** Deletes an object if it exists. */
  void delete(String key) throws IOException;

  /** Cancels unfinished uploads of large objects, if the store lists them. */
  void abandonUploads(String prefix, Predicate<String> keys) throws IOException;

  /** Closes the connections to the object store. */
  @Override
  void close();
}
