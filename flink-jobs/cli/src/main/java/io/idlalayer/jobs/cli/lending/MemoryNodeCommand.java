package io.idlalayer.jobs.cli.lending;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.cli.models.KafkaOptions;
import io.idlalayer.jobs.lending.AnnouncedAddress;
import io.idlalayer.jobs.lending.LenderAnnouncer;
import io.idlalayer.jobs.lending.LenderTopic;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.Quantities;
import io.idlalayer.jobs.terminal.StopSignals;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.lender.NoRoomException;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.ServerKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lends the DRAM of this process to learners. */
@Command(
    name = "memory-node",
    description = {
      "Lends DRAM of this process to learners of other processes, for tensors, until Ctrl-C."
          + " Prints the address, which learners name in memory.tensors.lenders.",
      "The memory is taken from the system at the start. A learner whose lender ends repeats"
          + " one training and loses nothing else.",
      "Listens on the loopback address. For another one, give a key store.",
      "With --bootstrap-servers and --topic, learners find this process on a Kafka topic, which they"
          + " name in memory.lending.topic. The topic is created if it is missing."
    })
public final class MemoryNodeCommand implements Callable<Integer> {
  private static final long LOOK_NANOS = 50_000_000;
  private static final int HIGHEST_PORT = 65_535;

  @Spec CommandSpec spec;

