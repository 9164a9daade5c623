package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.format.IdxPairReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Proposes an application file for images in the format of MNIST. */
final class ImageProposal {
  private static final int LEAST_SIDE = 4;

  private ImageProposal() {}

  static Proposal of(Path file, String name) throws IOException, NoProposalException {
    int images;
    int height;
    int width;
    try (DataInputStream in = new DataInputStream(PackedFile.open(file))) {
      in.readInt();
      images = in.readInt();
      height = in.readInt();
      width = in.readInt();
    }
    int classes = 1 + mostLabel(IdxPairReader.labelsFor(file));
    if (height < LEAST_SIDE || width < LEAST_SIDE || classes < 2) {
      throw new NoProposalException(
          "%s has images of %d x %d pixels and %d classes, which are too few for a network that convolves"
              .formatted(file, height, width, classes));
    }
    String yaml =
        String.format(
            Locale.ROOT,
            """
            # Proposed by 'idla init' for %s: %,d images of %d x %d pixels, with labels up to %d beside them.
            #   ./idla run APP.yaml --input %s --report report.json
            name: %s
            input:
              format: binary
              features:
                - {name: pixels, width: %d}
              label: digit
              classes: %d
            # As in examples/mnist.yaml.
            model:
              type: cnn
              image: {height: %d, width: %d, channels: 1}
              filters: [16, 32]
              dense: 128
            training:
              mini-batch: 32
              epochs: 2
              updater: adam
              learning-rate: 0.001
            update:
              rule: adaptive
              waiting-samples-per-training-second: 2000
              max-batch: 8192
            selection:
              replay-budget: 1024
            """,
            file.getFileName(),
            images,
            height,
            width,
            classes - 1,
            file.getFileName(),
            ColumnNames.scalar(name),
            height * width,
            classes,
            height,
            width);
    Object unused = Proposer.read(yaml);
    return new Proposal(
        yaml,
        List.of(
            String.format(
                Locale.ROOT,
                "The file holds %,d images of %d x %d pixels; the labels beside it are 0 to %d.",
                images,
                height,
                width,
                classes - 1)));
  }

  private static int mostLabel(Path labels) throws IOException {
    try (DataInputStream in = new DataInputStream(PackedFile.open(labels))) {
      in.readLong();
      int most = 0;
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
        for (int i = 0; i < read; i++) {
          most = Math.max(most, buffer[i] & 0xFF);
        }
      }
      return most;
    }
  }
}
