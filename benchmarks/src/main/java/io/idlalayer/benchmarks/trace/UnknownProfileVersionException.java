package io.idlalayer.benchmarks.trace;

import java.io.IOException;

/** A recorded step is of a version that this program does not read. */
public final class UnknownProfileVersionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int version;

  /**
   * @param where place where the file was found
   * @param version version of the file
   * @param known version that this program reads
   */
  public UnknownProfileVersionException(Object where, int version, int known) {
    super(
        "%s is a recorded step of version %d; this program reads version %d. Record it again."
            .formatted(where, version, known));
    this.version = version;
  }

  /** Version of the file. */
  public int version() {
    return version;
  }
}
