package io.idlalayer.jobs.lineage;

import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The note with the secret key by which an application's ids are hashed, for jobs without a work
 * directory. State and models contain hashes that were made with this key, so the note lies beside
 * the models. The note has the format of the key file in a work directory.
 */
public final class HashKeyNote {
  /** Name of the note, and of the key file in a work directory. */
  public static final String NAME = "id-key";

  private HashKeyNote() {}

  /**
   * Returns the key of an application; creates one if the application has none.
   *
   * @throws IOException if the note cannot be read or written, or holds no key; the message does
   *     not contain the text of the note
   */
  public static HashKey open(ModelStore store, String application) throws IOException {
    Optional<byte[]> note = store.note(application, NAME);
    if (note.isEmpty()) {
      SecureRandom random = new SecureRandom();
      HashKey made = new HashKey(random.nextLong(), random.nextLong());
      store.writeNote(application, NAME, (made.text() + "\n").getBytes(StandardCharsets.US_ASCII));
      // Another process might have written a key at the same time. The key that was written last
      // stays.
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
