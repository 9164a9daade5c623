-- Learns, serves and evaluates in one script of Flink SQL. Flink's lib folder has the jars that docs/sql.md names.
--   sql-client.sh -f examples/sql/learn.sql

SET 'execution.checkpointing.interval' = '10 s';
-- An INSERT ends before the next statement begins.
SET 'table.dml-sync' = 'true';

-- Offers that were shown. Any source of Flink will do: Kafka with Avro or Protobuf, files, a database's changes.
CREATE TEMPORARY TABLE shown (offer BIGINT, price DOUBLE, seconds DOUBLE, device STRING) WITH (
  'connector' = 'datagen', 'rows-per-second' = '20000', 'fields.offer.kind' = 'sequence', 'fields.offer.start' = '1', 'fields.offer.end' = '20000',
  'fields.price.min' = '0', 'fields.price.max' = '100', 'fields.seconds.min' = '0', 'fields.seconds.max' = '60', 'fields.device.length' = '1'
);

CREATE TEMPORARY VIEW offers AS
SELECT offer, price, seconds, device, CASE WHEN seconds * 2 > price THEN 'yes' ELSE 'no' END AS clicked FROM shown;

-- The rows of this table are learned. Its columns are the fields of the application.
CREATE TEMPORARY TABLE learner (
  offer BIGINT, price DOUBLE, seconds DOUBLE, device STRING, clicked STRING
) WITH ('connector' = 'idla', 'application' = 'examples/sql/clicks.yaml', 'models' = 'idla-work/clicks/models');

INSERT INTO learner SELECT offer, price, seconds, device, clicked FROM offers;

CREATE TEMPORARY MODEL clicks
  INPUT (price DOUBLE, seconds DOUBLE, device STRING)
  OUTPUT (prediction STRING, probability DOUBLE, version BIGINT)
WITH ('provider' = 'idla', 'store' = 'idla-work/clicks/models', 'application' = 'clicks');

-- New offers, which the model has not learned: how many does it get right?
SELECT COUNT(*) AS offers, AVG(CASE WHEN prediction = clicked THEN 1.0 ELSE 0.0 END) AS accuracy, MAX(version) AS version
FROM ML_PREDICT(TABLE offers, MODEL clicks, DESCRIPTOR(price, seconds, device));
