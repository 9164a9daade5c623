package io.idlalayer.modelruntime.artifact;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads a zip into memory, entry by entry: only entries that are expected, each once, and no more
 * bytes than allowed, whatever the zip says of its sizes. Reading an entry to its end checks its
 * CRC.
 */
public final class ZipEntries {
  /** Largest length of an array in Java. */
  public static final long LARGEST_BYTES = Integer.MAX_VALUE - 8L;

  private static final byte[] NOTHING = {};
  private static final int PASSED_BYTES = 8 << 10;
  private static final long UPDATER_STATES = 4;

  private ZipEntries() {}

  /**
   * Reads the entries of a zip.
   *
   * @param expected names of the entries that may occur
   * @param largestBytes limit of all entries together, unpacked; at most {@link #LARGEST_BYTES}
   * @throws MalformedModelException with the name of an unexpected or too large entry, or another
   *     reason
   */
  public static Map<String, byte[]> read(byte[] file, List<String> expected, long largestBytes)
      throws MalformedModelException {
    return read(file, expected, Set.of(), largestBytes, expected.size());
  }

  /**
   * Reads the entries of a zip without some that the caller does not need: those are checked, and
   * no more than a few kilobytes of them are held at a time.
   *
   * @param passedOver names among the expected ones
   */
  public static Map<String, byte[]> read(
      byte[] file, List<String> expected, Set<String> passedOver, long largestBytes)
      throws MalformedModelException {
    return read(file, expected, passedOver, largestBytes, expected.size());
  }

  /**
   * Reads entries up to the last one that is needed; later entries are ignored.
   *
   * @param needed number of expected entries that are needed, from the first
   */
  public static Map<String, byte[]> read(
      byte[] file, List<String> expected, long largestBytes, int needed)
      throws MalformedModelException {
    return read(file, expected, Set.of(), largestBytes, needed);
  }

  private static Map<String, byte[]> read(
      byte[] file, List<String> expected, Set<String> passedOver, long largestBytes, int needed)
      throws MalformedModelException {
    Map<String, byte[]> entries = new HashMap<>();
    long left = Math.min(largestBytes, LARGEST_BYTES);
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(file))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName();
        if (!expected.contains(name)) {
          throw new MalformedModelException(
              "model.zip has an entry '%s'; only %s are read, and nothing else is opened"
                  .formatted(printable(name), String.join(", ", expected)));
        }
        if (entries.containsKey(name)) {
          throw new MalformedModelException("model.zip has two entries " + name);
        }
        if (passedOver.contains(name)) {
          pass(zip, name, largestBytes);
          entries.put(name, NOTHING);
          continue;
        }
        byte[] content = content(zip, entry, Math.min(left, file.length), left);
        if (content.length > left) {
          throw tooLarge(largestBytes, name);
        }
        left -= content.length;
        entries.put(name, content);
        if (needed < expected.size() && entries.keySet().containsAll(expected.subList(0, needed))) {
          break;
        }
      }
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException | RuntimeException broken) {
      throw new MalformedModelException("model.zip is not a complete zip: " + broken, broken);
    }
    return entries;
  }

  private static MalformedModelException tooLarge(long largestBytes, String name) {
    return new MalformedModelException(
        String.format(
            Locale.ROOT,
            "the entries of model.zip are larger than %d bytes, the most that is allowed; it was"
                + " read up to %s",
            largestBytes,
            name));
  }

  private static void pass(ZipInputStream zip, String name, long largestBytes) throws IOException {
    byte[] passed = new byte[PASSED_BYTES];
    // The state of an updater is a few times as large as the network.
    long left = UPDATER_STATES * Math.min(largestBytes, LARGEST_BYTES);
    for (int read = zip.read(passed); read >= 0; read = zip.read(passed)) {
      left -= read;
      if (left < 0) {
        throw tooLarge(largestBytes, name);
      }
    }
  }

  /**
   * Reads the content of an entry, at once if its length is known.
   *
   * @param plain largest length of an entry that is not compressed
   * @param left largest permitted length; of a longer content, at least one byte more is read
   */
  private static byte[] content(ZipInputStream zip, ZipEntry entry, long plain, long left)
      throws IOException {
    long size = entry.getMethod() == ZipEntry.STORED ? entry.getSize() : -1;
    if (size < 0 || size > plain) {
      return zip.readNBytes((int) Math.min(LARGEST_BYTES, left + 1));
    }
    byte[] content = new byte[(int) size];
    int read = zip.readNBytes(content, 0, content.length);
    return read == content.length ? content : Arrays.copyOf(content, read);
  }

  private static String printable(String name) {
    String start = name.length() > 100 ? name.substring(0, 100) + "..." : name;
    return start.replaceAll("\\p{Cntrl}", "?");
  }

  /** Returns the content of an entry, which must exist. */
  public static byte[] required(Map<String, byte[]> entries, String name)
      throws MalformedModelException {
    byte[] content = entries.get(name);
    if (content == null) {
      throw new MalformedModelException("model.zip has no " + name);
    }
    return content;
  }
}
