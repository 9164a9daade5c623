package io.idlalayer.modelstore.s3;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;

/**
 * The settings of the connection to an object store.
 *
 * @param endpoint address of a store other than AWS, which gets the bucket in the path; null for
 *     AWS
 * @param connectTimeout time limit for a connection
 * @param silence longest time without a byte during a read
 * @param callTimeout time limit for one attempt of a call, without the reading of a body
 * @param partBytes size of the parts of a large object, the last one may be smaller; at least 5 MiB
 */
public record S3Settings(
    @Nullable URI endpoint,
    Region region,
    Duration connectTimeout,
    Duration silence,
    Duration callTimeout,
    int partBytes) {
  private static final int READ_TIMES = 2;
  private static final int COMPLETION_TIMES = 5;

  /** Least size of a part that stores accept. */
  static final int LEAST_PART_BYTES = 5 << 20;

  private static final int PART_BYTES = 8 << 20;

  /**
   * @throws IllegalArgumentException if parts are too small
   */
  public S3Settings {
    if (partBytes < LEAST_PART_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "parts have at least %d bytes, not %d", LEAST_PART_BYTES, partBytes));
    }
  }

  /**
   * Reads the settings from the environment, system properties and the profile of AWS: region, and
   * {@code AWS_ENDPOINT_URL_S3} or {@code AWS_ENDPOINT_URL}.
   *
   * @throws IOException if no region is known, or the endpoint is not a URL
   */
  public static S3Settings ofEnvironment() throws IOException {
    return of(System::getProperty, System::getenv);
  }

  /**
   * @param property returns the value of a JVM property, null if it is not set
   * @param variable returns the value of an environment variable, null if it is not set
   */
  static S3Settings of(
      UnaryOperator<@Nullable String> property, UnaryOperator<@Nullable String> variable)
      throws IOException {
    String named =
        first(
            property.apply("aws.endpointUrlS3"),
            variable.apply("AWS_ENDPOINT_URL_S3"),
            property.apply("aws.endpointUrl"),
            variable.apply("AWS_ENDPOINT_URL"));
    URI endpoint = named.isEmpty() ? null : endpoint(named);
    return of(endpoint, region(endpoint));
  }

  /** Returns settings with the default times and sizes. */
  public static S3Settings of(@Nullable URI endpoint, Region region) {
    return new S3Settings(
        endpoint,
        region,
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        PART_BYTES);
  }

  /** Returns the time limit for reading a small object, with all attempts and its body. */
  Duration readTimeout() {
    return callTimeout.multipliedBy(READ_TIMES);
  }

  /**
   * Returns the time limit of one attempt to complete an upload in parts. During such an attempt,
   * the store may also be silent for this long, because some stores copy all parts before they
   * answer.
   */
  Duration completionTimeout() {
    return callTimeout.multipliedBy(COMPLETION_TIMES);
  }

  private static String first(@Nullable String... texts) {
    for (String each : texts) {
      if (each != null && !each.isBlank()) {
        return each;
      }
    }
    return "";
  }

  private static URI endpoint(String text) throws IOException {
    try {
      URI endpoint = new URI(text);
      if (("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
          && endpoint.getHost() != null
          && endpoint.getUserInfo() == null) {
        return endpoint;
      }
    } catch (URISyntaxException refused) {
      // The value is not repeated, because it may contain a password.
      throw new IOException(
          String.format(
              Locale.ROOT,
              "AWS_ENDPOINT_URL is not a URL: %s at character %d",
              refused.getReason(),
              refused.getIndex() + 1));
    }
    throw new IOException(
        "AWS_ENDPOINT_URL must be a URL as https://HOST:PORT, without user and password");
  }

  /**
   * Returns the region for an endpoint. Stores other than AWS need the name of a region in the
   * signature, and most accept any.
   */
  private static Region region(@Nullable URI endpoint) throws IOException {
    AwsRegionProvider named =
        endpoint == null
            ? new DefaultAwsRegionProviderChain()
            : new AwsRegionProviderChain(
                new SystemSettingsRegionProvider(), new AwsProfileRegionProvider());
    try {
      Region found = named.getRegion();
      if (found != null) {
        return found;
      }
    } catch (SdkClientException unknown) {
      if (endpoint == null) {
        throw new IOException(
            "no region of AWS is known: set AWS_REGION, or AWS_ENDPOINT_URL_S3 for another store",
            unknown);
      }
    }
    return Region.US_EAST_1;
  }
}
