-- Predictions of the newest model in Flink SQL. Flink's lib folder has the jars of flink-jobs/sql/target/lib and flink-jobs/sql/target/idlalayer-sql-*.jar.
--   ./idla run examples/electricity.yaml --input elec.csv      publishes the models
--   sql-client.sh -f examples/sql/predict.sql

CREATE TEMPORARY TABLE half_hours (
  `period` DOUBLE, nswprice DOUBLE, nswdemand DOUBLE, vicprice DOUBLE, vicdemand DOUBLE, transfer DOUBLE
) WITH (
  'connector' = 'datagen', 'rows-per-second' = '100', 'number-of-rows' = '500',
  'fields.period.min' = '0', 'fields.period.max' = '1', 'fields.nswprice.min' = '0', 'fields.nswprice.max' = '1',
  'fields.nswdemand.min' = '0', 'fields.nswdemand.max' = '1', 'fields.vicprice.min' = '0', 'fields.vicprice.max' = '1',
  'fields.vicdemand.min' = '0', 'fields.vicdemand.max' = '1', 'fields.transfer.min' = '0', 'fields.transfer.max' = '1'
);

-- INPUT names the features, OUTPUT what is wanted of a prediction.
CREATE TEMPORARY MODEL electricity
  INPUT (`period` DOUBLE, nswprice DOUBLE, nswdemand DOUBLE, vicprice DOUBLE, vicdemand DOUBLE, transfer DOUBLE)
  OUTPUT (prediction STRING, probability DOUBLE, version BIGINT)
WITH (
  'provider' = 'idla',
  'store' = 'idla-work/electricity/models',
  'application' = 'electricity'
);

SELECT nswprice, prediction, probability, version
FROM ML_PREDICT(TABLE half_hours, MODEL electricity, DESCRIPTOR(`period`, nswprice, nswdemand, vicprice, vicdemand, transfer));
