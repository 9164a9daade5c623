package io.idlalayer.middleware.models.kafka.bounds;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.LeastLoadedNode;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * A network client that puts limits on the fetched compressed batches before the consumer unpacks
 * them. Confined to the thread of its consumer, except {@link #wakeup}.
 */
final class BoundedClient implements KafkaClient {
  private final KafkaClient client;
  private final UnpackedPoll poll;
  private final Map<Asked, BoundedPartition> partitions = new HashMap<>();

  /** A partition as requests and answers name it: older brokers by name, newer ones by id. */
  private record Asked(Uuid topicId, String topic, int partition) {
    static Asked of(Uuid topicId, TopicPartition at) {
      return of(topicId, at.topic(), at.partition());
    }

    static Asked of(Uuid topicId, String topic, int partition) {
      return new Asked(topicId, topicId.equals(Uuid.ZERO_UUID) ? topic : "", partition);
    }
  }

  BoundedClient(KafkaClient client, UnpackedPoll poll) {
    this.client = client;
    this.poll = poll;
  }

  @Override
  public void send(ClientRequest request, long nowMillis) {
    if (request.requestBuilder() instanceof FetchRequest.Builder fetch) {
      for (TopicIdPartition gone : fetch.removed()) {
        forget(Asked.of(gone.topicId(), gone.topicPartition()), request.destination());
        forget(Asked.of(Uuid.ZERO_UUID, gone.topicPartition()), request.destination());
      }
      fetch.fetchData().forEach((at, asked) -> ask(at, asked, request.destination()));
    }
    client.send(request, nowMillis);
  }

  private void ask(TopicPartition at, FetchRequest.PartitionData asked, String node) {
    // An older broker names the topic in its answer, even if the request has the topic's id.
    ask(Asked.of(asked.topicId, at), asked.fetchOffset, node);
    ask(Asked.of(Uuid.ZERO_UUID, at), asked.fetchOffset, node);
  }

  private void ask(Asked asked, long offset, String node) {
    bounded(asked).ask(offset, node);
  }

  private BoundedPartition bounded(Asked asked) {
    return partitions.computeIfAbsent(asked, each -> new BoundedPartition(poll));
  }

  /** Forgets a partition of a node, unless the partition was requested from a new leader since. */
  private void forget(Asked gone, String node) {
    BoundedPartition partition = partitions.get(gone);
    if (partition != null && partition.isAskedOf(node)) {
      partitions.remove(gone);
      partition.close();
    }
  }

  @Override
  public List<ClientResponse> poll(long timeoutMillis, long nowMillis) {
    List<ClientResponse> responses = client.poll(timeoutMillis, nowMillis);
    for (ClientResponse response : responses) {
      if (response.responseBody() instanceof FetchResponse fetched) {
        fetched.data().responses().forEach(this::bound);
      }
    }
    return responses;
  }

  private void bound(FetchResponseData.FetchableTopicResponse topic) {
    for (FetchResponseData.PartitionData data : topic.partitions()) {
      if (data.records() instanceof MemoryRecords records) {
        Asked asked = Asked.of(topic.topicId(), topic.topic(), data.partitionIndex());
        data.setRecords(new BoundedRecords(records, bounded(asked)));
      }
    }
  }

  @Override
  public void close() throws IOException {
    partitions.values().forEach(BoundedPartition::close);
    partitions.clear();
    client.close();
  }

  @Override
  public boolean isReady(Node node, long nowMillis) {
    return client.isReady(node, nowMillis);
  }

  @Override
  public boolean ready(Node node, long nowMillis) {
    return client.ready(node, nowMillis);
  }

  @Override
  public long connectionDelay(Node node, long nowMillis) {
    return client.connectionDelay(node, nowMillis);
  }

  @Override
  public long pollDelayMs(Node node, long nowMillis) {
    return client.pollDelayMs(node, nowMillis);
  }

  @Override
  public boolean connectionFailed(Node node) {
    return client.connectionFailed(node);
  }

  @Override
  public AuthenticationException authenticationException(Node node) {
    return client.authenticationException(node);
  }

  @Override
  public void disconnect(String node) {
    client.disconnect(node);
  }

  @Override
  public void close(String node) {
    client.close(node);
  }

  @Override
  public LeastLoadedNode leastLoadedNode(long nowMillis) {
    return client.leastLoadedNode(nowMillis);
  }

  @Override
  public int inFlightRequestCount() {
    return client.inFlightRequestCount();
  }

  @Override
  public boolean hasInFlightRequests() {
    return client.hasInFlightRequests();
  }

  @Override
  public int inFlightRequestCount(String node) {
    return client.inFlightRequestCount(node);
  }

  @Override
  public boolean hasInFlightRequests(String node) {
    return client.hasInFlightRequests(node);
  }

  @Override
  public boolean hasReadyNodes(long nowMillis) {
    return client.hasReadyNodes(nowMillis);
  }

  @Override
  public void wakeup() {
    client.wakeup();
  }

  @Override
  public ClientRequest newClientRequest(
      String node, AbstractRequest.Builder<?> request, long nowMillis, boolean expectsAnswer) {
    return client.newClientRequest(node, request, nowMillis, expectsAnswer);
  }

  @Override
  public ClientRequest newClientRequest(
      String node,
      AbstractRequest.Builder<?> request,
      long nowMillis,
      boolean expectsAnswer,
      int timeoutMillis,
      RequestCompletionHandler callback) {
    return client.newClientRequest(
        node, request, nowMillis, expectsAnswer, timeoutMillis, callback);
  }

  @Override
  public void initiateClose() {
    client.initiateClose();
  }

  @Override
  public boolean active() {
    return client.active();
  }
}