  @Option(
      names = "--lend",
      paramLabel = "SIZE",
      required = true,
      description = "Memory to lend, such as 64GiB; at least 16MiB.")
  String lend;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      required = true,
      description =
          "File with the secret that learners must have (memory.lending.token);"
              + " `openssl rand -hex 32` makes one.")
  Path tokenFile;

  @Option(
      names = "--host",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).",
      defaultValue = "127.0.0.1")
  String host;

  @Option(
      names = "--port",
      description = "Port to listen on, 0 for a free one (default: ${DEFAULT-VALUE}).",
      defaultValue = "7475")
  int port;

  @Option(
      names = "--key-store",
      paramLabel = "FILE",
      description = "PKCS12 file with certificate and private key, for TLS.")
  @Nullable Path keyStore;

  @Option(
      names = "--key-store-password-file",
      paramLabel = "FILE",
      description = "File whose first line is the password of the key store.")
  @Nullable Path keyStorePasswordFile;

  @Mixin KafkaOptions kafka;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Kafka topic on which this process announces itself (memory.lending.topic).")
  @Nullable String topic;

  @Option(
      names = "--announced-host",
      paramLabel = "HOST",
      description =
          "Name or address under which other machines reach this one (default: that of --host).")
  @Nullable String announcedHost;

  @Override
  public Integer call() throws IOException, InterruptedException {
    LenderSettings settings = settings();
    LenderTopic announcedOn = topic();
    if (settings.bytes() > TaskMemory.ofThisProcess().directBytes()) {
      throw tooMuch();
    }
    PrintWriter out = spec.commandLine().getOut();
    try (StopSignals stop = new StopSignals();
        MemoryLender lender = started(settings)) {
      lender.reserve();
      out.printf("lending %s at %s%n", lend, shown(lender.address()));
      out.flush();
      lend(lender, announcedOn, stop);
    } catch (NoRoomException refused) {
      throw tooMuch();
    }
    out.println("stopped");
    out.flush();
    return Terminal.OK;
  }

  private void lend(MemoryLender lender, @Nullable LenderTopic announcedOn, StopSignals stop) {
    PrintWriter out = spec.commandLine().getOut();
    try (LenderAnnouncer announcer = announced(lender, announcedOn)) {
      SortedMap<String, Long> told = new TreeMap<>();
      while (!stop.received() && !Thread.currentThread().isInterrupted()) {
        SortedMap<String, Long> now = lender.use().borrowers();
        if (!now.equals(told)) {
          out.println(lent(now));
          out.flush();
          told = now;
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  private @Nullable LenderAnnouncer announced(
      MemoryLender lender, @Nullable LenderTopic announcedOn) {
    if (announcedOn == null) {
      return null;
    }
    LenderAddress address =
        announcedHost == null
            ? AnnouncedAddress.of(lender.address())
                .orElseThrow(
                    () ->
                        new UsageException(
                            "--host %s: this machine knows only loopback addresses of itself; say with --announced-host under which name or address others reach it"
                                .formatted(host)))
            : new LenderAddress(announcedHost, lender.address().getPort());
    PrintWriter out = spec.commandLine().getOut();
    out.printf("announced as %s on %s%n", address, announcedOn);
    out.flush();
    return LenderAnnouncer.start(announcedOn, address, lender::freeBytes);
  }

  /** Returns a line that says to whom memory is lent, and how much. */
  private static String lent(SortedMap<String, Long> borrowers) {
    return borrowers.isEmpty()
        ? "nothing is lent now"
        : "lent now: "
            + borrowers.entrySet().stream()
                .map(
                    each ->
                        String.format(
                            Locale.ROOT, "%,d bytes to %s", each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
  }

  private UsageException tooMuch() {
    return new UsageException(
        "--lend %s: this process may not have that much memory outside its heap; set IDLA_JAVA_OPTS=-XX:MaxDirectMemorySize=SIZE above it, or lend less"
            .formatted(lend));
  }

  /**
   * Returns the topic for announcements, which exists then; null if the user wants none.
   *
   * @throws UsageException if options are missing, or the topic cannot be created
   */
  private @Nullable LenderTopic topic() throws IOException, InterruptedException {
    Map<String, Object> client = kafka.clientProperties();
    String name = topic;
    if (client == null && name == null) {
      if (announcedHost != null) {
        throw new UsageException("--announced-host needs --topic and --bootstrap-servers");
      }
      return null;
    }
    if (client == null || name == null) {
      throw new UsageException("--topic and --bootstrap-servers go together");
    }
    Map<String, String> properties = new HashMap<>();
    client.forEach((key, value) -> properties.put(key, String.valueOf(value)));
    String servers = properties.remove(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    LenderTopic announcedOn = new LenderTopic(name, String.valueOf(servers), properties);
    Topics.ensureHeartbeats(announcedOn.kafka(), announcedOn.servers(), announcedOn.name());
    return announcedOn;
  }

  private static String shown(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private MemoryLender started(LenderSettings settings) throws IOException {
    try {
      return MemoryLender.start(settings);
    } catch (BindException used) {
      throw new UsageException(
          "--port: %s cannot be used: %s".formatted(shown(settings.bind()), used.getMessage()));
    }
  }

  private LenderSettings settings() {
    if (port < 0 || port > HIGHEST_PORT) {
      throw new UsageException("--port must be 0 to %d, not %d".formatted(HIGHEST_PORT, port));
    }
    try {
      return LenderSettings.of(new InetSocketAddress(host, port), secret(), tls(), bytes());
    } catch (IllegalArgumentException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }

  private long bytes() {
    try {
      return Quantities.bytes(lend);
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--lend: '%s' %s".formatted(lend, refused.getMessage()));
    }
  }

  private Secret secret() {
    try {
      return new Secret(BearerToken.read(tokenFile));
    } catch (NoSuchFileException missing) {
      throw new UsageException("--token-file: there is no file " + missing.getMessage());
    } catch (IOException refused) {
      throw new UsageException("--token-file: " + refused.getMessage());
    }
  }

  private @Nullable SSLContext tls() {
    Path keys = keyStore;
    Path password = keyStorePasswordFile;
    if (keys == null && password == null) {
      return null;
    }
    if (keys == null || password == null) {
      throw new UsageException("--key-store and --key-store-password-file go together");
    }
    try {
      return ServerKeys.read(keys, password);
    } catch (NoSuchFileException missing) {
      throw new UsageException("there is no file " + missing.getMessage());
    } catch (IOException refused) {
      throw new UsageException("--key-store: " + refused.getMessage());
    }
  }
}
