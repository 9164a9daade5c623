package io.idlalayer.modelstore.s3;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a part of a bucket.
 *
 * @param prefix prefix of all keys, without slashes at its ends; "" for the whole bucket
 */
record S3Address(String bucket, String prefix) {
  private static final Pattern ADDRESS =
      Pattern.compile(
          "[sS]3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*)/?");

  /**
   * Parses an address such as {@code s3://BUCKET/PREFIX}.
   *
   * @throws IllegalArgumentException saying what an address looks like, without repeating this one,
   *     which may have a password
   */
  static S3Address parse(String address) {
    Matcher matcher = ADDRESS.matcher(address);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "this is not an address of an object store: s3://BUCKET/PREFIX, with letters, digits, dots,"
              + " dashes and underscores; credentials and endpoint come from the environment");
    }
    String path = matcher.group(2);
    return new S3Address(matcher.group(1), path.isEmpty() ? "" : path.substring(1));
  }

  /** Returns the key in the bucket for a key relative to this part. */
  String key(String relative) {
    return prefix.isEmpty() ? relative : prefix + "/" + relative;
  }

  /** Returns the key relative to this part of the bucket; empty if the key is not in it. */
  Optional<String> relative(String key) {
    String begin = key("");
    return key.startsWith(begin) ? Optional.of(key.substring(begin.length())) : Optional.empty();
  }

  @Override
  public String toString() {
    return "s3://" + key(bucket, prefix);
  }

  private static String key(String bucket, String prefix) {
    return prefix.isEmpty() ? bucket : bucket + "/" + prefix;
  }
}
