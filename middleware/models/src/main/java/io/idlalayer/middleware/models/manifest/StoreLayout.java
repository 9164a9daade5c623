package io.idlalayer.middleware.models.manifest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names the files and folders in a model store, and reads small files with a bound on their size.
 */
public final class StoreLayout {
  /** Largest number of bytes of a manifest, pointer or list; a larger file is damaged. */
  public static final long LARGEST_TEXT_BYTES = 16L << 20;

  public static final String MANIFEST = "manifest.json";
  public static final String POINTER = "current.json";
  public static final String HOLDER = "holder.json";
  public static final String PIN = "pin.json";
  public static final String ALIASES = "aliases.json";
  public static final String STAGING = ".staging-";
  public static final String DELETING = ".deleting-";

  /** Returned in place of a version or epoch if a name has none. */
  public static final long NONE = -1;

  /** Largest number of bytes of a file that fits into a Java array. */
  private static final long LARGEST_FILE_BYTES = Integer.MAX_VALUE - 8L;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final String VERSION = "v";
  private static final String PUBLISHER = "publisher-";
  private static final int FEWEST_DIGITS = 10;
  private static final int MOST_DIGITS = 18;

  private static final Pattern DELETED = Pattern.compile("\\.deleting-v(\\d{10,18})-.*");

  private StoreLayout() {}

  /**
   * Returns a new name for the folder of a version that is to be deleted; each call returns another
   * name.
   */
  public static String deleting(long version) {
    return DELETING + version(version) + "-" + UUID.randomUUID();
  }

  /** Returns the version for which a name was made by {@link #deleting}; 0 for any other name. */
  public static long deletedVersion(String name) {
    Matcher matcher = DELETED.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
  }

  public static String version(long version) {
    return numbered(VERSION, version);
  }

  public static String publisher(long epoch) {
    return numbered(PUBLISHER, epoch);
  }

  /** Returns a prefix and a number of at least {@link #FEWEST_DIGITS} digits. */
  private static String numbered(String prefix, long number) {
    String digits = Long.toString(number);
    return prefix + "0".repeat(Math.max(0, FEWEST_DIGITS - digits.length())) + digits;
  }

  /** Returns the versions in a folder, ascending. */
  public static List<Long> versions(Path folder) throws IOException {
    return numbers(folder, VERSION);
  }

  /** Returns the epochs of the publishers' places in a folder, ascending. */
  public static List<Long> epochs(Path folder) throws IOException {
    return numbers(folder, PUBLISHER);
  }

  private static List<Long> numbers(Path folder, String prefix) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (Path entry : entries(folder)) {
      long number = number(fileName(entry), prefix);
      if (number != NONE) {
        numbers.add(number);
      }
    }
    numbers.sort(null);
    return numbers;
  }

  /** Returns the version whose folder has a name; {@link #NONE} for any other name. */
  public static long versionNamed(String name) {
    return number(name, VERSION);
  }

  /**
   * Returns the epoch of the publisher's place that has a name; {@link #NONE} for any other name.
   */
  public static long epochNamed(String name) {
    return number(name, PUBLISHER);
  }

  /**
   * Returns the number in a name that consists of a prefix and 10 to 18 digits. Each publication
   * calls this for all names in a folder, so the method avoids regular expressions.
   */
  private static long number(String name, String prefix) {
    int digits = name.length() - prefix.length();
    if (digits < FEWEST_DIGITS || digits > MOST_DIGITS || !name.startsWith(prefix)) {
      return NONE;
    }
    long number = 0;
    for (int i = prefix.length(); i < name.length(); i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return NONE;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  /** Returns the entries of a folder; an empty list if it is not a folder. */
  public static List<Path> entries(Path folder) throws IOException {
    List<Path> entries = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        stream.forEach(entries::add);
      } catch (NoSuchFileException | NotDirectoryException gone) {
        return List.of();
      } catch (DirectoryIteratorException failed) {
        throw failed.getCause();
      }
    }
    return entries;
  }

  public static String fileName(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }

  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** Returns a file name unchanged; throws if a file of this name could lie outside its folder. */
  public static String checked(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "'%s' is not a name for a file here: letters, digits, dot, dash and underscore, at most 100"
              .formatted(name));
    }
    return name;
  }

  /**
   * Reads a manifest, pointer or holder from a file.
   *
   * @throws CorruptModelException if the file is too large for such a record
   */
  public static byte[] text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return text(in, file);
    }
  }

  /**
   * Reads a manifest, pointer or list from a stream to its end.
   *
   * @throws CorruptModelException if the stream is too long for such a record
   */
  public static byte[] text(InputStream in, Object where) throws IOException {
    byte[] content = in.readNBytes((int) LARGEST_TEXT_BYTES + 1);
    if (content.length > LARGEST_TEXT_BYTES) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s has more than %d bytes; they are the most it can have",
              where,
              LARGEST_TEXT_BYTES));
    }
    return content;
  }

  /** Throws if a file of a model is too large to be read into memory. */
  public static void checkLoadable(Object file, long bytes) throws IOException {
    if (bytes > LARGEST_FILE_BYTES) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s has %d bytes: a model file is read into one array, so files of 2 GiB or more"
                  + " cannot be served; use a smaller network",
              file,
              bytes));
    }
  }
}
