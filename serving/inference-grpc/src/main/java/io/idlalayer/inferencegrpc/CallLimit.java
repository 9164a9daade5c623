package io.idlalayer.inferencegrpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Refuses calls while too many are in progress, and ends those whose message does not arrive in
 * time. Safe from any thread.
 */
final class CallLimit implements ServerInterceptor {
  private final Semaphore calls;
  private final Methods methods;
  private final Duration arrival;
  private final Duration longest;
  private final ScheduledExecutorService timer;

  /**
   * @param most most calls in progress, those included whose message has not arrived
   * @param arrival longest time for a message to arrive
   * @param longest longest time for a call
   * @param methods calls of which methods are limited; others pass
   */
  CallLimit(
      int most,
      Duration arrival,
      Duration longest,
      ScheduledExecutorService timer,
      Methods methods) {
    calls = new Semaphore(most);
    this.methods = methods;
    this.arrival = arrival;
    this.longest = longest;
    this.timer = timer;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (Methods.of(call.getMethodDescriptor()) != methods) {
      return next.startCall(call, headers);
    }
    if (!calls.tryAcquire()) {
      call.close(Status.UNAVAILABLE.withDescription("too many requests at a time"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    // The prediction looks at the context between two parts of the rows.
    Context.CancellableContext context =
        Context.current().withDeadlineAfter(longest.toNanos(), TimeUnit.NANOSECONDS, timer);
    InProgress<Q, A> progress = new InProgress<>(call, context);
    try {
      return progress.over(Contexts.interceptCall(context, call, headers, next));
    } catch (RuntimeException failed) {
      progress.end();
      throw failed;
    }
  }

  /** A call that has begun. */
  private final class InProgress<Q, A> {
    private final ServerCall<Q, A> call;
    private final Context.CancellableContext context;
    private final ScheduledFuture<?> timeout;

    /** Set by the first of two: the message is complete, or the time for it is over. */
    private final AtomicBoolean decided = new AtomicBoolean();

    private final AtomicBoolean ended = new AtomicBoolean();

    InProgress(ServerCall<Q, A> call, Context.CancellableContext context) {
      this.call = call;
      this.context = context;
      timeout = timer.schedule(this::tooLate, arrival.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Ends the call if its message is not complete; no other thread answers it then. */
    private void tooLate() {
      if (decided.compareAndSet(false, true)) {
        try {
          call.close(
              Status.DEADLINE_EXCEEDED.withDescription(
                  "the request did not arrive within " + arrival.toSeconds() + " s"),
              new Metadata());
        } finally {
          end();
        }
      }
    }

    void end() {
      if (ended.compareAndSet(false, true)) {
        timeout.cancel(false);
        context.cancel(null);
        calls.release();
      }
    }

    ServerCall.Listener<Q> over(ServerCall.Listener<Q> listener) {
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onHalfClose() {
          if (decided.compareAndSet(false, true)) {
            super.onHalfClose();
          }
        }

        @Override
        public void onComplete() {
          end();
          super.onComplete();
        }

        @Override
        public void onCancel() {
          end();
          super.onCancel();
        }
      };
    }
  }
}
