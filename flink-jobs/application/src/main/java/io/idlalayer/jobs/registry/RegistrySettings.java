package io.idlalayer.jobs.registry;

import java.io.Serializable;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The settings for reaching a schema registry.
 *
 * @param url address of the registry, without a slash at the end
 * @param login user and password for basic authentication; null if there is none
 * @param trustStore certificates of the trusted authorities; null to use those of the JDK
 * @param keyStore certificate and key of this client; null if there is none
 * @param timeLimitMillis longest time of one request in milliseconds, above 0
 */
public record RegistrySettings(
    URI url,
    @Nullable Login login,
    @Nullable Store trustStore,
    @Nullable Store keyStore,
    long timeLimitMillis)
    implements Serializable {
  /** User and password. {@code toString} does not show the password. */
  public record Login(String user, String password) implements Serializable {
    @Override
    public String toString() {
      return "Login[user=" + user + "]";
    }
  }

  /**
   * A file with keys or certificates, in format PKCS12 or JKS. {@code toString} does not show the
   * password. The process that reads events opens it.
   *
   * @param file absolute path
   */
  public record Store(String file, String password) implements Serializable {
    @Override
    public String toString() {
      return "Store[file=" + file + "]";
    }
  }
}
