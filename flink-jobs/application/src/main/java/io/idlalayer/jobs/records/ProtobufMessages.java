package io.idlalayer.jobs.records;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.path.PathTree;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the declared fields in the messages of one Protobuf file. Each record begins with the
 * indexes of its message: how many there are, and for each level, the index among the messages of
 * this level, as zigzag varints. A single 0 stands for the first message.
 */
final class ProtobufMessages implements RecordFields {
  private final FileDescriptor file;
  private final PathTree tree;
  private final Set<String> times;
  private final Map<Descriptor, ProtobufFields> messages = new HashMap<>();
  private @Nullable ProtobufFields last;

  ProtobufMessages(FileDescriptor file, PathTree tree, Set<String> times) {
    this.file = file;
    this.tree = tree;
    this.times = times;
  }

  @Override
  public void read(byte[] event, int from, FoundFields found) throws MalformedSampleException {
    CodedInputStream in = CodedInputStream.newInstance(event, from, event.length - from);
    ProtobufFields fields =
        messages.computeIfAbsent(message(in), of -> new ProtobufFields(of, tree, times));
    last = fields;
    fields.read(event, from + in.getTotalBytesRead(), found);
  }

  private Descriptor message(CodedInputStream in) throws MalformedSampleException {
    List<Descriptor> level = file.getMessageTypes();
    try {
      int count = in.readSInt32();
      if (count < 0) {
        throw new IOException("there are %d of them".formatted(count));
      }
      Descriptor message = count == 0 ? at(level, 0) : null;
      for (int i = 0; i < count; i++) {
        message = at(level, in.readSInt32());
        level = message.getNestedTypes();
      }
      if (message == null) {
        throw new IOException("there are none");
      }
      return message;
    } catch (IOException broken) {
      throw new MalformedSampleException(
          "event", "the indexes of its message cannot be read: " + broken.getMessage());
    }
  }

  private static Descriptor at(List<Descriptor> level, int index) throws IOException {
    if (index < 0 || index >= level.size()) {
      throw new IOException("message %d of %d".formatted(index, level.size()));
    }
    return level.get(index);
  }

  @Override
  public String described(String field) {
    return last == null ? "" : last.described(field);
  }
}
