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
 * The settings that say who is allowed to use Flink's REST server. They are in Flink's
 * configuration, because Flink itself creates the handlers that apply them.
 */
public final class RestAccess {
  /**
   * Key that turns the guard on. The configuration of a Flink that the product has not started does
   * not have this key.
   */
  static final ConfigOption<Boolean> GUARDED =
      ConfigOptions.key("idla.rest.guarded").booleanType().defaultValue(false);

  /**
   * Key of the token that requests need to change something. Flink never shows the value of a key
   * whose name contains the word "token".
   */
  static final ConfigOption<String> TOKEN =
      ConfigOptions.key("idla.rest.token").stringType().noDefaultValue();

  /** Key of further host names that clients are allowed to use for the server. */
  static final ConfigOption<List<String>> ALLOWED_HOSTS =
      ConfigOptions.key("idla.rest.allowed-hosts").stringType().asList().defaultValues();

  /** An origin that no page can have, because browsers open no page at port 0. */
  private static final String NO_PAGE = "http://127.0.0.1:0";

  private RestAccess() {}

  /**
   * Returns the settings of a server that answers no requests from web pages except its own.
   *
   * @param token token that allows a request to change something; null if no request is allowed to
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
   * Returns the rules for the server that has this configuration; null if the product has not
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
