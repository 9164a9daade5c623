package io.idlalayer.inferencegrpc;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.modelruntime.inference.Inference;
import io.idlalayer.modelruntime.inference.InferenceServer;
import io.idlalayer.modelruntime.inference.ServedModel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Serves predictions over gRPC, by version 2 of the Open Inference Protocol. It answers as {@link
 * InferenceServer} does over HTTP:
 *
 * <pre>{@code
 * try (GrpcInferenceServer server = GrpcInferenceServer.start(
 *     List.of(new ServedModel("electricity", subscriber)), settings, clock)) {
 *   System.out.println(server.address());
 *   ...
 * }
 * }</pre>
 *
 * <p>A call is answered by one version, whatever is published meanwhile. The size of messages, the
 * number of connections, of calls that are answered at a time and of those that wait, and the time
 * that a call may take are bounded.
 */
public final class GrpcInferenceServer implements AutoCloseable {
  /** Threads that answer the short calls while all others predict. */
  private static final int MORE_THREADS = 4;

  private static final int MOST_WAITING = 128;

  /** Most calls in progress that ask whether the server is alive or ready. */
  private static final int MOST_PROBES = 32;

  private static final int MOST_CALLS_OF_A_CONNECTION = 100;
  private static final int MOST_METADATA_BYTES = 16 << 10;
  private static final int WINDOW_BYTES = 1 << 20;
  private static final Duration LONGEST_CALL = Duration.ofMinutes(2);
  private static final Duration LONGEST_IDLE = Duration.ofMinutes(10);
  private static final Duration MOST_FREQUENT_PING = Duration.ofSeconds(10);
  private static final Duration END = Duration.ofSeconds(1);

  private final Server server;
  private final EventLoopGroup accepting;
  private final EventLoopGroup transferring;
  private final ExecutorService answering;
  private final ExecutorService predicting;
  private final ScheduledThreadPoolExecutor deadlines;

  private GrpcInferenceServer(
      Inference inference, ModelServerSettings settings, Duration longestCall) {
    accepting = new NioEventLoopGroup(1, new DefaultThreadFactory("inference-grpc-accept", true));
    transferring = new NioEventLoopGroup(2, new DefaultThreadFactory("inference-grpc-io", true));
    // Their queues have a few entries for each call of each connection, and both are bounded.
    answering =
        Executors.newFixedThreadPool(
            MORE_THREADS, new DefaultThreadFactory("inference-grpc", true));
    predicting =
        Executors.newFixedThreadPool(
            settings.transfers(), new DefaultThreadFactory("inference-grpc-predict", true));
    deadlines =
        new ScheduledThreadPoolExecutor(
            1, new DefaultThreadFactory("inference-grpc-deadlines", true));
    // Nearly every call ends before its time is over.
    deadlines.setRemoveOnCancelPolicy(true);
    int calls = settings.transfers() + MOST_WAITING;
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(settings.bind())
            .bossEventLoopGroup(accepting)
            .workerEventLoopGroup(transferring)
            .channelFactory(() -> new BoundedAcceptor(settings.connections()))
            .executor(answering)
            .callExecutor(new PredictionThreads(predicting))
            .addService(
                ServerInterceptors.intercept(
                    BoundedRequests.of(new InferenceCalls(inference)),
                    // The last one is the first that sees a call.
                    limit(calls, settings, longestCall, Methods.OTHERS),
                    limit(MOST_PROBES, settings, longestCall, Methods.PROBES),
                    new TokenCheck(settings.token())))
            .maxConcurrentCallsPerConnection(MOST_CALLS_OF_A_CONNECTION)
            .maxInboundMessageSize(Math.toIntExact(InferenceServer.MOST_BODY_BYTES))
            .maxInboundMetadataSize(MOST_METADATA_BYTES)
            .flowControlWindow(WINDOW_BYTES)
            .handshakeTimeout(settings.patience().toMillis(), TimeUnit.MILLISECONDS)
            .maxConnectionIdle(LONGEST_IDLE.toMillis(), TimeUnit.MILLISECONDS)
            .permitKeepAliveTime(MOST_FREQUENT_PING.toMillis(), TimeUnit.MILLISECONDS)
            .permitKeepAliveWithoutCalls(true);
    if (settings.tls() != null) {
      builder.sslContext(GrpcTls.of(settings.tls()));
    }
    server = builder.build();
  }

  private CallLimit limit(
      int most, ModelServerSettings settings, Duration longestCall, Methods methods) {
    return new CallLimit(most, settings.patience(), longestCall, deadlines, methods);
  }

  /**
   * Starts a server.
   *
   * @param models at least one, each name once; they may have no version yet. The server does not
   *     close their subscribers
   * @param settings with the token that each call needs, but for those that ask whether the server
   *     is alive or ready. Names of hosts are not checked: a page in a browser cannot make such
   *     calls
   * @param clock for the age of versions
   * @throws IOException if the address is in use or does not belong to this machine
   */
  public static GrpcInferenceServer start(
      List<ServedModel> models, ModelServerSettings settings, InstantSource clock)
      throws IOException {
    return start(models, settings, clock, LONGEST_CALL);
  }

  static GrpcInferenceServer start(
      List<ServedModel> models,
      ModelServerSettings settings,
      InstantSource clock,
      Duration longestCall)
      throws IOException {
    GrpcInferenceServer started =
        new GrpcInferenceServer(new Inference(models, clock), settings, longestCall);
    try {
      started.server.start();
      return started;
    } catch (IOException | RuntimeException refused) {
      started.close();
      throw refused;
    }
  }

  /** Returns the address of the server, with its actual port, such as {@code 127.0.0.1:8001}. */
  public String address() {
    InetSocketAddress address = (InetSocketAddress) server.getListenSockets().get(0);
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  /** Accepts no more calls, gives those in progress a second to end, and stops the threads. */
  @Override
  public void close() {
    server.shutdown();
    try {
      if (!server.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow().awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      deadlines.shutdownNow();
      answering.shutdownNow();
      predicting.shutdownNow();
      var unusedAccepting = accepting.shutdownGracefully(0, END.toMillis(), TimeUnit.MILLISECONDS);
      var unusedTransferring =
          transferring.shutdownGracefully(0, END.toMillis(), TimeUnit.MILLISECONDS);
    }
  }
}
