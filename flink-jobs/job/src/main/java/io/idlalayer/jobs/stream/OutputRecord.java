package io.idlalayer.jobs.stream;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** A record on its way to Kafka, in a form that Flink can serialize. */
public final class OutputRecord {
  public String topic = "";
  public byte[] key = {};
  public byte[] value = {};
  public String[] headerNames = {};
  public byte[][] headerValues = {};

  public OutputRecord() {}

  static OutputRecord of(ProducerRecord<byte[], byte[]> record) {
    OutputRecord output = new OutputRecord();
    output.topic = record.topic();
    output.key = record.key();
    output.value = record.value();
    Header[] headers = record.headers().toArray();
    output.headerNames = new String[headers.length];
    output.headerValues = new byte[headers.length][];
    for (int i = 0; i < headers.length; i++) {
      output.headerNames[i] = headers[i].key();
      output.headerValues[i] = headers[i].value();
    }
    return output;
  }

  ProducerRecord<byte[], byte[]> toRecord() {
    List<Header> headers = new ArrayList<>(headerNames.length);
    for (int i = 0; i < headerNames.length; i++) {
      headers.add(new RecordHeader(headerNames[i], headerValues[i]));
    }
    return new ProducerRecord<>(topic, null, key, value, headers);
  }
}
