package io.idlalayer.modelruntime.artifact;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads a zip into memory, entry by entry: only entries that are expected, each once, and no more
 * bytes than allowed, whatever the zip says of its sizes. Reading an entry to its end checks its
 * CRC.
 */
public final class ZipEntries {
  /** What one array of Java can hold. */
  public static final long LARGEST_BYTES = Integer.MAX_VALUE - 8L;

  private ZipEntries() {}

  /**
   * @param expected names that may be there
   * @param largestBytes of all entries together, unpacked; at most {@link #LARGEST_BYTES}
   * @throws MalformedModelException naming the entry that is too many or too large, or saying what
   *     else is wrong
   */
  public static Map<String, byte[]> read(byte[] file, List<String> expected, long largestBytes)
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
        byte[] content = zip.readNBytes((int) Math.min(LARGEST_BYTES, left + 1));
        if (content.length > left) {
          throw new MalformedModelException(
              "the entries of model.zip are larger than %d bytes, the most that is allowed; it was read up to %s"
                  .formatted(largestBytes, name));
        }
        left -= content.length;
        entries.put(name, content);
      }
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException | RuntimeException broken) {
      throw new MalformedModelException("model.zip is no whole zip: " + broken, broken);
    }
    return entries;
  }

  private static String printable(String name) {
    String start = name.length() > 100 ? name.substring(0, 100) + "..." : name;
    return start.replaceAll("\\p{Cntrl}", "?");
  }

  /** An entry that must be there. */
  public static byte[] required(Map<String, byte[]> entries, String name)
      throws MalformedModelException {
    byte[] content = entries.get(name);
    if (content == null) {
      throw new MalformedModelException("model.zip has no " + name);
    }
    return content;
  }
}
