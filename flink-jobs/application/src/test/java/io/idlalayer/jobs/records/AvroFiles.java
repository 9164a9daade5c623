package io.idlalayer.jobs.records;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Avro object container files for tests, written by Avro's own library. */
public final class AvroFiles {
  /** Schema of {@link #numbers}. */
  public static final Schema NUMBERS =
      schema(
          "{'type':'record','name':'Numbers','fields':["
              + "{'name':'inner','type':{'type':'record','name':'Inner','fields':["
              + "{'name':'a','type':['null','double']}]}},"
              + "{'name':'b','type':'int'},"
              + "{'name':'label','type':'int'}]}");

  private static final int NUMBERS_OF_BLOCK = 100;

  private AvroFiles() {}

  /** Writes records with two numbers and a label of 0 or 1, in blocks of 100. */
  public static Path numbers(Path file, int count) throws IOException {
    Random random = new Random(1);
    Schema inner = NUMBERS.getField("inner").schema();
    return write(
        file,
        NUMBERS,
        "deflate",
        count,
        NUMBERS_OF_BLOCK,
        number ->
            record(
                NUMBERS,
                record(inner, random.nextGaussian()),
                random.nextInt(9),
                random.nextInt(2)));
  }

  /** Returns a schema, whose text may have apostrophes in place of quotation marks. */
  public static Schema schema(String text) {
    return new Schema.Parser().parse(text.replace('\'', '"'));
  }

  /** Returns a record with these values of its fields. */
  public static GenericRecord record(Schema schema, Object... values) {
    GenericRecord record = new GenericData.Record(schema);
    for (int i = 0; i < values.length; i++) {
      record.put(i, values[i]);
    }
    return record;
  }

  /** Returns the encoding of a record alone. */
  public static byte[] encoded(GenericRecord record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }

  /**
   * Writes records.
   *
   * @param ofBlock records of a block
   * @param records returns the record of a number from 0
   */
  public static Path write(
      Path file,
      Schema schema,
      String codec,
      int count,
      int ofBlock,
      IntFunction<GenericRecord> records)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
      writer.setCodec(CodecFactory.fromString(codec));
      writer.create(schema, bytes, new byte[16]);
      for (int i = 0; i < count; i++) {
        if (i > 0 && i % ofBlock == 0) {
          long unused = writer.sync();
        }
        writer.append(records.apply(i));
      }
    }
    return Files.write(file, bytes.toByteArray());
  }
}
