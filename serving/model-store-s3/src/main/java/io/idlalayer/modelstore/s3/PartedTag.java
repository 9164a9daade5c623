package io.idlalayer.modelstore.s3;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.utils.Md5Utils;

/** Computes the tag (ETag) that stores give to an object that was uploaded in parts. */
final class PartedTag {
  private static final Pattern MD5 = Pattern.compile("\"?([0-9a-fA-F]{32})\"?");

  private PartedTag() {}

  /**
   * Returns the tag of an object: the MD5 of the MD5s of its parts, a dash, and the number of
   * parts, in quotes.
   *
   * @param parts tags of the parts, in order
   * @return the tag; empty if the tags of the parts are not MD5s, as with some encryptions
   */
  static Optional<String> of(List<String> parts) {
    ByteArrayOutputStream digests = new ByteArrayOutputStream();
    for (String each : parts) {
      Matcher digest = MD5.matcher(each);
      if (!digest.matches()) {
        return Optional.empty();
      }
      digests.writeBytes(HexFormat.of().parseHex(digest.group(1).toLowerCase(Locale.ROOT)));
    }
    byte[] whole = Md5Utils.computeMD5Hash(digests.toByteArray());
    return Optional.of(
        String.format(Locale.ROOT, "\"%s-%d\"", HexFormat.of().formatHex(whole), parts.size()));
  }
}
