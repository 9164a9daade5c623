package io.idlalayer.middleware.sample.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the content of a file cannot be read, because the file is cut off, damaged, or of a
 * kind or in an encoding that is not supported. The file is not read again until it has changed.
 * The messages are written for users and do not come from the unpacking library.
 */
public final class UnreadableFileException extends IOException {
  private static final long serialVersionUID = 1L;

  private static final String AGAIN = "copy the file again";

  private final Fault fault;
  private final String file;
  private final String reason;
  private final String place;

  private enum Fault {
    CUT("is cut off"),
    DAMAGED("is damaged"),
    FOREIGN("");

    private final String words;

    Fault(String words) {
      this.words = words;
    }
  }

  /**
   * @param message description of the unreadable file, and what to do
   */
  public UnreadableFileException(String message) {
    this(message, null);
  }

  UnreadableFileException(String message, @Nullable Throwable cause) {
    super(message, cause);
    fault = Fault.FOREIGN;
    file = "";
    reason = "";
    place = "";
  }

  private UnreadableFileException(
      Fault fault,
      String file,
      String reason,
      String place,
      String advice,
      @Nullable Throwable cause) {
    super("%s %s%s: %s; %s".formatted(file, fault.words, place, reason, advice), cause);
    this.fault = fault;
    this.file = file;
    this.reason = reason;
    this.place = place;
  }

  /**
   * Returns the exception for a file that ends before its content does.
   *
   * @param reason clause that says what ends too early
   */
  public static UnreadableFileException cutOff(
      Path file, String reason, @Nullable Throwable cause) {
    return new UnreadableFileException(Fault.CUT, file.toString(), reason, "", AGAIN, cause);
  }

  /**
   * Returns the exception for a file whose content has changed.
   *
   * @param reason clause that says what is damaged
   */
  public static UnreadableFileException damaged(
      Path file, String reason, @Nullable Throwable cause) {
    return new UnreadableFileException(Fault.DAMAGED, file.toString(), reason, "", AGAIN, cause);
  }

  /** Returns whether the file ends before its content does. */
  public boolean isCutOff() {
    return fault == Fault.CUT;
  }

  /** Returns whether the file is cut off or damaged, so that a part of it was possibly read. */
  public boolean isDamage() {
    return fault != Fault.FOREIGN;
  }

  /**
   * Returns this exception with the place of the damage, or this exception itself if the file is
   * not damaged.
   *
   * @param unit name of the counted unit, such as line
   * @param count number of complete units before the damage
   */
  public UnreadableFileException after(String unit, long count) {
    return isDamage()
        ? new UnreadableFileException(
            fault,
            file,
            reason,
            count == 0
                ? " before the end of its first " + unit
                : String.format(Locale.ROOT, " after %s %d", unit, count),
            AGAIN,
            this)
        : this;
  }

  /**
   * Returns this exception with a text about what became of the part before the damage, or this
   * exception itself if there is no damage.
   */
  public UnreadableFileException adding(String kept) {
    return adding(kept, AGAIN);
  }

  /**
   * Returns this exception with a text about what became of the part before the damage and what to
   * do, or this exception itself if there is no damage.
   */
  public UnreadableFileException adding(String kept, String advice) {
    return isDamage()
        ? new UnreadableFileException(fault, file, reason + "; " + kept, place, advice, this)
        : this;
  }
}
