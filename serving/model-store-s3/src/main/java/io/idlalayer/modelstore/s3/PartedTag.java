package io.idlalayer.modelstore.s3;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.utils.Md5Utils;

/** The tag that stores give to an object that was sent in parts. */
final class PartedTag {
  private static final Pattern MD5 = Pattern.compile("\"?([0-9a-fA-F]{32})\"?");

  private PartedTag() {}

  /**
   * MD5 of the MD5s of the parts, a dash, and their number, in quotes.
   *
   * @param parts tags of the parts, in order
   * @return empty if they are no MD5s, as with some encryptions
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
    return Optional.of("\"%s-%d\"".formatted(HexFormat.of().formatHex(whole), parts.size()));
  }
}
