package io.idlalayer.jobs.lineage;

import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The note beside an application's models with the secret key by which its ids are hashed, for jobs
 * without a work directory. State and models contain hashes with this key, so it lies beside the
 * models. It has the form of the file in a work directory.
 */
public final class HashKeyNote {
  /** Name of the note, and of the file in a work directory. */
  public static final String NAME = "id-key";

  private HashKeyNote() {}

  /**
   * Returns the key of an application; creates one if the application has none.
   *
   * @throws IOException if the note cannot be read or written, or holds no key; the message does
   *     not have what it holds
   */
  public static HashKey open(ModelStore store, String application) throws IOException {
    Optional<byte[]> note = store.note(application, NAME);
    if (note.isEmpty()) {
      SecureRandom random = new SecureRandom();
      HashKey made = new HashKey(random.nextLong(), random.nextLong());
      store.writeNote(application, NAME, (made.text() + "\n").getBytes(StandardCharsets.US_ASCII));
      // Another process may have written one at the same time; the last one stays.
      note = store.note(application, NAME);
    }
    try {
      return HashKey.parse(new String(note.orElseThrow(), StandardCharsets.US_ASCII).strip());
    } catch (IllegalArgumentException damaged) {
      throw new IOException(
          "%s/%s in %s does not hold the key of this application: %s; restore it from a backup, because state and models find the rows of ids only with this key"
              .formatted(application, NAME, store.address(), damaged.getMessage()),
          damaged);
    }
  }
}
