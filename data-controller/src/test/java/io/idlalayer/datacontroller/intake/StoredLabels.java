package io.idlalayer.datacontroller.intake;

/** Labels without features in the form that the store keeps. */
public final class StoredLabels {
  private StoredLabels() {}

  /** Returns an example of one. */
  public static byte[] example() {
    return new EarlyLabel(
            new byte[] {1, 2}, new EventRecord("clicks", 3, 4, "in.csv:5", new byte[] {6, 7, 8}, 9))
        .encode();
  }

  /** Decodes one and encodes it again. */
  public static byte[] again(byte[] stored) {
    return EarlyLabel.decode(stored).encode();
  }

  /** Returns the encoded sample in one. */
  public static byte[] sample(byte[] stored) {
    return EarlyLabel.decode(stored).sample();
  }
}
