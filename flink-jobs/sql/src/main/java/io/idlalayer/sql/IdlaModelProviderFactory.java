package io.idlalayer.sql;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.ModelProviderFactory;
import org.apache.flink.table.ml.ModelProvider;

/** The factory through which Flink finds the model provider {@code idla}. */
public final class IdlaModelProviderFactory implements ModelProviderFactory {
  /** The value of the option {@code 'provider'} that selects this factory. */
  public static final String IDENTIFIER = "idla";

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return ModelOptions.REQUIRED;
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return ModelOptions.OPTIONAL;
  }

  /**
   * Returns the provider of the model that a {@code CREATE MODEL} statement describes.
   *
   * @throws org.apache.flink.table.api.ValidationException if an option is unknown or out of its
   *     range, or if a prediction has no value for a column of {@code OUTPUT}
   */
  @Override
  public ModelProvider createModelProvider(Context context) {
    FactoryUtil.ModelProviderFactoryHelper helper =
        FactoryUtil.createModelProviderFactoryHelper(this, context);
    helper.validate();
    return new IdlaModelProvider(
        ModelOptions.of(helper.getOptions()),
        FeatureColumns.of(context.getCatalogModel().getResolvedInputSchema()),
        OutputColumns.of(context.getCatalogModel().getResolvedOutputSchema()));
  }
}
