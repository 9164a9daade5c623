package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.path.PathTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;

/**
 * An Avro object container file, which has the schema of its records in its header. A block is
 * returned only after all of its records were read, because this is the only way to notice a
 * damaged block.
 */
public final class AvroFile {
  private final Path file;
  private final RecordSchemas.SchemaFile text;
  private final Schema schema;

  private AvroFile(Path file, RecordSchemas.SchemaFile text, Schema schema) {
    this.file = file;
    this.text = text;
    this.schema = schema;
  }

  /**
   * Reads the header of a file.
   *
   * @throws UnreadableFileException if it is cut off or damaged within its header, no Avro file, or
   *     has no records
   * @throws IOException if it cannot be read now
   */
  public static AvroFile of(Path file) throws IOException {
    try (AvroBlocks blocks = new AvroBlocks(file)) {
      byte[] text = blocks.schema().getBytes(StandardCharsets.UTF_8);
      RecordSchemas.SchemaFile own =
          new RecordSchemas.SchemaFile(file.toAbsolutePath().toString(), text, "");
      return new AvroFile(file, own, AvroSchemas.read(own));
    } catch (IllegalArgumentException unusable) {
      throw new UnreadableFileException(
          "%s cannot be read by the schema in its header: %s"
              .formatted(file, unusable.getMessage()));
    }
  }

  /** Returns the schema of the records, in the form of a schema that holds for all records. */
  public RecordSchemas schemas() {
    return new RecordSchemas(null, text);
  }

  /** Returns the schema of the records as JSON. */
  public String text() {
    return new String(text.content(), StandardCharsets.UTF_8);
  }

  /** Returns the full name of the records. */
  public String recordName() {
    return schema.getFullName();
  }

  Schema schema() {
    return schema;
  }

  /**
   * Refuses the file if its records are not written with an expected schema.
   *
   * @param expected the schema of all records
   * @throws UnreadableFileException with the first difference
   */
  public void require(RecordSchemas.SchemaFile expected) throws UnreadableFileException {
    String difference = AvroDifference.first(schema, AvroSchemas.read(expected));
    if (difference != null) {
      throw new UnreadableFileException(
          "%s cannot be sent: it was written with another schema than that of input.schema-file, and its records do not name their schema: %s; name the schema of this file in input.schema-file, or use input.registry, with which each record names its schema"
              .formatted(file, difference));
    }
  }

  /**
   * Opens a reader of the records.
   *
   * @param prefix bytes that are put before each record
   */
  public RecordReader open(byte[] prefix) throws IOException {
    AvroBlocks blocks = new AvroBlocks(file);
    if (!blocks.schema().equals(text())) {
      blocks.close();
      throw new UnreadableFileException(
          file + " was replaced by a file of another schema while it was read; start again");
    }
    return new Reader(blocks, prefix);
  }

  private final class Reader implements RecordReader {
    private final AvroBlocks blocks;
    private final byte[] prefix;
    private final AvroFields fields = new AvroFields(schema, new PathTree(List.of()), Set.of());
    private int[] ends = {};
    private int index;
    private long position;
    private byte[] current = {};

    Reader(AvroBlocks blocks, byte[] prefix) {
      this.blocks = blocks;
      this.prefix = prefix.clone();
    }

    @Override
    public boolean next() throws IOException {
      if (index == ends.length && !nextBlock()) {
        return false;
      }
      int from = index == 0 ? 0 : ends[index - 1];
      int length = ends[index] - from;
      current = Arrays.copyOf(prefix, prefix.length + length);
      System.arraycopy(blocks.records(), from, current, prefix.length, length);
      index++;
      position++;
      return true;
    }

    private boolean nextBlock() throws IOException {
      index = 0;
      ends = new int[0];
      try {
        if (!blocks.next()) {
          return false;
        }
        ends = fields.ends(blocks.records(), blocks.count());
        return true;
      } catch (MalformedSampleException broken) {
        throw blocks
            .damaged(blocks.place() + ", " + broken.getMessage(), broken)
            .after("record", position);
      } catch (UnreadableFileException damaged) {
        throw damaged.after("record", position);
      }
    }

    @Override
    public byte[] record() {
      return current;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public String place() {
      return blocks.place();
    }

    @Override
    public void close() throws IOException {
      blocks.close();
    }
  }
}
