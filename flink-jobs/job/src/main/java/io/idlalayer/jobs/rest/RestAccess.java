package io.idlalayer.jobs.rest;

import io.idlalayer.middleware.models.http.HostGuard;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.configuration.WebOptions;
import org.jspecify.annotations.Nullable;

/**
 * The settings that say who may use Flink's REST server. They are in Flink's configuration, because
 * Flink itself creates the handlers that apply them.
 */
public final class RestAccess {
  /** Key that turns the guard on; a Flink that is not ours has none. */
  static final ConfigOption<Boolean> GUARDED =
      ConfigOptions.key("idla.rest.guarded").booleanType().defaultValue(false);

  /**
   * Key of the token that requests need in order to change something. Flink shows no value of a key
   * with the word token in it.
   */
  static final ConfigOption<String> TOKEN =
      ConfigOptions.key("idla.rest.token").stringType().noDefaultValue();

  /** Key of further names under which clients may call the server. */
  static final ConfigOption<List<String>> ALLOWED_HOSTS =
      ConfigOptions.key("idla.rest.allowed-hosts").stringType().asList().defaultValues();

  /** An origin that no page has, because a browser shows no page of port 0. */
  private static final String NO_PAGE = "http://127.0.0.1:0";

  private RestAccess() {}

  /**
   * Returns the settings of a server that answers its own pages only.
   *
   * @param token token with which requests may change something, null if none may
   */
  public static Map<String, String> settings(@Nullable String token) {
    Map<String, String> settings = new TreeMap<>();
    settings.put(GUARDED.key(), "true");
    settings.put(WebOptions.ACCESS_CONTROL_ALLOW_ORIGIN.key(), NO_PAGE);
    if (token != null) {
      settings.put(TOKEN.key(), token);
    }
    return settings;
  }

  /** Returns the settings of a client that has the token of a cluster. */
  public static Map<String, String> client(String token) {
    return Map.of(TOKEN.key(), token);
  }

  /**
   * Returns the rules of the server with this configuration, or null if the product has not
   * configured the server.
   */
  static @Nullable RestRules rules(ReadableConfig server) {
    if (!server.get(GUARDED)) {
      return null;
    }
    Set<String> names = new LinkedHashSet<>(server.get(ALLOWED_HOSTS));
    names.forEach(HostGuard::checkedName);
    server.getOptional(RestOptions.ADDRESS).ifPresent(names::add);
    server.getOptional(JobManagerOptions.ADDRESS).ifPresent(names::add);
    boolean tls = server.get(SecurityOptions.SSL_REST_ENABLED);
    HostGuard hosts = new HostGuard(InetSocketAddress.createUnresolved("localhost", 0), tls, names);
    return new RestRules(hosts, server.getOptional(TOKEN).orElse(null));
  }
}
