package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.network.NetworkDraft.Rows;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Determines the shape of rows after a preprocessor, which keeps the numbers and their order. */
final class Preprocessors {
  private static final String PACKAGE = "org.deeplearning4j.nn.conf.preprocessor.";

  private Preprocessors() {}

  /**
   * @param layer that the preprocessor belongs to, for messages
   * @param preprocessor null for none
   */
  static Rows prepared(String layer, @Nullable JsonNode preprocessor, Rows rows)
      throws MalformedModelException, UnsupportedModelException {
    if (preprocessor == null || preprocessor.isNull()) {
      return rows;
    }
    Settings settings = new Settings("the preprocessor of " + layer, preprocessor);
    String type = settings.text("@class");
    Rows prepared =
        switch (type) {
          case PACKAGE + "FeedForwardToCnnPreProcessor" -> rows.as(image(settings, rows));
          case PACKAGE + "CnnToFeedForwardPreProcessor" -> {
            LayerReader.checkText(settings, "format", "NCHW");
            yield rows.as(new RowShape.Flat(image(settings, rows).numbers()));
          }
          case PACKAGE + "RnnToFeedForwardPreProcessor" -> {
            // Deeplearning4j puts a preprocessor behind the pooling of a series, where it does
            // nothing.
            if (!(rows.shape() instanceof RowShape.Flat)) {
              throw new UnsupportedModelException(settings.owner() + " over " + rows.shape());
            }
            settings.passOver("rnnDataFormat");
            yield rows;
          }
          default ->
              throw new UnsupportedModelException("preprocessor %s of %s".formatted(type, layer));
        };
    settings.checkAllKnown();
    return prepared;
  }

  private static RowShape.Image image(Settings settings, Rows rows) throws MalformedModelException {
    int channels = settings.integer("numChannels");
    int height = settings.integer("inputHeight");
    int width = settings.integer("inputWidth");
    boolean sizes = channels > 0 && height > 0 && width > 0;
    if (!sizes || (double) channels * height * width != rows.width()) {
      throw ConfigurationReader.malformed(
          String.format(
              Locale.ROOT,
              "%s is for images of %d x %d x %d, and gets %s",
              settings.owner(),
              channels,
              height,
              width,
              rows.shape()));
    }
    RowShape.Image image = new RowShape.Image(channels, height, width);
    if (rows.shape() instanceof RowShape.Series
        || (rows.shape() instanceof RowShape.Image other && !other.equals(image))) {
      throw ConfigurationReader.malformed(
          "%s is for %s, and gets %s".formatted(settings.owner(), image, rows.shape()));
    }
    return image;
  }
}
