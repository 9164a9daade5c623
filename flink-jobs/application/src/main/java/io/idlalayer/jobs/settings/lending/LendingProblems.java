package io.idlalayer.jobs.settings.lending;

import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds contradictions in the settings of lending. */
public final class LendingProblems {
  private static final int MOST_LENDERS = 16;

  /** Least number of bytes to borrow of a lender. */
  public static final long LEAST_PLACE_BYTES = 1 << 20;

  /**
   * A problem.
   *
   * @param path path of the key below {@code memory}
   * @param message what is wrong, and what to do
   */
  public record Found(String path, String message) {
    /** Returns the names of the sections below {@code memory} that contain the key. */
    public List<String> sections() {
      int dot = path.indexOf('.');
      return dot < 0 ? List.of() : List.of(path.substring(0, dot));
    }

    /** Returns the key. */
    public String key() {
      return path.substring(path.indexOf('.') + 1);
    }
  }

  private LendingProblems() {}

  /**
   * Returns the problems.
   *
   * @param tensors settings of the tensors that may be in borrowed memory
   * @param kafkaProperties properties of the Kafka clients, which name key stores
   */
  public static List<Found> of(
      LendingSettings settings, Tensors tensors, Map<String, String> kafkaProperties) {
    List<Found> found = new ArrayList<>();
    if (settings.lends() && settings.lendBytes() < LenderSettings.DEFAULT_UNIT_BYTES) {
      found.add(new Found("lend-bytes", "must be 0 or at least 16MiB, the unit of loans"));
    }
    if (!settings.lends() && !settings.listen().equals(LendingSettings.DEFAULT_LISTEN)) {
      found.add(new Found("lending.listen", "takes effect with 'lend-bytes' above 0 only"));
    }
    if (settings.borrows() && !tensors.access().byLoadsAndStores()) {
      found.add(
          new Found(
              "tensors.slow-access",
              "cannot be 'direct' with 'borrow-bytes': kernels need slow memory that they can access"
                  + " by loads and stores; leave out one of the two"));
    }
    if (settings.borrows() && !tensors.placed()) {
      found.add(
          new Found(
              "tensors.borrow-bytes",
              "takes effect with 'memory.tensors.fast-bytes' above 0 only"));
    }
    if (!settings.borrows() && settings.order() != PlaceOrder.COST) {
      found.add(new Found("tensors.place-order", "takes effect with 'borrow-bytes' above 0 only"));
    }
    lenders(settings, found);
    topic(settings, found);
    token(settings, found);
    tls(settings, kafkaProperties, found);
    return found;
  }

  private static void lenders(LendingSettings settings, List<Found> found) {
    String key = "tensors.lenders";
    int count = settings.lenders().size();
    if (settings.borrows() && count == 0 && settings.topic().isEmpty()) {
      found.add(
          new Found(
              key,
              "needed with 'borrow-bytes': the lenders, as HOST:PORT; or name a topic on which they"
                  + " announce themselves in 'memory.lending.topic'"));
    } else if (!settings.borrows() && count > 0) {
      found.add(new Found(key, "takes effect with 'borrow-bytes' above 0 only"));
    } else if (count > MOST_LENDERS) {
      found.add(new Found(key, "names %d lenders; at most 16 are possible".formatted(count)));
    } else if (settings.lenders().stream().distinct().count() < count) {
      found.add(new Found(key, "names a lender twice"));
    } else if (settings.borrows()
        && settings.borrowBytes() / Math.max(1, count) < LEAST_PLACE_BYTES) {
      found.add(
          new Found("tensors.borrow-bytes", "must be 0 or at least 1MiB for each of 'lenders'"));
    }
  }

  private static void topic(LendingSettings settings, List<Found> found) {
    if (!settings.topic().isEmpty() && !settings.lends() && !settings.findsLenders()) {
      found.add(
          new Found(
              "lending.topic",
              "takes effect with 'lend-bytes', or with 'tensors.borrow-bytes' without 'lenders'"));
    }
  }

  private static void token(LendingSettings settings, List<Found> found) {
    boolean used = settings.lends() || settings.borrows();
    boolean given = !settings.token().isEmpty();
    if (used && settings.token().length() < Secret.LEAST_CHARACTERS) {
      found.add(
          new Found(
              "lending.token",
              "needed with 'lend-bytes' and 'tensors.borrow-bytes': at least %d characters that"
                      .formatted(Secret.LEAST_CHARACTERS)
                  + " lenders and borrowers share, from the environment, such as"
                  + " \"${env:LENDING_TOKEN}\""));
    } else if (!used && given) {
      found.add(
          new Found(
              "lending.token", "takes effect with 'lend-bytes' or 'tensors.borrow-bytes' only"));
    }
  }

  private static void tls(
      LendingSettings settings, Map<String, String> properties, List<Found> found) {
    if (!settings.tls()) {
      if (settings.lends() && !settings.listen().isLoopback()) {
        found.add(
            new Found(
                "lending.listen",
                "can be reached from other machines: set 'tls: on', so that tensors do not pass"
                    + " the network in clear text"));
      }
      if (!settings.lenders().stream().allMatch(LenderAddress::isLoopback)) {
        found.add(
            new Found(
                "tensors.lenders",
                "are on other machines: set 'memory.lending.tls: on', so that tensors do not pass"
                    + " the network in clear text"));
      }
      return;
    }
    if (!settings.lends() && !settings.borrows()) {
      found.add(
          new Found(
              "lending.tls", "takes effect with 'lend-bytes' or 'tensors.borrow-bytes' only"));
    }
    if (settings.lends() && pem(properties, "ssl.keystore.type")) {
      found.add(
          new Found(
              "lending.tls",
              "reads no PEM: 'kafka.properties' must name a key store of ssl.keystore.type PKCS12"
                  + " or JKS; `openssl pkcs12 -export` makes one of a certificate and its key"));
    } else if (settings.lends() && !properties.containsKey("ssl.keystore.location")) {
      found.add(
          new Found(
              "lending.tls",
              "needs the lender's certificate: ssl.keystore.location in 'kafka.properties'"));
    }
    if (settings.borrows() && pem(properties, "ssl.truststore.type")) {
      found.add(
          new Found(
              "lending.tls",
              "reads no PEM: 'kafka.properties' must name a trust store of ssl.truststore.type"
                  + " PKCS12 or JKS; `keytool -importcert` makes one of a certificate"));
    } else if (settings.borrows() && !properties.containsKey("ssl.truststore.location")) {
      found.add(
          new Found(
              "lending.tls",
              "needs the certificates to trust: ssl.truststore.location in 'kafka.properties'"));
    }
  }

  private static boolean pem(Map<String, String> properties, String key) {
    return "PEM".equalsIgnoreCase(properties.get(key));
  }
}
