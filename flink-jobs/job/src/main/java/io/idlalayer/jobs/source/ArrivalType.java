package io.idlalayer.jobs.source;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Flink's type information for {@link Arrival}, which provides the serializer written for arrivals.
 */
public final class ArrivalType extends TypeInformation<Arrival> {
  private static final long serialVersionUID = 1L;

  @Override
  public TypeSerializer<Arrival> createSerializer(SerializerConfig config) {
    return new ArrivalSerializer();
  }

  @Override
  public Class<Arrival> getTypeClass() {
    return Arrival.class;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public boolean canEqual(@Nullable Object other) {
    return other instanceof ArrivalType;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArrivalType;
  }

  @Override
  public int hashCode() {
    return ArrivalType.class.hashCode();
  }

  @Override
  public String toString() {
    return "Arrival";
  }
}
