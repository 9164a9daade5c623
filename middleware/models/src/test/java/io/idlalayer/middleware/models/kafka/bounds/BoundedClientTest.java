package io.idlalayer.middleware.models.kafka.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

/** A client whose partition gets a new leader. */
final class BoundedClientTest {
  private static final Uuid TOPIC = Uuid.randomUuid();
  private static final TopicPartition PARTITION = new TopicPartition("events", 0);
  private static final TopicIdPartition PARTITION_OF_ID = new TopicIdPartition(TOPIC, PARTITION);

  private List<ClientResponse> answers = List.of();
  private final BoundedClient client =
      new BoundedClient(broker(), new UnpackedPoll(new UnpackLimits(1_000, 5_000)));

  private KafkaClient broker() {
    return (KafkaClient)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {KafkaClient.class},
            (self, method, arguments) -> method.getName().equals("poll") ? answers : null);
  }

  private static ClientRequest request(
      String node, Map<TopicPartition, FetchRequest.PartitionData> asked, boolean hasGone) {
    FetchRequest.Builder fetch =
        FetchRequest.Builder.forConsumer(ApiKeys.FETCH.latestVersion(), 1, 1, asked)
            .removed(hasGone ? List.of(PARTITION_OF_ID) : List.of());
    return new ClientRequest(node, fetch, 1, "client", 0, true, 1_000, null);
  }

  private void ask(String node, long offset) {
    client.send(
        request(
            node,
            Map.of(
                PARTITION,
                new FetchRequest.PartitionData(TOPIC, offset, 0, 1_000, Optional.empty())),
            false),
        0);
  }

  private void remove(String node) {
    client.send(request(node, Map.of(), true), 0);
  }

  private Object answered(String node) {
    MemoryRecords records =
        MemoryRecords.withRecords(Compression.gzip().build(), new SimpleRecord(new byte[9]));
    LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> data = new LinkedHashMap<>();
    data.put(
        PARTITION_OF_ID,
        new FetchResponseData.PartitionData().setPartitionIndex(0).setRecords(records));
    FetchResponse body = FetchResponse.of(Errors.NONE, 0, 1, data, List.of());
    RequestHeader header = new RequestHeader(ApiKeys.FETCH, (short) 13, "client", 1);
    answers = List.of(new ClientResponse(header, null, node, 0, 0, false, null, null, body));
    client.poll(0, 0);
    return data.get(PARTITION_OF_ID).records();
  }

  @Test
  void answers_ofTheNewLeader_areBoundedWhicheverNodeIsAskedFirst() {
    ask("1", 5);
    assertThat(answered("1")).isInstanceOf(BoundedRecords.class);
    ask("2", 7);
    remove("1");
    assertThat(answered("2")).isInstanceOf(BoundedRecords.class);
    remove("2");
    ask("1", 9);
    assertThat(answered("1")).isInstanceOf(BoundedRecords.class);
  }

  @Test
  void answers_toNoKnownRequest_areBounded() {
    ask("1", 5);
    remove("1");
    assertThat(answered("1")).isInstanceOf(BoundedRecords.class);
  }
}
